// Upsample became Resize in opset 10; Resize got its coordinates in 11 and may leave out what it does not use since 13.
import type { VersionRule, VersionStep } from '../../versions.js';

/** Opset 1 has scales of height and width. */
const scalesOfAll: VersionRule = (step) => {
  const { call } = step;
  const [height, width] = [call.float('height_scale'), call.float('width_scale')];
  const scales = [1, 1, call.required(height, 'height_scale'), call.required(width, 'width_scale')];
  step.change(
    { attributes: { height_scale: undefined, width_scale: undefined, scales } },
    'scales are given for all axes',
  );
};

const scalesAsInput: VersionRule = (step) => {
  const scales = step.constant(step.call.required(step.call.floats('scales'), 'scales'), 'float32');
  step.change(
    { inputs: [step.node.inputs[0]!, scales], attributes: { scales: undefined } },
    'scales are an input',
  );
};

const asResize: VersionRule = (step) => {
  const mode = step.call.string('mode', 'nearest') === 'nearest' ? 'nearest' : 'linear';
  step.become('Resize', step.node.inputs, { mode }, 'it is a Resize');
};

/** What every Resize before opset 11 does: position = index / scale. */
const COORDINATES = 'asymmetric';

/**
 * The nearest element is the one before the position where the image grows, and the one after it where it shrinks, as in
 * ONNX Runtime; the standard does not say.
 */
const coordinatesSaid: VersionRule = (step) => {
  const { call, node } = step;
  const [x, scales] = node.inputs as [string, string];
  const known = call.numbers('scales');
  const mode = call.string('mode', 'nearest');
  const what = 'its coordinates are asymmetric, as they were before';
  const shrinks = known?.some((s) => s < 1) ?? false;
  if (mode === 'nearest' && shrinks && known!.some((s) => s > 1)) return inTwoSteps(step, x, known!);
  step.change(resized(step, x, scales, mode, shrinks), what);
};

function resized(step: VersionStep, x: string, scales: string, mode: string, shrinks: boolean) {
  const roi = step.constant([], 'float32');
  const nearest = mode === 'nearest' ? { nearest_mode: shrinks ? 'ceil' : 'floor' } : {};
  return {
    inputs: [x, roi, scales],
    attributes: { coordinate_transformation_mode: COORDINATES, mode, ...nearest },
  };
}

/** Axes that grow, then those that shrink: each rounds in its own way. */
function inTwoSteps(step: VersionStep, x: string, scales: readonly number[]): void {
  const part = (pick: (scale: number) => number) => step.constant(scales.map(pick), 'float32');
  const grown = resized(
    step,
    x,
    part((s) => Math.max(s, 1)),
    'nearest',
    false,
  );
  const larger = step.write('Resize', grown.inputs, grown.attributes);
  const shrunk = resized(
    step,
    larger,
    part((s) => Math.min(s, 1)),
    'nearest',
    true,
  );
  step.change(shrunk, 'axes that grow and axes that shrink are resized one after another');
}

const emptyLeftOut: VersionRule = (step) => {
  const { call, node } = step;
  const inputs = node.inputs.map((name, i) => (i > 0 && call.has(i) && call.shape(i)?.[0] === 0 ? '' : name));
  while (inputs.at(-1) === '') inputs.pop();
  if (inputs.some((name, i) => name !== node.inputs[i])) step.change({ inputs }, 'empty inputs are left out');
};

/** Sizes or scales of all dimensions instead of some. */
const withoutAxes: VersionRule = (step) => {
  const { call, node } = step;
  const axes = call.ints('axes');
  if (call.int('antialias', 0) !== 0) step.refuse('it has no antialias');
  if (call.string('keep_aspect_ratio_policy', 'stretch') !== 'stretch')
    step.refuse('it keeps no aspect ratio');
  const gone = { axes: undefined, antialias: undefined, keep_aspect_ratio_policy: undefined };
  if (axes === undefined)
    return step.change({ attributes: gone }, 'defaults of newer attributes are left out');
  const { shape } = call.tensor(0);
  const isSized = call.has('sizes');
  const given = call.numbers(isSized ? 'sizes' : 'scales');
  if (shape === undefined || given === undefined || call.has('roi')) {
    return step.refuse('it resizes some axes only, by amounts that are not known');
  }
  const all = isSized ? [...shape] : shape.map(() => 1);
  call.axes(axes, shape.length).forEach((axis, i) => {
    all[axis] = given[i]!;
  });
  if (!all.every((d) => typeof d === 'number')) return step.refuse('the sizes of its input are not known');
  const [x] = node.inputs as [string];
  const inputs = isSized
    ? [x, '', '', step.constant(all as number[])]
    : [x, '', step.constant(all as number[], 'float32')];
  step.change({ inputs, attributes: gone }, `${isSized ? 'sizes' : 'scales'} are written for all axes`);
};

export const resizeVersions = {
  Resize: [
    { since: 11, upgrade: coordinatesSaid },
    { since: 13, upgrade: emptyLeftOut },
    { since: 18, downgrade: withoutAxes },
  ],
  Upsample: [
    { since: 7, upgrade: scalesOfAll },
    { since: 9, upgrade: scalesAsInput },
    { since: 10, upgrade: asResize },
  ],
};

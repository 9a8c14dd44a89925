// Operators that resample images: Resize and Upsample, which it replaced. The output's sizes are given, or come
// from scales: floor(size · scale).
import { type Dim, floorOf, isKnown, multiply, sameDim } from '../../../graph/dim.js';
import { isTensor, type Shape, TensorType } from '../../../graph/types.js';
import { counted } from '../../cost.js';
import { carriedFloat } from '../../float.js';
import { type Call, type CostRule, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { checkSize } from './data-movement.js';
import { resizeGradient } from './resize.gradient.js';
import { resizeVersions } from './resize.versions.js';

/** Elements that one dimension's interpolation weighs; nearest neighbours are only copied. */
const TAPS: Readonly<Record<string, number>> = { nearest: 1, linear: 2, bilinear: 2, cubic: 4 };

function tapsOf(call: Call): number {
  const mode = call.string('mode', 'nearest');
  if (!Object.hasOwn(TAPS, mode)) call.fail(`unknown mode '${mode}'`, 'OP_ATTRIBUTE');
  return TAPS[mode]!;
}

/** A weighted sum of taps^k elements, over the k dimensions that change. */
const COST: CostRule = counted(
  'nearest: 0; linear: 2·2^k − 1, cubic: 2·4^k − 1 per output element, k resized dimensions',
  (call) => {
    const taps = tapsOf(call);
    if (taps === 1) return {};
    const [output] = call.outputs;
    const [from, to] = [call.shape(0), isTensor(output) ? output.shape : undefined];
    const size = call.outputSize();
    if (from === undefined || to === undefined || size === undefined) return undefined;
    const resized = to.filter((d, i) => !sameDim(d, from[i]!)).length;
    return resized === 0 ? {} : { otherFlops: multiply(size, 2 * taps ** resized - 1) };
  },
);

/** A list that may be given as an input: empty ones count as not given. */
function listInput(call: Call, index: number): readonly Dim[] | 'unknown' | undefined {
  const type = call.optionalTensor(index);
  if (type === undefined || type.shape?.[0] === 0) return undefined;
  return type.elements ?? 'unknown';
}

/**
 * Opset 10 has scales only; 11 added the region of interest and sizes, 18 axes and the aspect ratio. The region
 * moves what is sampled and not the size of the output, in ONNX Runtime and in ONNX's own inference, although
 * the specification's formula multiplies by its extent.
 */
const Resize: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    tapsOf(call);
    const scales = listInput(call, call.opset < 11 ? 1 : 2);
    const sizes = call.opset < 11 ? undefined : listInput(call, 3);
    if (scales === undefined && sizes === undefined)
      call.fail('neither scales nor sizes are given', 'OP_INPUT');
    if (shape === undefined) return [new TensorType(x.dtype, undefined)];
    const axes = call.axes(call.ints('axes') ?? shape.map((_, i) => i), shape.length);
    if (sizes === undefined) return [new TensorType(x.dtype, scaledShape(call, shape, scales!, axes))];
    expectInteger(call, 3);
    if (scales !== undefined && scales !== 'unknown')
      call.fail('both scales and sizes are given', 'OP_INPUT');
    return [new TensorType(x.dtype, sizedShape(call, shape, sizes, axes))];
  },
  cost: COST,
  roles: { data: ['X'], others: 'setting' },
  traits: { isLinear: true },
  gradient: resizeGradient,
};

/** Scales were attributes before opset 9; at first only for height and width. */
const Upsample: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    tapsOf(call);
    const scales = upsampleScales(call);
    if (x.shape === undefined) return [new TensorType(x.dtype, undefined)];
    const axes = x.shape.map((_, i) => i);
    return [new TensorType(x.dtype, scaledShape(call, x.shape, scales, axes))];
  },
  cost: COST,
  roles: { setting: ['scales'] },
  traits: { isLinear: true },
};

function upsampleScales(call: Call): readonly Dim[] | 'unknown' {
  if (call.opset >= 9) return call.tensor(1).elements ?? 'unknown';
  if (call.opset >= 7) return call.required(call.floats('scales'), 'scales');
  const [height, width] = [call.float('height_scale'), call.float('width_scale')];
  return [1, 1, call.required(height, 'height_scale'), call.required(width, 'width_scale')];
}

/** Dimensions that are not among the axes keep their size. */
function replaced(
  call: Call,
  shape: Shape,
  given: readonly Dim[] | 'unknown',
  axes: readonly number[],
  resize: (size: Dim, by: Dim) => Dim | undefined,
): Shape {
  const resized = [...shape];
  if (given !== 'unknown' && given.length !== axes.length) {
    call.fail(`${given.length} scales or sizes are given for ${axes.length} dimensions of [${shape}]`);
  }
  axes.forEach((axis, i) => {
    const size = given === 'unknown' ? undefined : resize(shape[axis]!, given[i]!);
    resized[axis] = size ?? call.unknownSize(0, axis);
  });
  return resized;
}

function scaledShape(
  call: Call,
  shape: Shape,
  scales: readonly Dim[] | 'unknown',
  axes: readonly number[],
): Shape {
  return replaced(call, shape, scales, axes, (size, scale) => {
    if (isKnown(scale) && !(scale > 0 && scale < Infinity))
      call.fail(`a scale cannot be ${scale}`, 'OP_INPUT');
    // As a runtime multiplies, in 32 bits: 0.6 · 5 is 3.
    if (isKnown(scale) && isKnown(size)) return checkSize(call, Math.floor(Math.fround(size * scale)));
    return floorOf(multiply(size, scale));
  });
}

function sizedShape(
  call: Call,
  shape: Shape,
  sizes: readonly Dim[] | 'unknown',
  axes: readonly number[],
): Shape {
  const policy = call.string('keep_aspect_ratio_policy', 'stretch');
  if (policy === 'stretch') return replaced(call, shape, sizes, axes, (_, size) => checkSize(call, size));
  if (policy !== 'not_larger' && policy !== 'not_smaller') {
    call.fail(`unknown keep_aspect_ratio_policy '${policy}'`, 'OP_ATTRIBUTE');
  }
  const ratios: number[] = [];
  axes.forEach((axis, i) => {
    const [from, to] = [shape[axis], sizes[i]];
    if (sizes !== 'unknown' && isKnown(from) && isKnown(to as Dim)) ratios.push((to as number) / from);
  });
  if (ratios.length !== axes.length) return replaced(call, shape, 'unknown', axes, () => undefined);
  const scale = policy === 'not_larger' ? Math.min(...ratios) : Math.max(...ratios);
  return replaced(call, shape, sizes, axes, (size) =>
    checkSize(call, Math.floor(Math.fround((size as number) * scale) + 0.5)),
  );
}

const SCALES: Pick<Operator, 'traits'> = { traits: { float32: ['scales'] } };

export const resizeOperators: OperatorTable = withVersions(
  { Resize: { ...Resize, ...SCALES, float: carriedFloat }, Upsample: { ...Upsample, ...SCALES } },
  resizeVersions,
);

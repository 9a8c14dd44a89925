// The amounts of Pad had another name in opset 1, and became inputs in 11; axes came in 18.
import type { VersionRule } from '../../versions.js';

const padsNamed: VersionRule = (step) =>
  step.change(
    { attributes: { paddings: undefined, pads: step.call.required(step.call.ints('paddings'), 'paddings') } },
    'paddings are called pads',
  );

const padsAsInputs: VersionRule = (step) => {
  const { call, node } = step;
  const value = call.float('value', 0);
  const inputs = [node.inputs[0]!, call.required(step.held('pads'), 'pads')];
  if (value !== 0) {
    const dtype = call.dtype(0) ?? step.refuse('the element type of its input is not known');
    inputs.push(step.constant([value], dtype, []));
  }
  step.change({ inputs, attributes: { pads: undefined, value: undefined } }, 'pads and value are inputs');
};

/** Pads for all dimensions instead of some. */
const withoutAxes: VersionRule = (step) => {
  const { call, node } = step;
  if (!call.has('axes')) return;
  const [rank, axes, pads] = [call.tensor(0).rank, call.numbers('axes'), call.numbers('pads')];
  if (rank === undefined || axes === undefined || pads === undefined) {
    return step.refuse('it pads some axes only, by amounts that are not known');
  }
  const all = new Array<number>(2 * rank).fill(0);
  call.axes(axes, rank).forEach((axis, i) => {
    all[axis] = pads[i]!;
    all[axis + rank] = pads[i + axes.length]!;
  });
  const inputs = [node.inputs[0]!, step.constant(all), ...node.inputs.slice(2, 3)];
  step.change({ inputs }, 'pads are written for all axes');
};

export const padVersions = {
  Pad: [
    { since: 2, upgrade: padsNamed },
    { since: 11, upgrade: padsAsInputs },
    { since: 18, downgrade: withoutAxes },
  ],
};

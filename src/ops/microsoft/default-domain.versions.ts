// Operators of the first drafts of ONNX, which opset 10 withdrew: what they are made of.
import { elementCount, fromNumbers } from '../../graph/tensor.js';
import type { VersionRule, VersionStep } from '../versions.js';

function number(step: VersionStep, value: number): string {
  const dtype = step.call.dtype(0) ?? step.refuse('the element type of its input is not known');
  return step.constant([value], dtype, []);
}

const SPELT_OUT = 'it is written with operators of the standard';

/** alpha·x + beta. */
const affine: VersionRule = (step) => {
  const { call, node } = step;
  const scaled = step.write('Mul', [node.inputs[0]!, number(step, call.float('alpha', 1))]);
  step.become('Add', [scaled, number(step, call.float('beta', 0))], {}, SPELT_OUT);
};

const scale: VersionRule = (step) =>
  step.become('Mul', [step.node.inputs[0]!, number(step, step.call.float('scale', 1))], {}, SPELT_OUT);

/** scale·x + bias of the channel. */
const imageScaler: VersionRule = (step) => {
  const { call, node } = step;
  const bias = call.required(call.floats('bias'), 'bias');
  const dtype = call.dtype(0) ?? step.refuse('the element type of its input is not known');
  const factor = call.float('scale', 1);
  const scaled = factor === 1 ? node.inputs[0]! : step.write('Mul', [node.inputs[0]!, number(step, factor)]);
  step.become('Add', [scaled, step.constant(bias, dtype, [bias.length, 1, 1])], {}, SPELT_OUT);
};

/** alpha·f(beta·x). */
function scaledInAndOut(opType: string): VersionRule {
  return (step) => {
    const { call, node } = step;
    const inner = step.write('Mul', [node.inputs[0]!, number(step, call.float('beta', 1))]);
    const value = step.write(opType, [inner]);
    step.become('Mul', [value, number(step, call.float('alpha', 1))], {}, SPELT_OUT);
  };
}

const END = 2 ** 31 - 1;

/** Without a border (left, top, right, bottom), or the part of size `scale` behind it. */
const crop: VersionRule = (step) => {
  const { call, node } = step;
  const [left, top, right, bottom] = call.required(call.ints('border'), 'border') as [
    number,
    number,
    number,
    number,
  ];
  const size = call.ints('scale');
  const ends = size?.length === 2 ? [top + size[0]!, left + size[1]!] : [-bottom || END, -right || END];
  const inputs = [node.inputs[0]!, step.constant([top, left]), step.constant(ends), step.constant([2, 3])];
  step.become('Slice', inputs, {}, SPELT_OUT);
};

const dynamicSlice: VersionRule = (step) => step.become('Slice', step.node.inputs, {}, 'it is called Slice');

const givenTensorFill: VersionRule = (step) => {
  const { call } = step;
  const values = call.required(call.floats('values'), 'values');
  const [asShape, given] = [call.int('input_as_shape', 0) !== 0, call.ints('shape')];
  const fromInput = asShape ? call.numbers(0) : call.has(0) ? call.shape(0) : undefined;
  const shape = [...(given ?? fromInput ?? []), ...(call.ints('extra_shape') ?? [])];
  if ((given ?? fromInput) === undefined || !shape.every((d) => typeof d === 'number')) {
    return step.refuse('its shape is not known');
  }
  if (elementCount({ dims: shape as number[] }) !== values.length) {
    return step.refuse(`${values.length} values do not fill the shape ${shape.join('x')}`);
  }
  const tensor = fromNumbers(step.freshName('values'), 'float32', shape as number[], values);
  step.become('Constant', [], { value: { type: 'tensor', value: tensor } }, 'it is a Constant');
};

export const defaultDomainVersions = {
  Affine: [{ since: 10, upgrade: affine }],
  Crop: [{ since: 10, upgrade: crop }],
  DynamicSlice: [{ since: 10, upgrade: dynamicSlice }],
  GivenTensorFill: [{ since: 10, upgrade: givenTensorFill }],
  ImageScaler: [{ since: 10, upgrade: imageScaler }],
  ParametricSoftplus: [{ since: 10, upgrade: scaledInAndOut('Softplus') }],
  Scale: [{ since: 10, upgrade: scale }],
  ScaledTanh: [{ since: 10, upgrade: scaledInAndOut('Tanh') }],
};

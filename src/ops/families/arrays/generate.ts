// Operators that make tensors out of nothing but a few numbers: Range, ConstantOfShape, EyeLike, windows of
// signal processing, MelWeightMatrix.
import { add, ceilOf, type Dim, floorDivide, isKnown, multiply, subtract } from '../../../graph/dim.js';
import { elementCount } from '../../../graph/tensor.js';
import { TensorType } from '../../../graph/types.js';
import { FREE, perOutput } from '../../cost.js';
import { type Call, commonDtype, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { constantType } from './constant.js';
import { checkSize, dtypeAttribute, sizesFrom, tabulate } from './data-movement.js';

/** start, start + delta, … below limit: max(0, ceil((limit − start) / delta)) numbers. */
const Range: Operator = {
  infer: (call) => {
    const inputs = [call.tensor(0), call.tensor(1), call.tensor(2)];
    const dtype = commonDtype(call, inputs);
    const [start, limit, delta] = inputs.map((t) => t.elements?.[0]);
    if (delta === 0) call.fail('a range with a step of 0 never ends', 'OP_INPUT');
    if (start === undefined || limit === undefined || delta === undefined) {
      return [new TensorType(dtype, [call.unknownSize(0, 0)])];
    }
    const shape = [rangeSize(call, start, limit, delta) ?? call.unknownSize(0, 0)];
    const elements = tabulate(shape, ([i]) => add(start, multiply(delta, i!)));
    return [new TensorType(dtype, shape, elements)];
  },
  cost: FREE,
  roles: { others: 'setting' },
};

function rangeSize(call: Call, start: Dim, limit: Dim, delta: Dim): Dim | undefined {
  if (!isKnown(delta)) return undefined;
  const span = subtract(limit, start);
  if (isKnown(span)) return checkSize(call, Math.max(0, Math.ceil(span / delta)));
  return ceilOf(multiply(span, 1 / delta));
}

/** One number everywhere; 0 as float32 unless given. */
const ConstantOfShape: Operator = {
  infer: (call) => {
    expectInteger(call, 0);
    const value = call.tensorAttribute('value');
    if (value && elementCount(value) !== 1) call.fail('the value must be one number', 'OP_ATTRIBUTE');
    const shape = sizesFrom(call, 0);
    const isKnownShape = shape?.every(isKnown);
    const fill = !value ? 0 : isKnownShape ? constantType(value).elements?.[0] : undefined;
    return [
      new TensorType(
        value?.dtype ?? 'float32',
        shape,
        tabulate(shape, () => fill),
      ),
    ];
  },
  cost: FREE,
  roles: { others: 'setting' },
};

/** A matrix with ones on the diagonal `k`. */
const EyeLike: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    if (shape !== undefined && shape.length !== 2)
      call.fail(`the input must be a matrix, not ${call.tensor(0)}`);
    const k = call.int('k', 0);
    const eye = tabulate(shape, ([row, column]) => Number(column! - row! === k));
    const type = dtypeAttribute(call, 'dtype') ?? dtype ?? 'float32';
    return [new TensorType(type, shape ?? [call.unknownSize(0, 0), call.unknownSize(0, 1)], eye)];
  },
  cost: FREE,
  traits: { ignoresElementsOf: ['input'], typeAttribute: 'dtype', knowsPlaces: 'all', float32: true },
};

/** A window of a given length; `flops` per element. */
function windowOf(flops: number): Operator {
  return {
    infer: (call) => {
      expectInteger(call, 0);
      const size = call.tensor(0).elements?.[0];
      const dtype = dtypeAttribute(call, 'output_datatype') ?? 'float32';
      return [new TensorType(dtype, [size === undefined ? call.unknownSize(0, 0) : checkSize(call, size)])];
    },
    cost: perOutput(flops),
    roles: { others: 'setting' },
  };
}

/** Weights that turn a spectrum into mel bands: (floor(dft_length / 2) + 1, num_mel_bins). */
const MelWeightMatrix: Operator = {
  infer: (call) => {
    for (const index of [0, 1, 2]) expectInteger(call, index);
    const [bins, length] = [call.tensor(0).elements?.[0], call.tensor(1).elements?.[0]];
    const dtype = dtypeAttribute(call, 'output_datatype') ?? 'float32';
    const bands = bins === undefined ? call.unknownSize(0, 1) : checkSize(call, bins);
    const frequencies =
      length === undefined ? call.unknownSize(0, 0) : add(floorDivide(checkSize(call, length), 2), 1);
    return [new TensorType(dtype, [frequencies, bands])];
  },
  cost: perOutput(2),
  roles: { others: 'setting' },
};

export const generateOperators: OperatorTable = {
  BlackmanWindow: windowOf(8),
  ConstantOfShape,
  EyeLike,
  HammingWindow: windowOf(4),
  HannWindow: windowOf(4),
  MelWeightMatrix,
  Range: { ...Range, traits: { ...Range.traits, float32: true, knowsPlaces: 'all' } },
};

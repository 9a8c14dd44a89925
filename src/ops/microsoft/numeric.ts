// Numerics beyond layers: inverses, Fourier transforms, complex products, distances, alignment.
import { add, type Dim, floorDivide, isKnown, multiply, subtract } from '../../graph/dim.js';
import { type Shape, TensorType } from '../../graph/types.js';
import { mayEqual, positiveInt, shapeOfRank, shapeOfRankFrom } from '../arguments.js';
import { counted, perInput, perOutput, times, total } from '../cost.js';
import { broadcastShapes } from '../families/arithmetic/broadcast.js';
import { type Call, commonDtype, type Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';

/** Every matrix by elimination: 2·M³ operations. */
const Inverse: Operator = {
  infer: (call) => {
    const shape = shapeOfRankFrom(call, 0, 2);
    if (!mayEqual(shape?.at(-1), shape?.at(-2))) {
      call.fail(`only square matrices have an inverse, not shape [${shape}]`);
    }
    return [new TensorType(call.dtype(0), shape)];
  },
  cost: counted('2·M³ for each M×M matrix', (call) => ({
    otherFlops: times(call.outputSize(), call.shape(0)?.at(-1), 2),
  })),
};

/** 5·n·log₂ n for a complex transform of n points, half of it for a real one (Cooley and Tukey). */
function transformFlops(points: Dim | undefined): Dim | undefined {
  return isKnown(points) ? Math.ceil(2.5 * points * Math.log2(Math.max(points, 2))) : undefined;
}

const TRANSFORM_RULE = '2.5·n·log₂ n for each transform of n points';

/** The last `signal_ndim` dimensions are a signal; only one is possible in ONNX Runtime. */
function signalShape(call: Call, last: number): Shape | undefined {
  const dimensions = positiveInt(call, 'signal_ndim');
  if (dimensions > 3) call.fail(`signal_ndim ${dimensions} is more than 3`, 'OP_ATTRIBUTE');
  return shapeOfRankFrom(call, 0, dimensions + last);
}

/** Real (…, n) to complex (…, n/2 + 1, 2). */
const Rfft: Operator = {
  infer: (call) => {
    const shape = signalShape(call, 0);
    const spectrum = shape && [...shape.slice(0, -1), add(floorDivide(shape.at(-1)!, 2), 1), 2];
    return [new TensorType(call.dtype(0), spectrum)];
  },
  cost: counted(TRANSFORM_RULE, (call) => {
    const shape = call.shape(0);
    return { otherFlops: times(...(shape?.slice(0, -1) ?? []), transformFlops(shape?.at(-1))) };
  }),
};

/** Complex (…, n/2 + 1, 2) to real (…, n). */
const Irfft: Operator = {
  infer: (call) => {
    const shape = signalShape(call, 1);
    if (!mayEqual(shape?.at(-1), 2))
      call.fail(`complex numbers are pairs, so the last dimension must be 2, not as in [${shape}]`);
    const signal = shape && [...shape.slice(0, -2), multiply(subtract(shape.at(-2)!, 1), 2)];
    return [new TensorType(call.dtype(0), signal)];
  },
  cost: counted(TRANSFORM_RULE, (call) => {
    const shape = call.shape(0)?.slice(0, -1);
    const points = shape && multiply(subtract(shape.at(-1)!, 1), 2);
    return { otherFlops: times(...(shape?.slice(0, -1) ?? []), transformFlops(points)) };
  }),
};

/** Pairs in the last dimension, multiplied with broadcasting: four products and two sums for two numbers. */
const ComplexMul: Operator = {
  infer: (call) => {
    const [a, b] = [shapeOfRankFrom(call, 0, 1), shapeOfRankFrom(call, 1, 1)];
    if (!mayEqual(a?.at(-1), 2) || !mayEqual(b?.at(-1), 2)) {
      call.fail(`complex numbers are pairs, so the last dimension must be 2, not as in [${a}] and [${b}]`);
    }
    const dtype = commonDtype(call, [call.tensor(0), call.tensor(1)]);
    return [new TensorType(dtype, broadcastShapes(call, [a, b]))];
  },
  cost: perOutput(3),
};

/** Distances of all rows of A (M, N) to all rows of B (K, N). */
const CDist: Operator = {
  infer: (call) => {
    const [a, b] = [shapeOfRank(call, 0, 2), shapeOfRank(call, 1, 2)];
    if (!mayEqual(a?.[1], b?.[1])) call.fail(`rows of [${a}] and [${b}] differ in length`);
    const dtype = commonDtype(call, [call.tensor(0), call.tensor(1)]);
    return [new TensorType(dtype, a && b ? [a[0]!, b[0]!] : undefined)];
  },
  cost: counted('3·N per output element (difference, square, sum)', (call) => ({
    otherFlops: times(call.outputSize(), call.shape(0)?.[1], 3),
  })),
};

/** The cheapest path through a cost matrix, as (2, length). */
const DynamicTimeWarping: Operator = {
  infer: (call) => {
    shapeOfRank(call, 0, 2, 3);
    return [new TensorType('int32', [2, call.unknownSize(0, 1)])];
  },
  cost: perInput(3),
};

/** Whether all elements of all inputs are finite. */
const IsAllFinite: Operator = {
  infer: () => [new TensorType('bool', [])],
  cost: counted('1 per element of all inputs', (call) => ({
    otherFlops: total(...call.inputs.map((_, i) => call.inputSize(i))),
  })),
};

export const numericOperators: OperatorTable = {
  CDist,
  ComplexMul,
  ComplexMulConj: ComplexMul,
  DynamicTimeWarping,
  Inverse,
  Irfft,
  IsAllFinite,
  Rfft,
};

// Constants of quantised networks as floats, computed when they are read. One scale and zero point may hold for the
// whole tensor, for each slice along an axis, or for each block of elements along it.
import { type ComputedType, computedTensor, numbersIn } from '../graph/computed-tensor.js';
import { bitsOf, type DataType, isInteger, kindOf } from '../graph/dtype.js';
import type { Tensor } from '../graph/tensor.js';

export interface Blocks {
  /** Undefined where one number holds for all. */
  readonly axis: number | undefined;
  /** Elements of a block; 0 for slices. */
  readonly size: number;
}

export const NO_BLOCKS: Blocks = { axis: undefined, size: 0 };

interface TensorParameters {
  readonly scale: Tensor | undefined;
  readonly zeroPoint: Tensor | undefined;
}

export function isFloatType(dtype: DataType): dtype is ComputedType {
  return ['float16', 'bfloat16', 'float32', 'float64'].includes(dtype);
}

/** (q − zero point) · scale. */
export function dequantisedTensor(
  name: string,
  dtype: ComputedType,
  q: Tensor,
  parameters: TensorParameters,
  blocks: Blocks,
): Tensor {
  const tensor = computedTensor(name, dtype, q.dims, (from, to) => {
    const { scales, zeroPoints, which } = read(q.dims, parameters, blocks);
    const numbers = numbersIn(q, from, to);
    const out = new Float32Array(numbers.length);
    for (let i = 0; i < out.length; i++) {
      const at = which(from + i);
      out[i] = (numbers[i]! - zeroPoints[at % zeroPoints.length]!) * scales[at % scales.length]!;
    }
    return out;
  });
  return q.metadata ? { ...tensor, metadata: q.metadata } : tensor;
}

/** Floats rounded to integers of a type and scaled back. */
export function requantisedTensor(
  name: string,
  dtype: ComputedType,
  x: Tensor,
  parameters: TensorParameters,
  to: DataType,
  blocks: Blocks,
): Tensor {
  if (!isInteger(to)) return { ...x, name };
  const bits = bitsOf(to);
  const lowest = kindOf(to) === 'uint' ? 0 : -(2 ** (bits - 1));
  const highest = lowest + 2 ** bits - 1;
  const tensor = computedTensor(name, dtype, x.dims, (from, to) => {
    const { scales, zeroPoints, which } = read(x.dims, parameters, blocks);
    const numbers = numbersIn(x, from, to);
    const out = new Float32Array(numbers.length);
    for (let i = 0; i < out.length; i++) {
      const at = which(from + i);
      const [s, z] = [scales[at % scales.length]!, zeroPoints[at % zeroPoints.length]!];
      const q = Math.min(highest, Math.max(lowest, roundHalfEven(Math.fround(numbers[i]! / s)) + z));
      out[i] = (q - z) * s;
    }
    return out;
  });
  return x.metadata ? { ...tensor, metadata: x.metadata } : tensor;
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

interface ReadParameters {
  readonly scales: ArrayLike<number>;
  readonly zeroPoints: ArrayLike<number>;
  /** Which of them an element has. */
  which(index: number): number;
}

function read(
  dims: readonly number[],
  { scale, zeroPoint }: TensorParameters,
  { axis, size }: Blocks,
): ReadParameters {
  const scales = scale ? numbersIn(scale) : [1];
  const zeroPoints = zeroPoint ? numbersIn(zeroPoint) : [0];
  if (axis === undefined) return { scales, zeroPoints, which: () => 0 };
  const inner = dims.slice(axis + 1).reduce((n, d) => n * d, 1);
  const along = dims[axis]!;
  if (size === 0) return { scales, zeroPoints, which: (i) => Math.floor(i / inner) % along };
  const blocks = Math.ceil(along / size);
  return {
    scales,
    zeroPoints,
    which: (i) => {
      const slice = Math.floor(i / inner);
      const block = Math.floor((slice % along) / size);
      return (Math.floor(slice / along) * blocks + block) * inner + (i % inner);
    },
  };
}

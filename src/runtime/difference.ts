// How far two results of running networks are from each other.
import { type DataType, isFloat } from '../graph/dtype.js';
import { fromBytes, tensorNumbers } from '../graph/tensor.js';
import type { HostTensor } from './session.js';

export interface OutputDifference {
  readonly name: string;
  /** Largest difference of two elements; infinite where shapes differ, or only one is a number. */
  readonly absolute: number;
  /** The same, relative to the largest number of the first; 0 where it is rounding alone. */
  readonly relative: number;
  /** Of both as vectors; 1 where they point the same way. */
  readonly cosine: number;
}

/**
 * How far apart two results are.
 *
 * @param rounding a difference that rounding alone may make, however small the numbers are
 */
export function difference(
  name: string,
  a: HostTensor,
  b: HostTensor | undefined,
  rounding = 0,
): OutputDifference {
  const apart = { name, absolute: Number.POSITIVE_INFINITY, relative: Number.POSITIVE_INFINITY, cosine: 0 };
  const isComparable = b !== undefined && (a.type === b.type || (isFloat(a.type) && isFloat(b.type)));
  if (!isComparable || String(a.dims) !== String(b.dims)) return apart;
  const [x, y] = [numbersOf(a), numbersOf(b)];
  let [absolute, largest, dot, own, other] = [0, 0, 0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    if (Object.is(x[i], y[i]) && !Number.isFinite(Number(x[i]))) continue;
    const [p, q] = [Number(x[i]), Number(y[i])];
    const gap = Math.abs(p - q);
    if (!(gap < Number.POSITIVE_INFINITY)) return apart;
    absolute = Math.max(absolute, gap);
    largest = Math.max(largest, Math.abs(p));
    dot += p * q;
    own += p * p;
    other += q * q;
  }
  if (absolute === 0) return { name, absolute, relative: 0, cosine: 1 };
  return {
    name,
    absolute,
    relative: absolute <= rounding ? 0 : absolute / (largest || absolute),
    cosine: dot / Math.sqrt(own * other) || 0,
  };
}

/** Elements; halves come as their bits. */
export function numbersOf({ type, data, dims }: HostTensor): ArrayLike<number | bigint | string> {
  if ((type as DataType) !== 'float16') return data as never;
  const bits = data as Uint16Array;
  return tensorNumbers(
    fromBytes('', 'float16', dims, new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength)),
  );
}

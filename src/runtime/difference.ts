// How far two results of running networks are from each other.
import type { DataType } from '../graph/dtype.js';
import { fromBytes, tensorNumbers } from '../graph/tensor.js';
import type { HostTensor } from './session.js';

export interface OutputDifference {
  readonly name: string;
  /** Largest difference of two elements; infinite where shapes differ, or only one is a number. */
  readonly absolute: number;
  /** The same, relative to the largest number of the first. */
  readonly relative: number;
}

/** How far apart two results are. */
export function difference(name: string, a: HostTensor, b: HostTensor | undefined): OutputDifference {
  const apart = { name, absolute: Number.POSITIVE_INFINITY, relative: Number.POSITIVE_INFINITY };
  if (b === undefined || a.type !== b.type || String(a.dims) !== String(b.dims)) return apart;
  const [x, y] = [numbersOf(a), numbersOf(b)];
  if (typeof x[0] === 'string')
    return x.every((text, i) => text === y[i]) ? { name, absolute: 0, relative: 0 } : apart;
  let [absolute, largest] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    const [own, other] = [Number(x[i]), Number(y[i])];
    if (Object.is(own, other) || own === other) {
      if (Number.isFinite(own)) largest = Math.max(largest, Math.abs(own));
      continue;
    }
    const gap = Math.abs(own - other);
    if (!(gap < Number.POSITIVE_INFINITY)) return apart;
    absolute = Math.max(absolute, gap);
    largest = Math.max(largest, Math.abs(own));
  }
  return { name, absolute, relative: absolute === 0 ? 0 : absolute / (largest || absolute) };
}

/** Elements; halves come as their bits. */
function numbersOf({
  type,
  data,
  dims,
}: HostTensor): ArrayLike<number | bigint | string> & { every: unknown[]['every'] } {
  if ((type as DataType) !== 'float16') return data as never;
  const bits = data as Uint16Array;
  const bytes = new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength);
  return tensorNumbers(fromBytes('', 'float16', dims, bytes));
}

// A tensor whose elements are computed from others when someone reads them: a constant of a transformed network costs
// nothing until then, and is not kept afterwards.
import { ByteRange, type ByteSource } from '../util/bytes.js';
import { bytesFor } from './dtype.js';
import { elementCount, fromNumbers, type Tensor, tensorBytes } from './tensor.js';

/** Types whose elements are written from numbers. */
export type ComputedType = 'float16' | 'bfloat16' | 'float32' | 'float64';

/** @param compute all elements in order, as often as they are asked for. */
export function computedTensor(
  name: string,
  dtype: ComputedType,
  dims: readonly number[],
  compute: () => ArrayLike<number>,
): Tensor {
  const source = new ComputedSource(bytesFor(dtype, elementCount({ dims })), () =>
    tensorBytes(fromNumbers(name, dtype, dims, compute())),
  );
  return { name, dtype, dims, data: { kind: 'raw', bytes: new ByteRange(source, 0, source.size) } };
}

/** Small results are kept, as they are asked for piece by piece. */
const KEPT_BYTES = 65_536;

class ComputedSource implements ByteSource {
  readonly size: number;
  readonly windowBytes = Number.POSITIVE_INFINITY;
  readonly #compute: () => Uint8Array;
  #kept: Uint8Array | undefined;

  constructor(size: number, compute: () => Uint8Array) {
    this.size = size;
    this.#compute = compute;
  }

  read(offset: number, length: number): Uint8Array {
    const bytes = this.#kept ?? this.#compute();
    if (this.size <= KEPT_BYTES) this.#kept = bytes;
    return bytes.subarray(offset, offset + length);
  }
}

// A tensor whose elements are computed from others when someone reads them: a constant of a transformed network costs
// nothing until then, and is not kept afterwards. Of a part, only that part is computed.
import { ByteRange, type ByteSource } from '../util/bytes.js';
import { bitsOf, bytesFor } from './dtype.js';
import { elementCount, fromNumbers, rawRange, type Tensor, tensorBytes, tensorNumbers } from './tensor.js';

/** Types whose elements are written from numbers. */
export type ComputedType = 'float16' | 'bfloat16' | 'float32' | 'float64';

/** Elements `from` … `to` − 1, in order. */
type Compute = (from: number, to: number) => ArrayLike<number>;

export function computedTensor(
  name: string,
  dtype: ComputedType,
  dims: readonly number[],
  compute: Compute,
): Tensor {
  const source = new ComputedSource(name, dtype, elementCount({ dims }), compute);
  return { name, dtype, dims, data: { kind: 'raw', bytes: new ByteRange(source, 0, source.size) } };
}

class ComputedSource implements ByteSource {
  readonly size: number;
  readonly windowBytes = Number.POSITIVE_INFINITY;
  readonly #name: string;
  readonly #dtype: ComputedType;
  readonly #compute: Compute;

  constructor(name: string, dtype: ComputedType, count: number, compute: Compute) {
    this.#name = name;
    this.#dtype = dtype;
    this.size = bytesFor(dtype, count);
    this.#compute = compute;
  }

  read(offset: number, length: number): Uint8Array {
    const width = bitsOf(this.#dtype) / 8;
    const from = Math.floor(offset / width);
    const to = Math.ceil((offset + length) / width);
    const bytes = tensorBytes(fromNumbers(this.#name, this.#dtype, [to - from], this.#compute(from, to)));
    return bytes.subarray(offset - from * width, offset - from * width + length);
  }
}

/** Elements of a tensor; of one that is stored as bytes, the others are not read. */
export function numbersIn(tensor: Tensor, from = 0, to = elementCount(tensor)): ArrayLike<number> {
  const raw = rawRange(tensor);
  const bits = bitsOf(tensor.dtype);
  if (raw === undefined || raw.length !== bytesFor(tensor.dtype, elementCount(tensor))) {
    const all = tensorNumbers(tensor);
    return from === 0 && to === all.length ? all : all.slice(from, to);
  }
  // Several numbers may share a byte.
  const first = bits < 8 ? from - (from % (8 / bits)) : from;
  const start = (first * bits) / 8;
  const bytes = new ByteRange(raw.source, raw.offset + start, bytesFor(tensor.dtype, to - first));
  if (tensor.dtype === 'uint8') return bytes.read();
  if (tensor.dtype === 'int8') {
    const read = bytes.read();
    return new Int8Array(read.buffer, read.byteOffset, read.length);
  }
  const part = tensorNumbers({ ...tensor, dims: [to - first], data: { kind: 'raw', bytes } });
  return first === from ? part : part.slice(from - first);
}

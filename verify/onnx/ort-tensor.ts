// Tensors to and from onnxruntime-node, which knows fewer element types than ONNX.
import { Tensor as OrtTensor } from 'onnxruntime-node';
import type { DataType } from '../../src/graph/dtype.js';
import { type Tensor, tensorBytes } from '../../src/graph/tensor.js';

type TypedArray =
  | typeof Float32Array
  | typeof Float64Array
  | typeof BigInt64Array
  | typeof BigUint64Array
  | typeof Int32Array
  | typeof Uint32Array
  | typeof Int16Array
  | typeof Uint16Array
  | typeof Int8Array
  | typeof Uint8Array;

const ARRAYS: Partial<Record<DataType, TypedArray>> = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

const utf8 = new TextDecoder();

/** The tensor as ONNX Runtime takes it; undefined for an element type that cannot be given from JavaScript. */
export function toOrt(tensor: Tensor): OrtTensor | undefined {
  const { dtype, dims, data } = tensor;
  if (data.kind === 'strings') {
    return new OrtTensor(
      'string',
      data.values.map((text) => utf8.decode(text)),
      dims,
    );
  }
  const array = ARRAYS[dtype];
  // A copy of its own, so that the bytes are aligned.
  return (
    array &&
    new OrtTensor(dtype as OrtTensor.Type, new array(Uint8Array.from(tensorBytes(tensor)).buffer), dims)
  );
}

/** Whether two results have the same type, shape and bits. */
export function sameTensor(a: OrtTensor, b: OrtTensor, withData: boolean): boolean {
  if (a.type !== b.type || a.dims.join() !== b.dims.join()) return false;
  return !withData || Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

/** Whether two results have the same type and shape, and numbers that are close, by the largest one; NaN is close to itself. */
export function closeTensor(a: OrtTensor, b: OrtTensor, tolerance: number): boolean {
  if (!sameTensor(a, b, false)) return false;
  if (Array.isArray(a.data) || !/^float(32|64)$/.test(a.type)) return sameTensor(a, b, true);
  const [x, y] = [a.data as Float32Array, b.data as Float32Array];
  const largest = x.reduce(
    (most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most),
    0,
  );
  return x.every((value, i) => {
    const other = y[i]!;
    return Object.is(value, other) || Math.abs(value - other) <= tolerance * largest;
  });
}

function bytesOf({ data }: OrtTensor): Uint8Array {
  if (Array.isArray(data)) return Buffer.from(JSON.stringify(data));
  const { buffer, byteOffset, byteLength } = data as Exclude<OrtTensor.DataType, string[]>;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

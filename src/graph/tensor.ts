// A tensor with data: an initializer, a constant, an attribute. The data stays where it was found (a range of
// the file, another file, ONNX's typed fields) until its elements are asked for.
import { ByteRange } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import { bitsOf, bytesFor, type DataType, kindOf } from './dtype.js';

/** Finds the files that external data lives in. */
export interface ExternalFiles {
  /** The whole of a file named by `location`. Throws an AuspexError when it is missing or not allowed. */
  open(location: string): ByteRange;
}

export type TensorData =
  /** Little-endian elements, packed, as ONNX's `raw_data`. */
  | { readonly kind: 'raw'; readonly bytes: ByteRange }
  /** ONNX's `float_data`, `int32_data` …: packed protobuf scalars, possibly in several pieces. */
  | { readonly kind: 'fields'; readonly field: TypedField; readonly chunks: readonly ByteRange[] }
  | { readonly kind: 'strings'; readonly values: readonly Uint8Array[] }
  /** In a file beside the model. */
  | {
      readonly kind: 'external';
      readonly location: string;
      readonly offset: number;
      readonly length: number | undefined;
      readonly checksum?: string;
      readonly files?: ExternalFiles;
    };

export type TypedField = 'float_data' | 'int32_data' | 'int64_data' | 'double_data' | 'uint64_data';

export interface Tensor {
  readonly name: string;
  readonly dtype: DataType;
  readonly dims: readonly number[];
  readonly data: TensorData;
  readonly docString?: string;
  readonly metadata?: ReadonlyMap<string, string>;
}

export interface SparseTensor {
  readonly values: Tensor;
  readonly indices: Tensor;
  readonly dims: readonly number[];
}

export function elementCount(tensor: Pick<Tensor, 'dims'>): number {
  const { dims } = tensor;
  // Not by multiplying, as sides beyond 2^1024 times 0 would be NaN.
  if (dims.includes(0)) return 0;
  let count = 1;
  for (let i = 0; i < dims.length; i++) count *= dims[i]!;
  return count;
}

/** Bytes the elements take when stored as raw data; for strings, the bytes of the texts. */
export function tensorByteLength(tensor: Tensor): number {
  if (tensor.data.kind === 'strings') return tensor.data.values.reduce((n, s) => n + s.length, 0);
  return bytesFor(tensor.dtype, elementCount(tensor));
}

/** Whether the elements can be read right now without touching a missing file. */
export function hasData(tensor: Tensor): boolean {
  return tensor.data.kind !== 'external' || tensor.data.files !== undefined;
}

/**
 * A part of a tensor's raw bytes, without reading the rest; undefined where the data is not stored as bytes.
 */
export function rawRange(tensor: Tensor): ByteRange | undefined {
  const { data } = tensor;
  if (data.kind === 'raw') return data.bytes;
  if (data.kind !== 'external' || data.files === undefined) return undefined;
  const file = data.files.open(data.location);
  const length = data.length ?? tensorByteLength(tensor);
  return new ByteRange(file.source, file.offset + data.offset, length);
}

/** The elements as raw little-endian bytes, from wherever they are stored. Not for strings. */
export function tensorBytes(tensor: Tensor): Uint8Array {
  const { data } = tensor;
  const expected = tensorByteLength(tensor);
  if (data.kind === 'fields') return rawFromFields(tensor, data.field, data.chunks, expected);
  if (data.kind === 'strings') throw dataError(tensor, 'is a tensor of strings, which have no raw bytes');
  const range = rawRange(tensor);
  if (range === undefined) {
    throw dataError(
      tensor,
      `has its data in '${(data as { location: string }).location}', which was not given`,
      'DATA_MISSING',
    );
  }
  if (range.length !== expected) {
    throw dataError(tensor, `has ${range.length} bytes of data where its type and shape need ${expected}`);
  }
  return range.read();
}

function dataError(tensor: Tensor, what: string, code = 'TENSOR_DATA'): AuspexError {
  const name = `tensor '${tensor.name}'`;
  return new AuspexError(code, `${name} (${tensor.dtype}[${tensor.dims}]) ${what}`, {
    where: { path: name },
  });
}

/**
 * The elements as numbers. Integers beyond ±2^53 are rounded to the nearest double, complex numbers are not
 * supported.
 */
export function tensorNumbers(tensor: Tensor): number[] {
  const count = elementCount(tensor);
  const raw = tensorBytes(tensor);
  const read = ELEMENT_READERS[tensor.dtype];
  if (read === undefined) throw dataError(tensor, 'has elements that are not numbers');
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  const out = new Array<number>(count);
  for (let i = 0; i < count; i++) out[i] = read(view, i);
  return out;
}

type ElementReader = (view: DataView, index: number) => number;

/** A nibble or bit pair of a packed integer, low bits first. */
function packed(bits: 2 | 4, signed: boolean): ElementReader {
  const perByte = 8 / bits;
  const mask = (1 << bits) - 1;
  return (view, i) => {
    const value = (view.getUint8(Math.floor(i / perByte)) >> ((i % perByte) * bits)) & mask;
    return signed && value >> (bits - 1) ? value - (1 << bits) : value;
  };
}

/** A small float: 1 sign bit, then exponent and mantissa. */
function minifloat(
  bits: number,
  exponentBits: number,
  bias: number,
  special: 'ieee' | 'fn' | 'fnuz' | 'finite',
): (pattern: number) => number {
  const mantissaBits = bits - 1 - exponentBits;
  const maxExponent = (1 << exponentBits) - 1;
  const maxMantissa = (1 << mantissaBits) - 1;
  return (pattern) => {
    const negative = pattern >> (bits - 1) !== 0;
    const exponent = (pattern >> mantissaBits) & maxExponent;
    const mantissa = pattern & maxMantissa;
    if (special === 'fnuz' && negative && exponent === 0 && mantissa === 0) return Number.NaN;
    if (special === 'ieee' && exponent === maxExponent) {
      return mantissa !== 0 ? Number.NaN : negative ? -Infinity : Infinity;
    }
    if (special === 'fn' && exponent === maxExponent && mantissa === maxMantissa) return Number.NaN;
    const magnitude =
      exponent === 0
        ? mantissa * 2 ** (1 - bias - mantissaBits)
        : (1 + mantissa / (maxMantissa + 1)) * 2 ** (exponent - bias);
    return negative ? -magnitude : magnitude;
  };
}

const float16 = minifloat(16, 5, 15, 'ieee');
const float8e4m3fn = minifloat(8, 4, 7, 'fn');
const float8e4m3fnuz = minifloat(8, 4, 8, 'fnuz');
const float8e5m2 = minifloat(8, 5, 15, 'ieee');
const float8e5m2fnuz = minifloat(8, 5, 16, 'fnuz');
const float4e2m1 = minifloat(4, 2, 1, 'finite');
const nibble = packed(4, false);

const scratch = new DataView(new ArrayBuffer(4));
function bfloat16(pattern: number): number {
  scratch.setUint32(0, pattern * 65536);
  return scratch.getFloat32(0);
}

const ELEMENT_READERS: Partial<Record<DataType, ElementReader>> = {
  float32: (v, i) => v.getFloat32(4 * i, true),
  float64: (v, i) => v.getFloat64(8 * i, true),
  float16: (v, i) => float16(v.getUint16(2 * i, true)),
  bfloat16: (v, i) => bfloat16(v.getUint16(2 * i, true)),
  float8e4m3fn: (v, i) => float8e4m3fn(v.getUint8(i)),
  float8e4m3fnuz: (v, i) => float8e4m3fnuz(v.getUint8(i)),
  float8e5m2: (v, i) => float8e5m2(v.getUint8(i)),
  float8e5m2fnuz: (v, i) => float8e5m2fnuz(v.getUint8(i)),
  float8e8m0: (v, i) => (v.getUint8(i) === 255 ? Number.NaN : 2 ** (v.getUint8(i) - 127)),
  float4e2m1: (v, i) => float4e2m1(nibble(v, i)),
  int8: (v, i) => v.getInt8(i),
  uint8: (v, i) => v.getUint8(i),
  bool: (v, i) => (v.getUint8(i) !== 0 ? 1 : 0),
  int16: (v, i) => v.getInt16(2 * i, true),
  uint16: (v, i) => v.getUint16(2 * i, true),
  int32: (v, i) => v.getInt32(4 * i, true),
  uint32: (v, i) => v.getUint32(4 * i, true),
  // Both halves are exact; adding them rounds once, as a conversion would.
  int64: (v, i) => v.getInt32(8 * i + 4, true) * 2 ** 32 + v.getUint32(8 * i, true),
  uint64: (v, i) => v.getUint32(8 * i + 4, true) * 2 ** 32 + v.getUint32(8 * i, true),
  int4: packed(4, true),
  uint4: packed(4, false),
  int2: packed(2, true),
  uint2: packed(2, false),
};

/** Turns ONNX's typed fields into raw bytes. int32_data carries every type of up to 32 bits as bit patterns. */
function rawFromFields(
  tensor: Tensor,
  field: TypedField,
  chunks: readonly ByteRange[],
  byteLength: number,
): Uint8Array {
  const total = chunks.reduce((n, c) => n + c.length, 0);
  if (field === 'float_data' || field === 'double_data') {
    // Fixed-width little-endian already; complex numbers are pairs.
    if (total !== byteLength) throw dataError(tensor, `has ${total} bytes in ${field}, not ${byteLength}`);
    const out = new Uint8Array(byteLength);
    let at = 0;
    for (const chunk of chunks) {
      out.set(chunk.read(), at);
      at += chunk.length;
    }
    return out;
  }
  const bits = bitsOf(tensor.dtype);
  // Types under a byte come two or four to an int32, already packed.
  const unit = bits < 8 ? 1 : bits / 8;
  if (unit > 8 || kindOf(tensor.dtype) === 'string') throw dataError(tensor, `cannot be stored in ${field}`);
  const tooFew = (): AuspexError => dataError(tensor, `has fewer elements in ${field} than its shape`);
  // Every number takes a byte or more; seen before memory is taken for what the shape claims.
  if (total * unit < byteLength) throw tooFew();
  const out = new Uint8Array(byteLength);
  const view = new DataView(out.buffer);
  let at = 0;
  for (const chunk of chunks) {
    for (const value of varints(chunk.read(), tensor)) {
      if (at + unit > byteLength) throw dataError(tensor, `has more elements in ${field} than its shape`);
      if (unit === 1) view.setUint8(at, Number(value & 0xffn));
      else if (unit === 2) view.setUint16(at, Number(value & 0xffffn), true);
      else if (unit === 4) view.setUint32(at, Number(value & 0xffffffffn), true);
      else view.setBigUint64(at, value, true);
      at += unit;
    }
  }
  if (at !== byteLength) throw tooFew();
  return out;
}

function* varints(bytes: Uint8Array, tensor: Tensor): Generator<bigint> {
  let value = 0n;
  let shift = 0n;
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift;
    if (byte & 0x80) {
      shift += 7n;
      if (shift > 63n) throw dataError(tensor, 'has a number longer than ten bytes', 'ONNX_MALFORMED');
      continue;
    }
    yield BigInt.asUintN(64, value);
    value = 0n;
    shift = 0n;
  }
  if (shift !== 0n) throw dataError(tensor, 'has a list that ends inside a number', 'ONNX_MALFORMED');
}

/** A tensor from its raw little-endian bytes, which are not copied. */
export function fromBytes(name: string, dtype: DataType, dims: readonly number[], bytes: Uint8Array): Tensor {
  return { name, dtype, dims, data: { kind: 'raw', bytes: ByteRange.of(bytes) } };
}

/** Whether `fromNumbers` writes tensors of a type. */
export const isWritable = (dtype: DataType): boolean => ELEMENT_WRITERS[dtype] !== undefined;

/** A tensor from numbers. */
export function fromNumbers(
  name: string,
  dtype: DataType,
  dims: readonly number[],
  values: ArrayLike<number>,
): Tensor {
  const write = ELEMENT_WRITERS[dtype];
  if (write === undefined) throw new Error(`tensors of ${dtype} are not written from numbers`);
  if (values.length !== elementCount({ dims })) {
    throw new Error(`${values.length} numbers do not make a tensor of shape [${dims}]`);
  }
  const NumberArray = IS_LITTLE_ENDIAN ? NUMBER_ARRAYS[dtype] : undefined;
  if (NumberArray) {
    const { buffer } = new NumberArray(values);
    return fromBytes(name, dtype, dims, new Uint8Array(buffer));
  }
  const bytes = new Uint8Array(bytesFor(dtype, values.length));
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) write(view, i, values[i]!);
  return fromBytes(name, dtype, dims, bytes);
}

/** Arrays whose bytes are those of a tensor where the machine's own order is that of files: much faster. */
const NUMBER_ARRAYS: Partial<Record<DataType, typeof Float32Array | typeof Float64Array>> = {
  float32: Float32Array,
  float64: Float64Array,
};
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

type ElementWriter = (view: DataView, index: number, value: number) => void;

const ELEMENT_WRITERS: Partial<Record<DataType, ElementWriter>> = {
  float32: (v, i, x) => v.setFloat32(4 * i, x, true),
  float64: (v, i, x) => v.setFloat64(8 * i, x, true),
  float16: (v, i, x) => v.setUint16(2 * i, float16Pattern(x), true),
  bfloat16: (v, i, x) => v.setUint16(2 * i, bfloat16Pattern(x), true),
  int8: (v, i, x) => v.setInt8(i, x),
  uint8: (v, i, x) => v.setUint8(i, x),
  bool: (v, i, x) => v.setUint8(i, x === 0 ? 0 : 1),
  int16: (v, i, x) => v.setInt16(2 * i, x, true),
  uint16: (v, i, x) => v.setUint16(2 * i, x, true),
  int32: (v, i, x) => v.setInt32(4 * i, x, true),
  uint32: (v, i, x) => v.setUint32(4 * i, x, true),
  int64: (v, i, x) => v.setBigInt64(8 * i, BigInt(x), true),
  uint64: (v, i, x) => v.setBigUint64(8 * i, BigInt(x), true),
};

/** The nearest bfloat16: the upper half of a float32, rounded to even. */
function bfloat16Pattern(x: number): number {
  scratch.setFloat32(0, x);
  const bits = scratch.getUint32(0);
  if (Number.isNaN(x)) return (bits >>> 16) | 0x40;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** The nearest float16; what is too large becomes infinite. */
function float16Pattern(x: number): number {
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(x);
  if (Number.isNaN(x)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  const exponent = Math.max(-14, Math.floor(Math.log2(magnitude || 2 ** -24)));
  // In units of the last place; rounding up may carry into the exponent, as it should.
  const units = roundHalfEven(magnitude * 2 ** (10 - exponent));
  return sign | (units + (magnitude < 2 ** -14 ? 0 : (exponent + 14) << 10));
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

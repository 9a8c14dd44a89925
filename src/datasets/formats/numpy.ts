// Arrays, scalars and element types of NumPy as pickles hold them. Pickles make an empty one first and set its state
// later, when others may refer to it already; so these objects change in place.
import type { PickleValue } from './pickle-values.js';

/** Called with the number of elements that are about to be copied; throws when it was too much. */
export type Spend = (count: number) => void;

type Element = (view: DataView, at: number, isLittle: boolean) => number | bigint;

/** How one element is read, by the type's letter and bytes. */
const ELEMENTS: Readonly<Record<string, Element>> = {
  f8: (view, at, isLittle) => view.getFloat64(at, isLittle),
  f4: (view, at, isLittle) => view.getFloat32(at, isLittle),
  f2: (view, at, isLittle) => float16(view.getUint16(at, isLittle)),
  i8: (view, at, isLittle) => view.getBigInt64(at, isLittle),
  i4: (view, at, isLittle) => view.getInt32(at, isLittle),
  i2: (view, at, isLittle) => view.getInt16(at, isLittle),
  i1: (view, at) => view.getInt8(at),
  u8: (view, at, isLittle) => view.getBigUint64(at, isLittle),
  u4: (view, at, isLittle) => view.getUint32(at, isLittle),
  u2: (view, at, isLittle) => view.getUint16(at, isLittle),
  u1: (view, at) => view.getUint8(at),
  b1: (view, at) => view.getUint8(at),
};

/** The type of an array's elements: `f8`, `i4`, `U12` (text of 12 characters), `O` (anything). */
export class NumpyType {
  readonly name: string;
  isLittleEndian: boolean;

  constructor(name: string) {
    this.name = name.replace(/^[<>|=]/, '');
    this.isLittleEndian = !name.startsWith('>');
  }

  /** Bytes of one element; undefined for types that are not read, such as records and dates. */
  get bytes(): number | undefined {
    if (Object.hasOwn(ELEMENTS, this.name)) return Number(this.name.slice(1));
    const text = /^([US])(\d{1,6})$/.exec(this.name);
    return text ? Number(text[2]) * (text[1] === 'U' ? 4 : 1) : undefined;
  }

  /** The element at an offset. */
  read(view: DataView, at: number): number | bigint | string | boolean {
    const read = Object.hasOwn(ELEMENTS, this.name) ? ELEMENTS[this.name] : undefined;
    if (read === undefined) return this.#text(view, at);
    const value = read(view, at, this.isLittleEndian);
    if (this.name === 'b1') return value !== 0;
    return typeof value === 'number' || BigInt.asIntN(53, value) !== value ? value : Number(value);
  }

  #text(view: DataView, at: number): string {
    const step = this.name.startsWith('U') ? 4 : 1;
    let text = '';
    let length = 0;
    for (let i = at; i < at + this.bytes!; i += step) {
      const code = step === 4 ? view.getUint32(i, this.isLittleEndian) : view.getUint8(i);
      text += String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd);
      if (code !== 0) length = text.length;
    }
    // Shorter texts are filled up with zeros.
    return text.slice(0, length);
  }
}

/** Elements one after the other in the order of the file; numbers below 2^53 as a `Float64Array`. */
export class NumpyArray {
  /** Undefined until the array was filled, and in those of types that are not read. */
  values: Float64Array | PickleValue[] | undefined;
  shape: number[] = [];
  /** The first index changes fastest. */
  isFortran = false;

  /** The state that a pickle sets: version, shape, type, order, bytes or list of objects. */
  fill(state: readonly PickleValue[], spend: Spend): void {
    const [shape, type, isFortran, raw] = state.slice(-4);
    if (!(type instanceof NumpyType) || raw === undefined) return;
    this.isFortran = isFortran === true || isFortran === 1;
    this.#set(type, shape, raw, spend);
  }

  static fromBuffer([raw, type, shape, order]: readonly PickleValue[], spend: Spend): NumpyArray | undefined {
    if (!(type instanceof NumpyType) || raw === undefined) return undefined;
    const array = new NumpyArray();
    array.isFortran = order === 'F';
    array.#set(type, shape, raw, spend);
    return array;
  }

  #set(type: NumpyType, shape: PickleValue | undefined, raw: PickleValue, spend: Spend): void {
    if (!Array.isArray(shape) || !shape.every((size) => Number.isInteger(size) && (size as number) >= 0))
      return;
    const count = (shape as number[]).reduce((product, size) => product * size, 1);
    if (Array.isArray(raw) ? raw.length !== count : !(count <= 2 ** 31)) return;
    spend(count);
    this.shape = shape as number[];
    this.values = Array.isArray(raw) ? raw : elements(type, count, raw);
  }
}

function elements(type: NumpyType, count: number, raw: PickleValue): NumpyArray['values'] {
  const bytes = bytesOf(raw);
  const size = type.bytes;
  if (bytes === undefined || size === undefined || bytes.length !== count * size) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!/^(?:f[248]|[iu][124])$/.test(type.name)) {
    return Array.from({ length: count }, (_, i) => type.read(view, i * size));
  }
  const read = ELEMENTS[type.name]!;
  return Float64Array.from({ length: count }, (_, i) => read(view, i * size, type.isLittleEndian) as number);
}

/** A scalar: type and bytes. */
export function numpyScalar([type, raw]: readonly PickleValue[]): PickleValue | undefined {
  if (!(type instanceof NumpyType) || raw === undefined) return undefined;
  const bytes = bytesOf(raw);
  if (bytes === undefined || type.bytes === undefined || bytes.length !== type.bytes) return undefined;
  return type.read(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0);
}

function float16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Bytes, also those that Python 2 or protocols before 3 wrote as text. */
export function bytesOf(value: PickleValue): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'string') return undefined;
  const out = new Uint8Array(value.length);
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code > 0xff) return undefined;
    out[i] = code;
  }
  return out;
}

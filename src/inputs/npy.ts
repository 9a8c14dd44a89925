// Arrays as numpy saves and loads them (Node only): `np.save('images.npy', x)`. Format: NEP 1, versions 1 to 3.
import { readBytes } from '../onnx/file.js';
import type { TypedArray } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';

export interface NpyArray {
  readonly dims: readonly number[];
  /** In the order of C: the last dimension runs fastest. */
  readonly data: TypedArray;
}

type ArrayType = new (buffer: ArrayBuffer) => TypedArray;

/** By numpy's own names, of little-endian numbers. */
const TYPES: Readonly<Record<string, ArrayType>> = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  i8: BigInt64Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  u8: BigUint64Array,
  b1: Uint8Array,
};

const MAGIC = '\x93NUMPY';

/** Codes: FILE_UNREADABLE, NPY_FORMAT. */
export function readNpy(path: string): NpyArray {
  return decodeNpy(readBytes(path), path);
}

/** The array in the bytes of a file. */
export function decodeNpy(bytes: Buffer, path: string): NpyArray {
  const wrong = (message: string, hint = "write it with numpy: np.save('file.npy', array)"): AuspexError =>
    new AuspexError('NPY_FORMAT', message, { where: { file: path }, hint });
  if (bytes.length < 12 || bytes.toString('latin1', 0, 6) !== MAGIC)
    throw wrong('the file is not a .npy array');
  const isShort = bytes[6] === 1;
  const start = isShort ? 10 : 12;
  const end = start + (isShort ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8));
  const header = bytes.toString('latin1', start, Math.min(end, start + 10_000));
  const [, order, type] = /'descr'\s*:\s*'([<|=]?)(\w+)'/.exec(header) ?? [];
  const [, sizes] = /'shape'\s*:\s*\(([\d\s,]*)\)/.exec(header) ?? [];
  const make = type !== undefined && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (order === undefined || sizes === undefined || make === undefined) {
    throw wrong(
      `its array is not of numbers that are read: ${printableStart(header.trim(), 100)}`,
      'save little-endian floats, integers or booleans, as array.astype("float32")',
    );
  }
  if (/'fortran_order'\s*:\s*True/.test(header)) {
    throw wrong('its array is in the order of Fortran', 'save numpy.ascontiguousarray(array)');
  }
  const dims = sizes.split(',').flatMap((size) => (size.trim() === '' ? [] : [Number(size)]));
  const count = dims.reduce((n, d) => n * d, 1);
  const data = bytes.subarray(end);
  const length = count * Number(type!.slice(1));
  if (data.length !== length) {
    throw wrong(`an array [${dims}] of ${type} takes ${length} bytes, and the file has ${data.length}`);
  }
  // Copied, as views of wider numbers must begin at a multiple of their size.
  return { dims, data: new make(Uint8Array.from(data).buffer) };
}

const NAMES = new Map<unknown, string>([
  [Float32Array, '<f4'],
  [Float64Array, '<f8'],
  [Int32Array, '<i4'],
  [Uint8Array, '|u1'],
]);

/** What `np.load` reads. Texts become an array of type `U`. */
export function encodeNpy(dims: readonly number[], data: TypedArray | readonly string[]): Buffer {
  const { descr, bytes } = elementsOf(data);
  const shape = dims.length === 1 ? `${dims[0]},` : dims.join(', ');
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  // Data begins at a multiple of 64 bytes.
  const length = Math.ceil((header.length + 11) / 64) * 64 - 10;
  const start = Buffer.alloc(10);
  start.write(`${MAGIC}\x01\x00`, 'latin1');
  start.writeUInt16LE(length, 8);
  return Buffer.concat([start, Buffer.from(`${header.padEnd(length - 1)}\n`, 'latin1'), bytes]);
}

function elementsOf(data: TypedArray | readonly string[]): { descr: string; bytes: Buffer } {
  if (ArrayBuffer.isView(data)) {
    const descr = NAMES.get(data.constructor);
    if (descr === undefined) throw new TypeError(`${data.constructor.name} is not written as .npy`);
    return { descr, bytes: bytesOf(data) };
  }
  const texts = (data as readonly string[]).map((text) => [...text]);
  const width = Math.max(1, ...texts.map(({ length }) => length));
  const bytes = Buffer.alloc(4 * width * texts.length);
  texts.forEach((characters, i) => {
    characters.forEach((character, k) => {
      bytes.writeUInt32LE(character.codePointAt(0)!, 4 * (i * width + k));
    });
  });
  return { descr: `<U${width}`, bytes };
}

function bytesOf({ buffer, byteOffset, byteLength }: TypedArray): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** The texts in the bytes of an array of type `U`; undefined where it is none. */
export function decodeTexts(bytes: Buffer): string[] | undefined {
  const end = 10 + bytes.readUInt16LE(8);
  const [, width] = /'descr'\s*:\s*'<U(\d{1,6})'/.exec(bytes.toString('latin1', 10, end)) ?? [];
  if (width === undefined || Number(width) === 0) return undefined;
  const size = 4 * Number(width);
  return Array.from({ length: Math.floor((bytes.length - end) / size) }, (_, i) => {
    const codes = Array.from({ length: Number(width) }, (_, k) => bytes.readUInt32LE(end + i * size + 4 * k));
    const last = codes.findLastIndex((code) => code !== 0);
    return String.fromCodePoint(...codes.slice(0, last + 1));
  });
}

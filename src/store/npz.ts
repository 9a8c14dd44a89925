// Several arrays in one file, as `np.savez_compressed` writes and `np.load` reads them: a zip archive of .npy files. The same
// arrays give the same bytes.
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { DEFLATED, isZip, STORED, zipEntries } from '../datasets/formats/zip.js';
import { decodeNpy, decodeTexts, encodeNpy, type NpyArray } from '../inputs/npy.js';
import { readBytes } from '../onnx/file.js';
import type { TypedArray } from '../runtime/session.js';
import { MemorySource } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';

export interface NpzEntry {
  readonly dims: readonly number[];
  readonly data: TypedArray | readonly string[];
}

/** Bytes of an entry; more is a bomb. */
const MAX_ENTRY = 2 ** 31;
/** 1 January 1980, which is the least that a zip archive can say. */
const DATE = 0x21;
const VERSION = 20;

/** Code: FILE_UNREADABLE, NPZ_FORMAT, NPY_FORMAT. */
export function readNpz(path: string): Npz {
  const bytes = readBytes(path);
  const fail = (problem: string, hint = "write it with numpy: np.savez('file.npz', x=array)"): AuspexError =>
    new AuspexError('NPZ_FORMAT', `this file is not a .npz archive: ${problem}`, {
      where: { file: path },
      hint,
    });
  const source = new MemorySource(bytes);
  if (!isZip(source.read(0, Math.min(4, source.size)))) throw fail('it is not a zip archive');
  const entries = new Map<string, Buffer>();
  for (const { name, method, from, to, size } of zipEntries(source, fail)) {
    if (method !== STORED && method !== DEFLATED) throw fail(`'${name}' is packed in an unknown way`);
    if (size > MAX_ENTRY) throw fail(`'${name}' is larger than 2 GB`);
    const packed = bytes.subarray(from, to);
    try {
      const data = method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: size + 1 });
      if (data.length !== size) throw fail(`'${name}' has ${data.length} bytes, not ${size}`);
      entries.set(name.replace(/\.npy$/, ''), data);
    } catch (cause) {
      throw cause instanceof AuspexError ? cause : fail(`'${name}' is damaged`);
    }
  }
  return new Npz(path, entries, fail);
}

/** Arrays by name. */
class Npz {
  readonly #path: string;
  readonly #entries: ReadonlyMap<string, Buffer>;
  readonly #fail: (problem: string) => AuspexError;

  constructor(path: string, entries: ReadonlyMap<string, Buffer>, fail: (problem: string) => AuspexError) {
    this.#path = path;
    this.#entries = entries;
    this.#fail = fail;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  array(name: string): NpyArray {
    return decodeNpy(this.#bytes(name), this.#path);
  }

  texts(name: string): string[] {
    const found = decodeTexts(this.#bytes(name));
    if (found === undefined) throw this.#fail(`'${name}' is not an array of texts`);
    return found;
  }

  #bytes(name: string): Buffer {
    const bytes = this.#entries.get(name);
    if (bytes === undefined || bytes.length < 12) throw this.#fail(`it has no array '${name}'`);
    return bytes;
  }
}

/** What `np.load` reads as a dictionary of arrays. */
export function encodeNpz(arrays: Readonly<Record<string, NpzEntry>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, { dims, data }] of Object.entries(arrays)) {
    const content = encodeNpy(dims, data);
    const packed = deflateRawSync(content, { level: 9 });
    const file = Buffer.from(`${name}.npy`);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(file.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, file, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, file]));
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, index, end]);
}

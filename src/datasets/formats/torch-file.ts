// Files of `torch.save`: a zip archive since PyTorch 1.6, before that a few pickles in a row. Weights stay where they
// are; what is wanted is the pickle with everything else.
import type { ByteSource } from '../../util/bytes.js';
import { AuspexError } from '../../util/errors.js';
import { chunksOf } from './chunks.js';
import { type PickleOptions, PickleReader } from './pickle.js';
import type { PickleValue } from './pickle-values.js';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_RECORD = 0x06054b50;
const END_RECORD_64 = 0x06064b50;
const END_LOCATOR_64 = 0x07064b50;
const STORED = 0;
/** Sizes and offsets of 32 bits that say: see the field of 64 bits. */
const SEE_64 = 0xffffffff;

/** The number that files before 1.6 begin with. */
const LEGACY_MAGIC = 0x1950a86a20f9469cfc6cn;
const LEGACY_PROTOCOL = 1001;

export function isZip(head: Uint8Array): boolean {
  return head.length >= 4 && view(head).getUint32(0, true) === LOCAL_HEADER;
}

/** The object in a file of `torch.save`, of either kind, or in a plain pickle. */
export function readTorchFile(source: ByteSource, options: PickleOptions = {}): PickleValue {
  if (isZip(source.read(0, Math.min(4, source.size)))) {
    const { from, to } = zipEntry(source, (name) => name === 'data.pkl' || name.endsWith('/data.pkl'));
    return new PickleReader(chunksOf(source, from, to), options).read();
  }
  return readPickles(chunksOf(source), options);
}

/** The object in bytes that are a pickle, or pickles as PyTorch before 1.6 wrote them. */
export function readPickles(chunks: Iterable<Uint8Array>, options: PickleOptions = {}): PickleValue {
  const reader = new PickleReader(chunks, options);
  const first = reader.read();
  if (first !== LEGACY_MAGIC) return first;
  const protocol = reader.read();
  if (protocol !== LEGACY_PROTOCOL) {
    throw new AuspexError('TORCH_FILE', 'the PyTorch file has an unknown version', {
      hint: 'load it with PyTorch and save it again',
    });
  }
  // What the machine was like that wrote it.
  reader.read();
  return reader.read();
}

/** Where the bytes of an entry lie. */
function zipEntry(source: ByteSource, isWanted: (name: string) => boolean): { from: number; to: number } {
  const { at, count, size } = zipDirectory(source);
  const bytes = read(source, at, size);
  const directory = view(bytes);
  let place = 0;
  for (let i = 0; i < count && place + 46 <= size; i++) {
    if (directory.getUint32(place, true) !== CENTRAL_HEADER) break;
    const method = directory.getUint16(place + 10, true);
    const nameLength = directory.getUint16(place + 28, true);
    const extraLength = directory.getUint16(place + 30, true);
    const next = place + 46 + nameLength + extraLength + directory.getUint16(place + 32, true);
    if (next > size) break;
    const name = new TextDecoder().decode(bytes.subarray(place + 46, place + 46 + nameLength));
    if (isWanted(name)) {
      if (method !== STORED) throw zipError(`its entry '${name}' is compressed, which PyTorch never does`);
      const extra = bytes.subarray(place + 46 + nameLength, place + 46 + nameLength + extraLength);
      const [length, header] = sizes64(extra, [
        directory.getUint32(place + 24, true),
        directory.getUint32(place + 42, true),
      ]);
      return entryData(source, header!, length!);
    }
    place = next;
  }
  throw zipError('it has no data.pkl', 'is it a file of torch.save?');
}

function entryData(source: ByteSource, header: number, length: number): { from: number; to: number } {
  const local = view(read(source, header, 30));
  if (local.getUint32(0, true) !== LOCAL_HEADER)
    throw zipError('an entry is not at the offset in the directory');
  const from = header + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  if (from + length > source.size) throw zipError('it ends early');
  return { from, to: from + length };
}

/** Where the directory lies, from the record at the end of the file. */
function zipDirectory(source: ByteSource): { at: number; count: number; size: number } {
  const tailAt = Math.max(0, source.size - 65_557);
  const tail = view(read(source, tailAt, source.size - tailAt));
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END_RECORD) end--;
  if (end < 0) throw zipError('it ends early', 'it was probably cut off while it was copied; get it again');
  if (end >= 20 && tail.getUint32(end - 20, true) === END_LOCATOR_64) {
    const record = view(read(source, long(tail, end - 12), 56));
    if (record.getUint32(0, true) !== END_RECORD_64) throw zipError('its directory is damaged');
    return { count: long(record, 32), size: long(record, 40), at: long(record, 48) };
  }
  return {
    count: tail.getUint16(end + 10, true),
    size: tail.getUint32(end + 12, true),
    at: tail.getUint32(end + 16, true),
  };
}

/** Fields that are too large for 32 bits stand in an extra field, in order. */
function sizes64(extra: Uint8Array, fields: readonly number[]): number[] {
  const bytes = view(extra);
  let at = 0;
  while (at + 4 <= extra.length && bytes.getUint16(at, true) !== 1) at += 4 + bytes.getUint16(at + 2, true);
  at += 4;
  return fields.map((field) => {
    if (field !== SEE_64) return field;
    if (at + 8 > extra.length) throw zipError('its directory is damaged');
    at += 8;
    return long(bytes, at - 8);
  });
}

function long(bytes: DataView, at: number): number {
  return bytes.getUint32(at, true) + bytes.getUint32(at + 4, true) * 2 ** 32;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function read(source: ByteSource, at: number, length: number): Uint8Array {
  if (at + length > source.size) throw zipError('its directory points outside the file');
  return source.read(at, length);
}

function zipError(problem: string, hint?: string): AuspexError {
  return new AuspexError('TORCH_FILE', `the zip archive cannot be read: ${problem}`, hint ? { hint } : {});
}

// Zip archives, as far as files of PyTorch and NumPy need them: their entries, from the directory at the end.
import type { ByteSource } from '../../util/bytes.js';
import type { AuspexError } from '../../util/errors.js';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_RECORD = 0x06054b50;
const END_RECORD_64 = 0x06064b50;
const END_LOCATOR_64 = 0x07064b50;
/** How an entry is packed. */
export const STORED = 0;
export const DEFLATED = 8;
/** Sizes and offsets of 32 bits that say: see the field of 64 bits. */
const SEE_64 = 0xffffffff;

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  /** Where its bytes lie, as they are packed. */
  readonly from: number;
  readonly to: number;
  /** Bytes when it is unpacked. */
  readonly size: number;
}

/** Makes the error of an archive that cannot be read. */
export type ZipProblem = (problem: string, hint?: string) => AuspexError;

export function isZip(head: Uint8Array): boolean {
  return head.length >= 4 && view(head).getUint32(0, true) === LOCAL_HEADER;
}

/** The entries of an archive, in the order of its directory. */
export function* zipEntries(source: ByteSource, fail: ZipProblem): Generator<ZipEntry> {
  const { at, count, size } = zipDirectory(source, fail);
  const bytes = read(source, at, size, fail);
  const directory = view(bytes);
  let place = 0;
  for (let i = 0; i < count && place + 46 <= size; i++) {
    if (directory.getUint32(place, true) !== CENTRAL_HEADER) return;
    const nameLength = directory.getUint16(place + 28, true);
    const extraLength = directory.getUint16(place + 30, true);
    const next = place + 46 + nameLength + extraLength + directory.getUint16(place + 32, true);
    if (next > size) return;
    const extra = bytes.subarray(place + 46 + nameLength, place + 46 + nameLength + extraLength);
    const [whole, packed, header] = sizes64(
      extra,
      [24, 20, 42].map((offset) => directory.getUint32(place + offset, true)),
      fail,
    );
    yield {
      name: new TextDecoder().decode(bytes.subarray(place + 46, place + 46 + nameLength)),
      method: directory.getUint16(place + 10, true),
      size: whole!,
      ...entryData(source, header!, packed!, fail),
    };
    place = next;
  }
}

function entryData(
  source: ByteSource,
  header: number,
  length: number,
  fail: ZipProblem,
): { from: number; to: number } {
  const local = view(read(source, header, 30, fail));
  if (local.getUint32(0, true) !== LOCAL_HEADER) throw fail('an entry is not at the offset in the directory');
  const from = header + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  if (from + length > source.size) throw fail('it ends early');
  return { from, to: from + length };
}

/** Where the directory lies, from the record at the end of the file. */
function zipDirectory(source: ByteSource, fail: ZipProblem): { at: number; count: number; size: number } {
  const tailAt = Math.max(0, source.size - 65_557);
  const tail = view(read(source, tailAt, source.size - tailAt, fail));
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END_RECORD) end--;
  if (end < 0) throw fail('it ends early', 'it was probably cut off while it was copied; get it again');
  if (end >= 20 && tail.getUint32(end - 20, true) === END_LOCATOR_64) {
    const record = view(read(source, long(tail, end - 12), 56, fail));
    if (record.getUint32(0, true) !== END_RECORD_64) throw fail('its directory is damaged');
    return { count: long(record, 32), size: long(record, 40), at: long(record, 48) };
  }
  return {
    count: tail.getUint16(end + 10, true),
    size: tail.getUint32(end + 12, true),
    at: tail.getUint32(end + 16, true),
  };
}

/** Fields that are too large for 32 bits stand in an extra field, in order. */
function sizes64(extra: Uint8Array, fields: readonly number[], fail: ZipProblem): number[] {
  const bytes = view(extra);
  let at = 0;
  while (at + 4 <= extra.length && bytes.getUint16(at, true) !== 1) at += 4 + bytes.getUint16(at + 2, true);
  at += 4;
  return fields.map((field) => {
    if (field !== SEE_64) return field;
    if (at + 8 > extra.length) throw fail('its directory is damaged');
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

function read(source: ByteSource, at: number, length: number, fail: ZipProblem): Uint8Array {
  if (at + length > source.size) throw fail('its directory points outside the file');
  return source.read(at, length);
}

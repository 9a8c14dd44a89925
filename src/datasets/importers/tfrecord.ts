// TensorFlow's record files: length, its checksum, data, its checksum, one record after the other. Checksums are
// CRC-32C (Castagnoli), rotated and shifted so that checksums of data with checksums in it stay good.
import { ByteReader } from '../formats/chunks.js';

/** Records of benchmarks have hundreds of bytes. */
const MAX_RECORD_BYTES = 2 ** 24;
const MASK_DELTA = 0xa282ead8;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}

function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

/** Whether a file begins as record files do. */
export function isTfRecord(head: Uint8Array): boolean {
  if (head.length < 12) return false;
  const sum = new DataView(head.buffer, head.byteOffset, 12).getUint32(8, true);
  return masked(crc32c(head.subarray(0, 8))) === sum;
}

/** The data of every record; each lives until the next is read. */
export function* tfRecords(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  const reader = new ByteReader(chunks, 'TFRECORD');
  const length = new Uint8Array(8);
  while (reader.has(1)) {
    length.set(reader.view(8));
    if (masked(crc32c(length)) !== reader.uint32()) {
      throw reader.error('DAMAGED', 'the checksum of a record’s length is wrong', 'get the file again');
    }
    const count = Number(new DataView(length.buffer).getBigUint64(0, true));
    if (count > MAX_RECORD_BYTES) throw reader.error('LIMIT', `a record of ${count} bytes is too long`);
    // With its checksum at once: a view lives until the next read.
    const bytes = reader.view(count + 4);
    const sum = new DataView(bytes.buffer, bytes.byteOffset + count, 4).getUint32(0, true);
    const data = bytes.subarray(0, count);
    if (masked(crc32c(data)) !== sum) {
      throw reader.error('DAMAGED', 'the checksum of a record is wrong', 'get the file again');
    }
    yield data;
  }
}

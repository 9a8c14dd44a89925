// Bytes one after the other: a source cut into chunks, and a reader that takes values from chunks. What a file
// claims to hold is never allocated before it is there.
import type { ByteSource } from '../../util/bytes.js';
import { AuspexError } from '../../util/errors.js';

const CHUNK_BYTES = 1 << 20;

/** The bytes of a source from an offset on. */
export function* chunksOf(source: ByteSource, from = 0, to = source.size): Generator<Uint8Array> {
  for (let at = from; at < to; at += CHUNK_BYTES) yield source.read(at, Math.min(CHUNK_BYTES, to - at));
}

/** Reads values from chunks. Errors carry the code of the format that is read, and the offset. */
export class ByteReader {
  readonly #chunks: Iterator<Uint8Array>;
  readonly #code: string;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  /** Offset of the present chunk's first byte. */
  #base = 0;

  constructor(chunks: Iterable<Uint8Array>, code: string) {
    this.#chunks = chunks[Symbol.iterator]();
    this.#code = code;
  }

  /** The offset of the next byte. */
  get offset(): number {
    return this.#base + this.#at;
  }

  /** Whether there are this many more bytes. */
  has(count: number): boolean {
    return this.#at + count <= this.#bytes.length || this.#more(count);
  }

  #more(count: number): boolean {
    const rest = this.#bytes.subarray(this.#at);
    const pieces = [rest];
    let length = rest.length;
    while (length < count) {
      const { value, done } = this.#chunks.next();
      if (done) break;
      pieces.push(value);
      length += value.length;
    }
    this.#base += this.#at;
    this.#at = 0;
    const chunk = pieces.length === 2 && rest.length === 0 ? pieces[1]! : concatenated(pieces, length);
    this.#bytes = chunk;
    this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    return length >= count;
  }

  /** Makes bytes available and gives where they begin. */
  #take(count: number): number {
    if (this.#at + count > this.#bytes.length && !this.#more(count)) {
      throw this.error('TRUNCATED', 'the file ends in the middle of a value', 'get the file again');
    }
    const at = this.#at;
    this.#at += count;
    return at;
  }

  uint8(): number {
    if (this.#at < this.#bytes.length) return this.#bytes[this.#at++]!;
    const at = this.#take(1);
    return this.#bytes[at]!;
  }

  uint16(): number {
    const at = this.#take(2);
    return this.#view.getUint16(at, true);
  }

  int32(): number {
    const at = this.#take(4);
    return this.#view.getInt32(at, true);
  }

  uint32(): number {
    const at = this.#take(4);
    return this.#view.getUint32(at, true);
  }

  /** A length of 64 bits. No file holds 2^53 bytes. */
  uint64(): number {
    const at = this.#take(8);
    const value = this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    throw this.error('MALFORMED', `a length of ${value} bytes is out of range`);
  }

  /** Big-endian, as pickles have it. */
  double(): number {
    const at = this.#take(8);
    return this.#view.getFloat64(at, false);
  }

  /** The next bytes, as a view that lives until the next read. */
  view(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  /** A copy of the next bytes. */
  bytes(count: number): Uint8Array {
    return this.view(count).slice();
  }

  /** The bytes up to a line feed, which is left out. A line may not be longer than the limit. */
  line(limit: number): Uint8Array {
    for (let wanted = 1; ; wanted = Math.min(limit + 1, wanted * 2)) {
      const isThere = this.has(wanted);
      const end = this.#bytes.indexOf(0x0a, this.#at);
      if (end >= 0 && end - this.#at <= limit) {
        const line = this.#bytes.slice(this.#at, end);
        this.#at = end + 1;
        return line;
      }
      if (!isThere || wanted > limit) throw this.error('MALFORMED', 'a line does not end');
    }
  }

  /** @param problem what follows the format's name in the code, such as TRUNCATED. */
  error(problem: string, message: string, hint?: string): AuspexError {
    const where = { offset: this.offset };
    return new AuspexError(
      `${this.#code}_${problem}`,
      message,
      hint === undefined ? { where } : { where, hint },
    );
  }
}

/** Pieces put together. */
export function concatenated(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

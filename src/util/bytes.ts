// Where bytes come from: memory, or a file that is read piece by piece. A `ByteRange` is a promise of bytes:
// it costs nothing until someone asks, which is what lets a 3 GB network open in milliseconds.
import { AuspexError } from './errors.js';

/** Random access to a sequence of bytes. `read` may return a view: callers do not write into it. */
export interface ByteSource {
  readonly size: number;
  /** How many bytes a reader should ask for at a time; all of it when they are in memory anyway. */
  readonly windowBytes: number;
  read(offset: number, length: number): Uint8Array;
}

/** Bytes that are already in memory. */
export class MemorySource implements ByteSource {
  readonly size: number;
  readonly windowBytes = Number.POSITIVE_INFINITY;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  read(offset: number, length: number): Uint8Array {
    return this.#bytes.subarray(offset, offset + length);
  }
}

/** A stretch of a source, not read yet. */
export class ByteRange {
  readonly source: ByteSource;
  readonly offset: number;
  readonly length: number;

  constructor(source: ByteSource, offset: number, length: number) {
    this.source = source;
    this.offset = offset;
    this.length = length;
  }

  static of(bytes: Uint8Array): ByteRange {
    return new ByteRange(new MemorySource(bytes), 0, bytes.length);
  }

  /** The bytes of the range, or of a part of it. */
  read(from = 0, length = this.length - from): Uint8Array {
    if (
      from < 0 ||
      length < 0 ||
      from + length > this.length ||
      this.offset + from + length > this.source.size
    ) {
      throw new AuspexError(
        'DATA_TRUNCATED',
        `the data ends early: bytes ${this.offset + from} to ${this.offset + from + length} are needed, ` +
          `but there are only ${Math.min(this.source.size, this.offset + this.length)}`,
        {
          where: { offset: this.offset + from },
          hint: 'the file was probably truncated; download or copy it again',
        },
      );
    }
    return this.source.read(this.offset + from, length);
  }
}

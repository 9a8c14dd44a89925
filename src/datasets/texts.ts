// Many short texts in one array of bytes. A hundred thousand strings cost the collector far more than their bytes.
import { AuspexError } from '../util/errors.js';

const utf8 = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** No column holds more bytes than an offset of 32 bits can tell. */
const MAX_BYTES = 2 ** 32 - 1;

/** A list of texts that does not change. */
export class TextColumn {
  readonly length: number;
  readonly #bytes: Uint8Array;
  /** Where each text ends; it begins where the one before ends. */
  readonly #ends: Uint32Array;

  constructor(bytes: Uint8Array, ends: Uint32Array) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.length = ends.length;
  }

  static of(texts: Iterable<string>): TextColumn {
    const builder = new TextBuilder();
    for (const text of texts) {
      builder.text(text);
      builder.end();
    }
    return builder.finish();
  }

  at(index: number): string {
    return decoder.decode(this.bytesAt(index));
  }

  /** The UTF-8 bytes of a text; callers do not write into them. */
  bytesAt(index: number): Uint8Array {
    if (!(index >= 0 && index < this.length)) throw new RangeError(`there is no text ${index}`);
    return this.#bytes.subarray(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }

  take(indices: ArrayLike<number>): TextColumn {
    const builder = new TextBuilder();
    for (let i = 0; i < indices.length; i++) {
      builder.bytes(this.bytesAt(indices[i]!));
      builder.end();
    }
    return builder.finish();
  }

  *[Symbol.iterator](): IterableIterator<string> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}

/** Collects texts: pieces of one, then `end`. */
export class TextBuilder {
  #bytes = new Uint8Array(1024);
  #at = 0;
  #ends = new Uint32Array(64);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  text(text: string): void {
    // No UTF-16 unit takes more than three bytes.
    this.#room(3 * text.length);
    this.#at += utf8.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** A part of an array, with one byte replaced by another where they differ. Faster than `bytes` for short parts. */
  part(bytes: Uint8Array, from: number, to: number, old = 0, replacement = old): void {
    this.#room(to - from);
    const target = this.#bytes;
    let at = this.#at;
    for (let i = from; i < to; i++) {
      const byte = bytes[i]!;
      target[at++] = byte === old ? replacement : byte;
    }
    this.#at = at;
  }

  /** The text that is not complete yet. */
  get pending(): string {
    return decoder.decode(this.#bytes.subarray(this.#begin, this.#at));
  }

  /** Forgets the text that is not complete yet. */
  drop(): void {
    this.#at = this.#begin;
  }

  get #begin(): number {
    return this.#count === 0 ? 0 : this.#ends[this.#count - 1]!;
  }

  /** The text is complete. */
  end(): void {
    if (this.#count === this.#ends.length) {
      const larger = new Uint32Array(this.#ends.length * 2);
      larger.set(this.#ends);
      this.#ends = larger;
    }
    this.#ends[this.#count++] = this.#at;
  }

  finish(): TextColumn {
    return new TextColumn(this.#bytes.slice(0, this.#at), this.#ends.slice(0, this.#count));
  }

  #room(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    if (needed > MAX_BYTES) {
      throw new AuspexError(
        'TABLE_TOO_LARGE',
        'the architecture texts of a table may not exceed 4 GB together',
      );
    }
    const larger = new Uint8Array(Math.min(MAX_BYTES, Math.max(needed, this.#bytes.length * 2)));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

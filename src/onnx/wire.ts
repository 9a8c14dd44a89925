// Protobuf's wire format over a `ByteSource`, read through a sliding window: what is skipped is never read,
// so a reader can walk a file of any size and touch only its structure. Offsets in errors are file offsets.
import { ByteRange, type ByteSource, MemorySource } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;

const SMALL_WINDOW = 8 * 1024;
/** Constants that shapes are computed from are smaller than this. */
const SMALL_RANGE = 512;
const MAX_SHORT_TEXT = 256;
/** Below this length, a call of the decoder costs more than the characters one by one. */
const FEW_CHARACTERS = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const TWO_28 = 2 ** 28;
const TWO_56 = 2 ** 56;

export class WireReader {
  readonly source: ByteSource;
  #window: Uint8Array;
  #view: DataView;
  /** File offset of the window's first byte. */
  #base = 0;
  #at = 0;
  #nextWindow: number;
  /** The window as the source of small ranges; it lives on with them. */
  #windowSource: MemorySource | undefined;
  /** Short texts that were read. */
  readonly #texts = new Map<string, string>();

  constructor(source: ByteSource) {
    this.source = source;
    this.#window = new Uint8Array(0);
    this.#view = new DataView(this.#window.buffer);
    this.#nextWindow = Math.min(source.windowBytes, SMALL_WINDOW);
    if (source.windowBytes === Number.POSITIVE_INFINITY) this.#nextWindow = source.size;
  }

  /** File offset of the next byte. */
  get offset(): number {
    return this.#base + this.#at;
  }

  /** Goes to an offset; nothing in between is read. */
  seek(offset: number): void {
    const at = offset - this.#base;
    if (at >= 0 && at <= this.#window.length) {
      this.#at = at;
      return;
    }
    this.#base = offset;
    this.#at = 0;
    this.#window = this.#window.subarray(0, 0);
    if (this.source.windowBytes !== Number.POSITIVE_INFINITY) this.#nextWindow = SMALL_WINDOW;
  }

  /** Makes at least `count` bytes available at the cursor. Windows grow while reading goes on in sequence. */
  #need(count: number): void {
    if (this.#at + count <= this.#window.length) return;
    const offset = this.offset;
    const left = this.source.size - offset;
    if (count > left) throw this.error('ONNX_TRUNCATED', 'the file ends in the middle of a value');
    const length = Math.min(left, Math.max(count, this.#nextWindow));
    this.#window = this.source.read(offset, length);
    this.#windowSource = undefined;
    this.#view = new DataView(this.#window.buffer, this.#window.byteOffset, this.#window.byteLength);
    this.#base = offset;
    this.#at = 0;
    if (this.source.windowBytes !== Number.POSITIVE_INFINITY) {
      this.#nextWindow = Math.min(this.source.windowBytes, this.#nextWindow * 4);
    }
  }

  #byte(): number {
    if (this.#at >= this.#window.length) this.#need(1);
    return this.#window[this.#at++]!;
  }

  /** An unsigned number that must fit in 53 bits: a tag, a length. */
  uint(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    let scale = 128;
    for (let i = 1; i < 10; i++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw this.error('ONNX_MALFORMED', 'a length or field number is out of range');
  }

  /** A signed 64-bit integer: a number where that is exact, else a bigint. */
  int64(): number | bigint {
    const first = this.#byte();
    if (first < 0x80) return first;
    let low = first & 0x7f;
    let middle = 0;
    let high = 0;
    for (let i = 1; ; i++) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (i < 4) low += bits * 2 ** (7 * i);
      else if (i < 8) middle += bits * 2 ** (7 * (i - 4));
      else high += bits * 2 ** (7 * (i - 8));
      if (byte < 0x80) break;
      if (i === 9) throw this.error('ONNX_MALFORMED', 'a number is longer than ten bytes');
    }
    high &= 0xff;
    if (high === 0) {
      const value = low + middle * TWO_28;
      if (value <= Number.MAX_SAFE_INTEGER) return value;
    }
    const value = BigInt.asIntN(
      64,
      BigInt(low) + BigInt(middle) * BigInt(TWO_28) + BigInt(high) * BigInt(TWO_56),
    );
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  /** A signed 32-bit integer or an enum. */
  int32(): number {
    const value = this.int64();
    return typeof value === 'number' && value >= -0x80000000 && value <= 0x7fffffff
      ? value
      : Number(BigInt.asIntN(32, BigInt(value)));
  }

  float(): number {
    this.#need(4);
    const value = this.#view.getFloat32(this.#at, true);
    this.#at += 4;
    return value;
  }

  double(): number {
    this.#need(8);
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  /** The next `length` bytes, left in the file; what is as small as a shape is kept from the window. */
  range(length: number): ByteRange {
    if (length > SMALL_RANGE || this.source.windowBytes === Number.POSITIVE_INFINITY) {
      const range = new ByteRange(this.source, this.offset, length);
      this.seek(this.offset + length);
      return range;
    }
    this.#need(length);
    this.#windowSource ??= new MemorySource(this.#window);
    const range = new ByteRange(this.#windowSource, this.#at, length);
    this.#at += length;
    return range;
  }

  /** A copy of the next `length` bytes. */
  bytes(length: number): Uint8Array {
    this.#need(length);
    const value = this.#window.slice(this.#at, this.#at + length);
    this.#at += length;
    return value;
  }

  /** The next `length` bytes as text, or undefined where they are not UTF-8. */
  text(length: number): string | undefined {
    this.#need(length);
    const start = this.#at;
    const end = start + length;
    this.#at = end;
    const bytes = this.#window.subarray(start, end);
    const text = (length <= FEW_CHARACTERS ? asciiText(bytes) : undefined) ?? utf8Text(bytes);
    if (text === undefined || length > MAX_SHORT_TEXT) return text;
    // Names occur where a value is made and where it is used: each is kept once, which also makes looking it up cheaper.
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }

  error(code: string, message: string, hint?: string): AuspexError {
    const where = { offset: this.offset };
    return new AuspexError(code, message, hint ? { where, hint } : { where });
  }
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** A text of ASCII characters; undefined for others. */
function asciiText(bytes: Uint8Array): string | undefined {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) return undefined;
  // Not with spread arguments, which take ten times as long.
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

/** Smaller pieces are copied together. */
const COPIED_BELOW = 4096;
/** Texts up to this length have a length of one byte. */
const LOOPED_TEXT = 127;
const encoder = new TextEncoder();

/** Collects the pieces of a message. Large byte ranges are kept as pieces and never copied together. */
export class WireWriter {
  #pieces: Uint8Array[] = [];
  #buffer = new Uint8Array(256);
  /** Where nested messages are written first, one after another. */
  #inner: WireWriter | undefined;
  #at = 0;
  #flushed = 0;

  get length(): number {
    return this.#flushed + this.#at;
  }

  #room(count: number): void {
    if (this.#at + count <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#at + count));
    larger.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = larger;
  }

  uint(value: number): void {
    this.#room(10);
    while (value >= 0x80) {
      this.#buffer[this.#at++] = (value % 128) | 0x80;
      value = Math.floor(value / 128);
    }
    this.#buffer[this.#at++] = value;
  }

  int64(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.uint(value);
      return;
    }
    this.#room(10);
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest >= 0x80n) {
      this.#buffer[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#buffer[this.#at++] = Number(rest);
  }

  float(value: number): void {
    this.#room(4);
    new DataView(this.#buffer.buffer).setFloat32(this.#at, value, true);
    this.#at += 4;
  }

  double(value: number): void {
    this.#room(8);
    new DataView(this.#buffer.buffer).setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  bytes(value: Uint8Array): void {
    if (value.length < COPIED_BELOW) {
      this.#room(value.length);
      this.#buffer.set(value, this.#at);
      this.#at += value.length;
      return;
    }
    this.#flush();
    this.#pieces.push(value);
    this.#flushed += value.length;
  }

  /** A text with its length in front. */
  text(value: string): void {
    if (value.length > LOOPED_TEXT || !this.#asciiText(value)) {
      const bytes = encoder.encode(value);
      this.uint(bytes.length);
      this.bytes(bytes);
    }
  }

  /** Writes a short text of ASCII characters, or answers false: calls of the encoder are dear. */
  #asciiText(value: string): boolean {
    this.#room(value.length + 1);
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return false;
      this.#buffer[this.#at + 1 + i] = code;
    }
    this.#buffer[this.#at] = value.length;
    this.#at += value.length + 1;
    return true;
  }

  tag(field: number, wireType: number): void {
    this.uint(field * 8 + wireType);
  }

  /** A nested message with its length in front. */
  message(fill: (inner: WireWriter) => void): void {
    this.#inner ??= new WireWriter();
    const inner = this.#inner;
    fill(inner);
    this.uint(inner.length);
    if (inner.#pieces.length > 0 || inner.#at >= COPIED_BELOW) {
      for (const piece of inner.pieces()) this.bytes(piece);
      inner.#pieces = [];
      inner.#flushed = 0;
      return;
    }
    this.bytes(inner.#buffer.subarray(0, inner.#at));
    inner.#at = 0;
  }

  #flush(): void {
    if (this.#at === 0) return;
    this.#pieces.push(this.#buffer.slice(0, this.#at));
    this.#flushed += this.#at;
    this.#at = 0;
  }

  /** What was written, in order. */
  pieces(): readonly Uint8Array[] {
    this.#flush();
    return this.#pieces;
  }

  /** What was written, as one array. */
  finish(): Uint8Array {
    const pieces = this.pieces();
    const out = new Uint8Array(this.length);
    let at = 0;
    for (const piece of pieces) {
      out.set(piece, at);
      at += piece.length;
    }
    return out;
  }
}

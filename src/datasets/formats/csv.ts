// CSV as RFC 4180 has it, read in chunks of bytes: quotes, line breaks within them, LF or CRLF, a byte order mark.
// Fields stay where they are in the chunk until someone asks; numbers are read from their bytes.
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import { metadataObject } from '../metadata.js';
import { ARCH, type Table } from '../table.js';
import type { TextBuilder } from '../texts.js';
import { isNotFinite, NOT_FINITE_HINT, numberIn, numberOf, numberText } from './numbers.js';

const COMMA = 0x2c;
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const HASH = 0x23;
const BOM = [0xef, 0xbb, 0xbf];

/** The first line of a table of ours, after `#`. */
export const CSV_MARK = ' auspex ';

/** A longer row is no row but a quote that nobody closed. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;

/** What a field is: bytes as they are, within quotes, or within quotes with quotes doubled. */
const PLAIN = 0;
const QUOTED = 1;
const ESCAPED = 2;

/** 1 for bytes that end a field without quotes, or must not be in one. */
const STOPS = new Uint8Array(256);
for (const byte of [COMMA, LF, QUOTE, CR]) STOPS[byte] = 1;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The row that was read last; it lives until the next one is. */
export interface CsvRow {
  /** The line it begins at, from 1. */
  readonly line: number;
  readonly fields: number;
  text(field: number): string;
  /** The number in a field, NaN where it is empty. */
  number(field: number): number;
  /** Adds the text of a field to a builder, with one byte replaced by another. */
  append(field: number, builder: TextBuilder, old?: number, replacement?: number): void;
  error(code: string, message: string, field?: number, hint?: string): AuspexError;
}

interface CsvHandler {
  /** A line before the first row that begins with `#`, without it. */
  comment?(text: string, line: number): void;
  row(row: CsvRow): void;
}

/**
 * @example
 * const reader = new CsvReader({ row: (row) => console.log(row.text(0), row.number(1)) });
 * for await (const chunk of chunks) reader.push(chunk);
 * reader.finish();
 */
export class CsvReader implements CsvRow {
  readonly #handler: CsvHandler;
  #bytes: Uint8Array = new Uint8Array(0);
  #starts = new Int32Array(64);
  #ends = new Int32Array(64);
  #kinds = new Uint8Array(64);
  #isFirst = true;
  #hasRow = false;
  /** Where the row begins in the chunk. */
  #rowAt = 0;
  /** Line breaks within the row. */
  #breaks = 0;
  line = 1;
  fields = 0;

  constructor(handler: CsvHandler) {
    this.#handler = handler;
  }

  push(chunk: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : joined(this.#bytes, chunk);
    if (this.#isFirst) {
      if (this.#bytes.length < BOM.length) return;
      if (BOM.every((byte, i) => this.#bytes[i] === byte)) this.#bytes = this.#bytes.subarray(BOM.length);
      this.#isFirst = false;
    }
    this.#rows(false);
    if (this.#bytes.length > MAX_ROW_BYTES) {
      throw this.error('CSV_ROW', `the row is longer than ${MAX_ROW_BYTES} bytes`, undefined, UNCLOSED);
    }
  }

  /** No more bytes come. */
  finish(): void {
    this.#isFirst = false;
    if (this.#bytes.length > 0) this.#rows(true);
    this.#bytes = new Uint8Array(0);
  }

  /** Reads whole rows; what is left of the chunk is kept. At the end a row needs no line break. */
  #rows(isEnd: boolean): void {
    let at = 0;
    while (at < this.#bytes.length) {
      this.#rowAt = at;
      const next = this.#row(at, isEnd);
      if (next < 0) break;
      at = next;
    }
    this.#bytes = this.#bytes.slice(at);
    this.#rowAt = 0;
  }

  /** Reads the row at an offset and gives where the next begins; −1 if the chunk ends before it does. */
  #row(start: number, isEnd: boolean): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    if (!this.#hasRow && bytes[start] === HASH) return this.#comment(start, isEnd);
    this.fields = 0;
    this.#breaks = 0;
    let at = start;
    for (;;) {
      let end: number;
      let from = at;
      let kind = PLAIN;
      if (bytes[at] === QUOTE) {
        from++;
        [end, kind] = this.#quoted(from, isEnd);
        if (end < 0) return -1;
        at = end + 1;
      } else {
        while (at < length && STOPS[bytes[at]!] === 0) at++;
        end = at;
      }
      if (at + 1 >= length && !isEnd) return -1;
      const isBreak = at >= length || bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF);
      if (!isBreak && bytes[at] !== COMMA) throw this.#stray(at, kind);
      this.#add(from, end, kind);
      if (!isBreak) {
        at++;
        continue;
      }
      this.#emit();
      this.line += this.#breaks + 1;
      return at + (bytes[at] === CR ? 2 : 1);
    }
  }

  #emit(): void {
    // An empty line is no row.
    if (this.fields === 1 && this.#starts[0] === this.#ends[0] && this.#kinds[0] === PLAIN) return;
    this.#hasRow = true;
    this.#handler.row(this);
  }

  /** Where the text that begins at `from` is closed, and what it is; −1 if the chunk ends before. */
  #quoted(from: number, isEnd: boolean): [end: number, kind: number] {
    const bytes = this.#bytes;
    let kind = QUOTED;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === LF) this.#breaks++;
      if (byte !== QUOTE) continue;
      if (bytes[at + 1] !== QUOTE) return [at, kind];
      kind = ESCAPED;
      at++;
    }
    if (isEnd) throw this.#at('CSV_QUOTE', 'the file ends within quotes', from - 1, UNCLOSED);
    return [-1, kind];
  }

  #comment(start: number, isEnd: boolean): number {
    const bytes = this.#bytes;
    let end = bytes.indexOf(LF, start);
    if (end < 0) {
      if (!isEnd) return -1;
      end = bytes.length;
    }
    const text = this.#decode(start + 1, bytes[end - 1] === CR ? end - 1 : end, start);
    this.#handler.comment?.(text, this.line);
    this.line++;
    return end + 1;
  }

  #add(start: number, end: number, kind: number): void {
    const i = this.fields++;
    if (i === this.#starts.length) {
      this.#starts = grown(this.#starts, new Int32Array(2 * i));
      this.#ends = grown(this.#ends, new Int32Array(2 * i));
      this.#kinds = grown(this.#kinds, new Uint8Array(2 * i));
    }
    this.#starts[i] = start;
    this.#ends[i] = end;
    this.#kinds[i] = kind;
  }

  text(field: number): string {
    const start = this.#starts[field]!;
    const text = this.#decode(start, this.#ends[field]!, start);
    return this.#kinds[field] === ESCAPED ? text.replaceAll('""', '"') : text;
  }

  number(field: number): number {
    const value =
      this.#kinds[field] === PLAIN
        ? numberIn(this.#bytes, this.#starts[field]!, this.#ends[field]!)
        : numberOf(this.text(field));
    if (value !== undefined) return value;
    const text = this.text(field);
    if (isNotFinite(text)) {
      throw this.error('TABLE_VALUE', `'${text.trim()}' is not a valid label value`, field, NOT_FINITE_HINT);
    }
    throw this.error('CSV_NUMBER', `'${printableStart(text, 40)}' is not a number`, field);
  }

  append(field: number, builder: TextBuilder, old?: number, replacement?: number): void {
    if (this.#kinds[field] === ESCAPED) {
      const text = this.text(field);
      if (old === undefined) builder.text(text);
      else builder.text(text.replaceAll(String.fromCharCode(old), String.fromCharCode(replacement!)));
    } else builder.part(this.#bytes, this.#starts[field]!, this.#ends[field]!, old, replacement);
  }

  error(code: string, message: string, field?: number, hint?: string): AuspexError {
    return this.#at(code, message, field === undefined ? this.#rowAt : this.#starts[field]!, hint);
  }

  #stray(at: number, kind: number): AuspexError {
    if (kind !== PLAIN) {
      return this.#at(
        'CSV_QUOTE',
        'there is text after a closing quote',
        at,
        'quotes within quotes are doubled',
      );
    }
    return this.#bytes[at] === QUOTE
      ? this.#at('CSV_QUOTE', 'a quote appears inside an unquoted field', at, DOUBLED)
      : this.#at('CSV_BREAK', 'a CR without LF', at, 'lines end with LF or CRLF');
  }

  #decode(start: number, end: number, place: number): string {
    try {
      return utf8.decode(this.#bytes.subarray(start, end));
    } catch {
      throw this.#at('CSV_UTF8', 'the text is not UTF-8', place, 'convert the file, for example with iconv');
    }
  }

  /** An error at an offset of the chunk, told as line and column (in bytes). */
  #at(code: string, message: string, at: number, hint?: string): AuspexError {
    let line = this.line;
    let lineStart = this.#rowAt;
    for (let i = this.#rowAt; i < at; i++) {
      if (this.#bytes[i] !== LF) continue;
      line++;
      lineStart = i + 1;
    }
    const where = { path: `line ${line}, column ${at - lineStart + 1}` };
    return new AuspexError(code, message, hint === undefined ? { where } : { where, hint });
  }
}

const UNCLOSED = 'a quote is probably not closed';
const DOUBLED = 'put quotes around the field and double those within';

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function grown<T extends Int32Array | Uint8Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

const PIECE = 1 << 16;

/** A table as CSV, with its description in a first line `# auspex {…}`, in pieces of UTF-8. */
export function* csvOf(table: Table): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const columns = table.labels.map(({ name }) => table.column(name));
  const texts = [...table.texts.values()];
  let text = `#${CSV_MARK}${JSON.stringify(metadataObject(table))}\n`;
  text += `${[ARCH, ...table.texts.keys(), ...table.labels.map(({ name }) => name)].map(csvField).join(',')}\n`;
  for (let row = 0; row < table.rows; row++) {
    const arch = csvField(table.arch(row));
    // A row of one empty field would read as an empty line.
    text += columns.length + texts.length === 0 && arch === '' ? '""' : arch;
    for (const column of texts) text += `,${csvField(column.at(row))}`;
    for (const column of columns) text += `,${numberText(column[row]!)}`;
    text += '\n';
    if (text.length < PIECE) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

function csvField(text: string): string {
  // A field that begins with # would make the header a comment.
  return /[",\r\n]|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

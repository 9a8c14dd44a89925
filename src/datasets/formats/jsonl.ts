// JSON lines, one object a line, read in chunks of bytes.
import { AuspexError } from '../../util/errors.js';
import { isRecord, metadataObject } from '../metadata.js';
import { ARCH, type Table } from '../table.js';

const LF = 0x0a;

/** A longer line is no row of a table. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * @example
 * const reader = new JsonlReader((object, line) => console.log(line, object.arch));
 * for await (const chunk of chunks) reader.push(chunk);
 * reader.finish();
 */
export class JsonlReader {
  readonly #handle: (object: JsonObject, line: number) => void;
  readonly #refuse: (error: unknown, line: number) => void;
  // A byte order mark at the beginning is left out.
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #pieces: Uint8Array[] = [];
  #pending = 0;
  #line = 1;

  /** @param refuse what becomes of a line that is no JSON object; it is thrown by default */
  constructor(
    handle: (object: JsonObject, line: number) => void,
    refuse: (error: unknown, line: number) => void = (error) => {
      throw error;
    },
  ) {
    this.#handle = handle;
    this.#refuse = refuse;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      this.#read(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#pieces.push(chunk.slice(start));
    this.#pending += chunk.length - start;
    if (this.#pending > MAX_LINE_BYTES)
      throw this.#error('JSONL_LINE', `is longer than ${MAX_LINE_BYTES} bytes`);
  }

  /** No more bytes come. */
  finish(): void {
    if (this.#pieces.length > 0) this.#read(new Uint8Array(0));
  }

  /** Reads the line that ends with these bytes. */
  #read(tail: Uint8Array): void {
    let bytes = tail;
    if (this.#pieces.length > 0) {
      bytes = new Uint8Array(this.#pending + tail.length);
      let at = 0;
      for (const piece of [...this.#pieces, tail]) {
        bytes.set(piece, at);
        at += piece.length;
      }
      this.#pieces = [];
      this.#pending = 0;
    }
    let text: string;
    try {
      text = this.#utf8.decode(bytes);
    } catch {
      throw this.#error('JSONL_UTF8', 'is not UTF-8');
    }
    if (text.trim() !== '') {
      const object = this.#object(text);
      if (object !== undefined) this.#handle(object, this.#line);
    }
    this.#line++;
  }

  #object(text: string): JsonObject | undefined {
    try {
      return this.#parse(text);
    } catch (error) {
      this.#refuse(error, this.#line);
      return undefined;
    }
  }

  #parse(text: string): JsonObject {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw this.#error('JSONL_LINE', `is not JSON: ${(cause as Error).message}`);
    }
    if (isRecord(value)) return value;
    throw this.#error(
      'JSONL_LINE',
      'is not an object',
      'every line must be like {"arch": …, "accuracy": 93.1}',
    );
  }

  #error(code: string, problem: string, hint?: string): AuspexError {
    const where = { path: `line ${this.#line}` };
    return new AuspexError(
      code,
      `line ${this.#line} ${problem}`,
      hint === undefined ? { where } : { where, hint },
    );
  }
}

/** The value at a path of keys joined by dots, or undefined. */
export function valueAt(object: JsonObject, path: string): unknown {
  if (Object.hasOwn(object, path)) return object[path];
  let value: unknown = object;
  for (const key of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

const PIECE = 1 << 16;

/** A table as JSON lines: its description `{"auspex": {…}}`, then an object a row without what is missing. */
export function* jsonlOf(table: Table): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const columns = table.labels.map(({ name }) => [JSON.stringify(name), table.column(name)] as const);
  const texts = [...table.texts].map(([name, column]) => [JSON.stringify(name), column] as const);
  let text = `${JSON.stringify({ auspex: metadataObject(table) })}\n`;
  for (let row = 0; row < table.rows; row++) {
    text += `{"${ARCH}":${JSON.stringify(table.arch(row))}`;
    for (const [name, column] of texts) text += `,${name}:${JSON.stringify(column.at(row))}`;
    for (const [name, column] of columns) {
      const value = column[row]!;
      if (!Number.isNaN(value)) text += `,${name}:${jsonNumber(value)}`;
    }
    text += '}\n';
    if (text.length < PIECE) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

function jsonNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

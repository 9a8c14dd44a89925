// A table from CSV or JSON lines: one that says what it is, one whose layout is known, or one the caller explains.
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import { CSV_MARK, CsvReader, type CsvRow } from '../formats/csv.js';
import { JsonlReader, type JsonObject, valueAt } from '../formats/jsonl.js';
import { isNotFinite, NOT_FINITE_HINT, numberOf } from '../formats/numbers.js';
import { isRecord, type Metadata, type PlainTable, parseMetadata } from '../metadata.js';
import { requireLabels, skipOr, type TableRules } from '../rules.js';
import { ARCH, type Table } from '../table.js';
import { TableBuilder } from '../table-builder.js';
import { type ArchPart, LAYOUTS, type Layout } from './layouts.js';

/** Takes chunks of a file, then gives the table. */
export interface TextImporter {
  push(chunk: Uint8Array): void;
  finish(): Table;
}

/** How a table is read from texts. */
interface TextOptions {
  readonly plain?: PlainTable | undefined;
  readonly rules?: TableRules | undefined;
  /** Columns of words to keep beside those that the file names; `all` for every column that is nothing else. */
  readonly texts?: readonly string[] | 'all' | undefined;
}

export function csvImporter(options: TextOptions = {}): TextImporter {
  const { plain } = options;
  let metadata: Metadata | undefined;
  let rows: CsvRows | undefined;
  const reader = new CsvReader({
    comment: (text, line) => {
      if (text.startsWith(CSV_MARK))
        metadata = parseMetadata(json(text.slice(CSV_MARK.length), line), `line ${line}`);
    },
    row: (row) => {
      if (rows) rows.add(row);
      else rows = new CsvRows(row, plain ? explained(plain) : metadata && described(metadata), options);
    },
  });
  return {
    push: (chunk) => reader.push(chunk),
    finish: () => {
      reader.finish();
      if (!rows) throw empty();
      return rows.builder.finish();
    },
  };
}

const NO_BYTES = new Uint8Array(0);

/** The rows below a header. */
class CsvRows {
  readonly builder: TableBuilder;
  readonly #columns: readonly string[];
  readonly #rules: TableRules;
  readonly #check: ((arch: string) => void) | undefined;
  /** Of each label, its column. */
  readonly #labels: readonly number[];
  readonly #arch: readonly {
    readonly field: number;
    readonly text: Uint8Array;
    readonly spaces: number | undefined;
  }[];
  /** Of each column of words, its column. */
  readonly #texts: readonly number[];

  constructor(header: CsvRow, given: Layout | undefined, { rules = {}, texts = [] }: TextOptions) {
    this.#rules = rules;
    this.#columns = Array.from({ length: header.fields }, (_, i) => header.text(i));
    const twice = this.#columns.findIndex((name, i) => this.#columns.indexOf(name) !== i);
    if (twice >= 0)
      throw header.error('CSV_HEADER', `there are two columns '${this.#columns[twice]}'`, twice);
    const layout = given ?? known('csv', (name) => this.#columns.includes(name));
    if (!layout) throw unknown(`its columns are ${this.#columns.join(', ')}`);
    const labels = (given ? layout.labels : layout.labels.filter((l) => this.#columns.includes(l.from)))
      .map((label) => ({ label, column: this.#column(header, label.from) }))
      .sort((a, b) => a.column - b.column);
    this.#labels = labels.map(({ column }) => column);
    this.#arch = layout.arch.map((part) =>
      'text' in part
        ? { field: -1, text: new TextEncoder().encode(part.text), spaces: undefined }
        : { field: this.#column(header, part.column), text: NO_BYTES, spaces: part.spaces?.charCodeAt(0) },
    );
    const used = [...this.#labels, ...this.#arch.map(({ field }) => field)];
    const others = this.#columns.filter((_, i) => !used.includes(i));
    requireLabels(labels.length, rules, others, `line ${header.line}`);
    this.#check = rules.space?.(layout.space);
    const kept = texts === 'all' ? others : keptTexts(layout, texts);
    this.#texts = kept.map((name) => this.#column(header, name));
    this.builder = new TableBuilder(
      layout.space,
      labels.map(({ label }) => withoutSource(label)),
      kept,
    );
  }

  #column(header: CsvRow, name: string): number {
    const at = this.#columns.indexOf(name);
    if (at >= 0) return at;
    throw header.error(
      'CSV_HEADER',
      `there is no column '${name}'`,
      undefined,
      `there is ${this.#columns.join(', ')}`,
    );
  }

  add(row: CsvRow): void {
    try {
      this.#fill(row);
      this.builder.endRow();
    } catch (error) {
      this.builder.dropRow();
      skipOr(this.#rules, error, `line ${row.line}`);
    }
  }

  #fill(row: CsvRow): void {
    if (row.fields !== this.#columns.length) {
      throw row.error(
        'CSV_FIELDS',
        `the row has ${row.fields} fields where the header has ${this.#columns.length}`,
        Math.min(row.fields, this.#columns.length) - 1,
      );
    }
    const { builder } = this;
    for (const { field, text, spaces } of this.#arch) {
      if (field < 0) builder.arch.part(text, 0, text.length);
      else if (spaces === undefined) row.append(field, builder.arch);
      else row.append(field, builder.arch, 0x20, spaces);
    }
    if (this.#check !== undefined) this.#checkArch(row, this.#check);
    const texts = this.#texts;
    for (let i = 0; i < texts.length; i++) row.append(texts[i]!, builder.texts[i]!);
    const labels = this.#labels;
    for (let i = 0; i < labels.length; i++) builder.set(i, row.number(labels[i]!));
  }

  #checkArch(row: CsvRow, check: (arch: string) => void): void {
    try {
      check(this.builder.arch.pending);
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      const field = this.#arch.find(({ field: at }) => at >= 0)?.field;
      throw row.error(error.code, error.message, field, error.hint);
    }
  }
}

export function jsonlImporter(options: TextOptions = {}): TextImporter {
  const { plain, rules = {} } = options;
  let rows: JsonRows | undefined;
  const read = (object: JsonObject, line: number): void => {
    if (rows) rows.add(object, line);
    else if (isRecord(object.auspex)) {
      const metadata = parseMetadata(object.auspex, `line ${line}`);
      rows = new JsonRows(plain ? explained(plain) : described(metadata), options, {}, line);
    } else {
      const layout = plain ? explained(plain) : known('jsonl', (path) => valueAt(object, path) !== undefined);
      if (!layout) throw unknown(`its keys are ${Object.keys(object).join(', ')}`);
      rows = new JsonRows(layout, options, object, line);
      rows.add(object, line);
    }
  };
  // A line that is no object may be skipped like any other row.
  const reader = new JsonlReader(read, (error, line) => skipOr(rules, error, `line ${line}`));
  return {
    push: (chunk) => reader.push(chunk),
    finish: () => {
      reader.finish();
      if (!rows) throw empty();
      return rows.builder.finish();
    },
  };
}

class JsonRows {
  readonly builder: TableBuilder;
  readonly #layout: Layout;
  readonly #rules: TableRules;
  readonly #check: ((arch: string) => void) | undefined;
  readonly #texts: readonly string[];

  constructor(layout: Layout, { rules = {}, texts = [] }: TextOptions, first: JsonObject, line: number) {
    this.#layout = layout;
    this.#rules = rules;
    const used = [
      ...layout.labels.map(({ from }) => from),
      ...layout.arch.flatMap((part) => ('column' in part ? [part.column] : [])),
    ];
    const others = Object.keys(first).filter((key) => !used.includes(key));
    requireLabels(layout.labels.length, rules, others, `line ${line}`);
    this.#check = rules.space?.(layout.space);
    this.#texts = texts === 'all' ? others : keptTexts(layout, texts);
    this.builder = new TableBuilder(layout.space, layout.labels.map(withoutSource), this.#texts);
  }

  add(object: JsonObject, line: number): void {
    try {
      this.#fill(object, line);
      this.builder.endRow();
    } catch (error) {
      this.builder.dropRow();
      skipOr(this.#rules, error, `line ${line}`);
    }
  }

  #fill(object: JsonObject, line: number): void {
    for (const part of this.#layout.arch) this.builder.arch.text(archText(object, part, line));
    try {
      this.#check?.(this.builder.arch.pending);
    } catch (error) {
      throw error instanceof AuspexError ? error.within({ path: `line ${line}` }) : error;
    }
    this.#texts.forEach((path, i) => {
      const value = valueAt(object, path) ?? '';
      this.builder.texts[i]!.text(typeof value === 'string' ? value : JSON.stringify(value));
    });
    this.#layout.labels.forEach(({ from }, i) => {
      this.builder.set(i, jsonNumber(valueAt(object, from), from, line));
    });
  }
}

/** A text as it is; anything else as JSON. */
function archText(object: JsonObject, part: ArchPart, line: number): string {
  if ('text' in part) return part.text;
  const value = valueAt(object, part.column);
  if (value === undefined || value === null) {
    throw new AuspexError('JSONL_VALUE', `line ${line} has no '${part.column}', the architecture`, at(line));
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function jsonNumber(value: unknown, path: string, line: number): number {
  // `1e999` of JSON is infinite.
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value === undefined || value === null) return Number.NaN;
  const number = typeof value === 'string' ? numberOf(value) : undefined;
  if (number !== undefined) return number;
  if (isNotFinite(String(value))) {
    throw new AuspexError(
      'TABLE_VALUE',
      `'${path}' is '${String(value)}', which is not a valid label value`,
      {
        ...at(line),
        hint: NOT_FINITE_HINT,
      },
    );
  }
  const shown = printableStart(JSON.stringify(value), 40);
  throw new AuspexError('JSONL_VALUE', `'${path}' of line ${line} is ${shown}, not a number`, at(line));
}

function at(line: number): { where: { path: string } } {
  return { where: { path: `line ${line}` } };
}

function known(format: Layout['format'], has: (name: string) => boolean): Layout | undefined {
  return LAYOUTS.find((layout) => layout.format === format && layout.has.every(has));
}

/** The columns of words to keep; what is a label or the architecture already is not kept twice. */
function keptTexts({ texts = [], labels, arch }: Layout, more: readonly string[]): string[] {
  const isUsed = (name: string): boolean =>
    labels.some(({ from }) => from === name) || arch.some((part) => 'column' in part && part.column === name);
  return [...new Set([...texts, ...more])].filter((name) => !isUsed(name));
}

/** The layout of a table that says what it is. */
function described(metadata: Metadata): Layout {
  return explained({ ...metadata, arch: ARCH });
}

function explained({ space, labels, arch, texts = [] }: PlainTable): Layout {
  return {
    title: space,
    format: 'csv',
    space,
    has: [],
    arch: [{ column: arch }],
    labels: labels.map((label) => ({ ...label, from: label.name })),
    texts,
  };
}

function withoutSource({ from: _, ...label }: Layout['labels'][number]): Metadata['labels'][number] {
  return label;
}

function json(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new AuspexError('TABLE_METADATA', `the description of the table is not JSON: ${why}`, {
      ...at(line),
      cause,
    });
  }
}

function unknown(what: string): AuspexError {
  return new AuspexError('TABLE_UNKNOWN', `the file is not a known table: ${printableStart(what, 300)}`, {
    hint: 'describe it: --space NAME --arch COLUMN --label COLUMN (auspex data import stores that in a table)',
  });
}

function empty(): AuspexError {
  return new AuspexError('TABLE_EMPTY', 'the file has no rows');
}

// A table from CSV or JSON lines: one that says what it is, one whose layout is known, or one the caller explains.
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import { CSV_MARK, CsvReader, type CsvRow } from '../csv.js';
import { JsonlReader, type JsonObject, valueAt } from '../jsonl.js';
import { isRecord, type Metadata, type PlainTable, parseMetadata } from '../metadata.js';
import { numberOf } from '../numbers.js';
import { ARCH, type Table } from '../table.js';
import { TableBuilder } from '../table-builder.js';
import { type ArchPart, LAYOUTS, type Layout } from './layouts.js';

/** Takes chunks of a file, then gives the table. */
export interface TextImporter {
  push(chunk: Uint8Array): void;
  finish(): Table;
}

export function csvImporter(plain?: PlainTable): TextImporter {
  let metadata: Metadata | undefined;
  let rows: CsvRows | undefined;
  const reader = new CsvReader({
    comment: (text, line) => {
      if (text.startsWith(CSV_MARK))
        metadata = parseMetadata(json(text.slice(CSV_MARK.length), line), `line ${line}`);
    },
    row: (row) => {
      if (rows) rows.add(row);
      else rows = new CsvRows(row, plain ? explained(plain) : metadata && described(metadata));
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
  /** Of each label, its column. */
  readonly #labels: readonly number[];
  readonly #arch: readonly {
    readonly field: number;
    readonly text: Uint8Array;
    readonly spaces: number | undefined;
  }[];

  constructor(header: CsvRow, given: Layout | undefined) {
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
    this.builder = new TableBuilder(
      layout.space,
      labels.map(({ label }) => withoutSource(label)),
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
    const labels = this.#labels;
    for (let i = 0; i < labels.length; i++) builder.set(i, row.number(labels[i]!));
    builder.endRow();
  }
}

export function jsonlImporter(plain?: PlainTable): TextImporter {
  let rows: JsonRows | undefined;
  const reader = new JsonlReader((object, line) => {
    if (rows) rows.add(object, line);
    else if (isRecord(object.auspex)) {
      const metadata = parseMetadata(object.auspex, `line ${line}`);
      rows = new JsonRows(plain ? explained(plain) : described(metadata));
    } else {
      const layout = plain ? explained(plain) : known('jsonl', (path) => valueAt(object, path) !== undefined);
      if (!layout) throw unknown(`its keys are ${Object.keys(object).join(', ')}`);
      rows = new JsonRows(layout);
      rows.add(object, line);
    }
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

class JsonRows {
  readonly builder: TableBuilder;
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.builder = new TableBuilder(layout.space, layout.labels.map(withoutSource));
  }

  add(object: JsonObject, line: number): void {
    for (const part of this.#layout.arch) this.builder.arch.text(archText(object, part, line));
    this.#layout.labels.forEach(({ from }, i) => {
      this.builder.set(i, jsonNumber(valueAt(object, from), from, line));
    });
    this.builder.endRow();
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
  if (typeof value === 'number') return value;
  if (value === undefined || value === null) return Number.NaN;
  const number = typeof value === 'string' ? numberOf(value) : undefined;
  if (number !== undefined) return number;
  const shown = printableStart(JSON.stringify(value), 40);
  throw new AuspexError('JSONL_VALUE', `'${path}' of line ${line} is ${shown}, not a number`, at(line));
}

function at(line: number): { where: { path: string } } {
  return { where: { path: `line ${line}` } };
}

function known(format: Layout['format'], has: (name: string) => boolean): Layout | undefined {
  return LAYOUTS.find((layout) => layout.format === format && layout.has.every(has));
}

/** The layout of a table that says what it is. */
function described({ space, labels }: Metadata): Layout {
  return explained({ space, labels, arch: ARCH });
}

function explained({ space, labels, arch }: PlainTable): Layout {
  return {
    title: space,
    format: 'csv',
    space,
    has: [],
    arch: [{ column: arch }],
    labels: labels.map((label) => ({ ...label, from: label.name })),
  };
}

function withoutSource({
  name,
  unit,
  better,
  provenance,
}: Layout['labels'][number]): Metadata['labels'][number] {
  return { name, unit, better, provenance };
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
  return new AuspexError(
    'TABLE_UNKNOWN',
    `this is no table that auspex knows: ${printableStart(what, 300)}`,
    {
      hint: 'say what it is: auspex data import FILE --space NAME --arch COLUMN --label COLUMN',
    },
  );
}

function empty(): AuspexError {
  return new AuspexError('TABLE_EMPTY', 'the file holds no rows');
}

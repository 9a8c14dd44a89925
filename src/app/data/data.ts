// What `auspex data list`, `show` and `export` do: tables in, documents out.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Label, Table } from '../../datasets/table.js';
import { unreadable } from '../../onnx/file.js';
import { checkOutputs } from '../../store/outputs.js';
import { formatOf, readTableFile, type TableFormat, writeTableFile } from '../../store/table-file.js';
import { AuspexError } from '../../util/errors.js';
import type { ExportDocument, ListDocument, ShowDocument } from '../documents/data.js';
import type { Work } from '../work.js';
import type { PlainOptions } from './explained-table.js';
import { openTable } from './open.js';

/** Files that may be tables; others in a folder are not looked at. */
const TABLE_FILE = /\.(csv|jsonl|pickle|pkl|pbz2|pth|tfrecord)(\.gz)?$/i;

/** The tables in a folder, and files that look like tables and are none. */
export async function listTables(folder: string, { signal, progress }: Work = {}): Promise<ListDocument> {
  const tables: ListDocument['tables'] = [];
  const others: ListDocument['others'] = [];
  const files = filesIn(folder);
  for (const [i, file] of files.entries()) {
    signal?.throwIfAborted();
    progress?.(i, files.length);
    try {
      const { space, rows, labels } = await readTableFile(join(folder, file));
      tables.push({ file, space, rows, labels: labels.map((label) => label.name) });
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      others.push({ file, code: error.code, message: error.message });
    }
  }
  progress?.(files.length, files.length);
  return { schema: 'auspex.data.list/1', folder, tables, others };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => TABLE_FILE.test(name) && statSync(join(folder, name)).isFile())
      .sort();
  } catch (error) {
    throw unreadable(folder, error);
  }
}

interface ShowOptions extends PlainOptions {
  /** How many of the first rows to give. */
  readonly rows: number;
}

/** The labels, their statistics and the first rows of a table. */
export async function showTable(file: string, options: ShowOptions, work: Work = {}): Promise<ShowDocument> {
  const { table } = await openTable(file, options, work);
  return {
    schema: 'auspex.data.show/1',
    file,
    space: table.space,
    rows: table.rows,
    labels: table.describe().map(({ label, count, missing, min, median, max }) => ({
      ...labelFields(label),
      count,
      missing,
      min: known(min),
      median: known(median),
      max: known(max),
    })),
    texts: [...table.texts.keys()],
    first: Array.from({ length: Math.min(options.rows, table.rows) }, (_, row) => ({
      arch: table.arch(row),
      values: Object.fromEntries(table.labels.map(({ name }) => [name, known(table.column(name)[row]!)])),
    })),
  };
}

interface ExportOptions extends PlainOptions {
  readonly output: string;
  readonly force?: boolean | undefined;
  /** What to write, if the name does not tell. */
  readonly format?: TableFormat | undefined;
  /** Only these labels. */
  readonly only?: readonly string[] | undefined;
  /** Only rows that have all labels. */
  readonly present?: boolean | undefined;
}

/** Writes a table in another format, or with fewer labels. */
export async function exportTable(
  file: string,
  options: ExportOptions,
  work: Work = {},
): Promise<ExportDocument> {
  const { output, only, present = false, force } = options;
  checkOutputs({ outputs: [{ path: output, kind: 'table' }], inputs: [file], force });
  const format = options.format ?? formatOf(output).format;
  const { table: all } = await openTable(file, options, work);
  const chosen = only ? all.select(only) : all;
  const table = present ? chosen.withPresent(chosen.labels.map((label) => label.name)) : chosen;
  await writeTableFile(output, table, format, { signal: work.signal });
  return { schema: 'auspex.data.export/1', file, output, format, ...tableFields(table) };
}

/** What documents say of a table. */
export function tableFields(table: Table): Pick<ExportDocument, 'space' | 'rows' | 'labels'> {
  return { space: table.space, rows: table.rows, labels: table.labels.map(labelFields) };
}

function labelFields(label: Label): ExportDocument['labels'][number] {
  const { transform, ...rest } = label;
  return {
    ...rest,
    higherIsBetter: label.better === 'higher',
    ...(transform === undefined ? {} : { transform }),
  };
}

/** JSON has no NaN. */
function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

// `auspex data import`: a benchmark as others publish it, or a plain file, to a table that says what it is.
import { longBy, pivot } from '../../datasets/pivot.js';
import type { SkippedRow } from '../../datasets/rules.js';
import { checkOutputs } from '../../store/outputs.js';
import { formatOf, writeTableFile } from '../../store/table-file.js';
import { AuspexError } from '../../util/errors.js';
import type { ImportDocument } from '../documents/data.js';
import { equalRows } from '../equal-rows.js';
import type { Work } from '../work.js';
import { tableFields } from './data.js';
import type { OpenedTable, PlainOptions } from './explained-table.js';
import { openTable } from './open.js';
import { architectureCheck, importRules } from './table-rules.js';

interface ImportOptions extends PlainOptions {
  readonly output: string;
  readonly force?: boolean | undefined;
  /** Leaves wrong rows out instead of refusing the file. */
  readonly skipBad?: boolean | undefined;
  /** Columns of words to keep, for splits by group. */
  readonly groups?: readonly string[] | undefined;
  /** The column of a long table to pivot by. */
  readonly pivot?: string | undefined;
}

interface Imported extends Pick<OpenedTable, 'resolved'> {
  readonly document: ImportDocument;
}

/** Reads, checks and writes a table. Nothing is written if anything is wrong. */
export async function importTable(file: string, options: ImportOptions, work: Work = {}): Promise<Imported> {
  const { output, skipBad = false, groups = [], pivot: column } = options;
  // What can be refused before the file is read, is.
  checkOutputs({ outputs: [{ path: output, kind: 'table' }], inputs: [file], force: options.force });
  formatOf(output);
  if (options.space !== undefined) architectureCheck(options.space);
  const skipped: SkippedRow[] = [];
  const rules = importRules(skipBad ? (row) => skipped.push(row) : undefined);
  const texts = column === undefined ? groups : [...groups, column];
  const { table: read, resolved } = await openTable(file, { ...options, rules, texts }, work);
  if (read.rows === 0) {
    throw new AuspexError('TABLE_EMPTY', skipped.length === 0 ? 'the file has no rows' : allBad(skipped), {
      where: { file },
    });
  }
  const pivoted = column === undefined ? undefined : pivot(read, column);
  const table = pivoted?.table ?? read;
  work.signal?.throwIfAborted();
  const { duplicates } = await equalRows(table, 'text', work);
  const long = pivoted || duplicates === 0 ? undefined : await longColumn(file, options, work);
  await writeTableFile(output, table, undefined, { signal: work.signal });
  const document: ImportDocument = {
    schema: 'auspex.data.import/1',
    file,
    output,
    ...tableFields(table),
    inferred: resolved.map(({ label: { name }, inferred, from }) => ({
      name,
      inferred: [...inferred],
      from: [...from],
    })),
    duplicates,
    skipped,
    pivot: pivoted ? { column: column!, values: [...pivoted.values], averaged: pivoted.averaged } : null,
    long: long ?? null,
  };
  return { document, resolved };
}

/** The column that a table is long by, looked for among all columns that are nothing else. */
async function longColumn(file: string, options: ImportOptions, work: Work): Promise<string | undefined> {
  const rules = { skip: () => undefined };
  const { table } = await openTable(file, { ...options, rules, texts: 'all' }, work);
  return longBy(table);
}

function allBad(skipped: readonly SkippedRow[]): string {
  const [first] = skipped;
  return `all ${skipped.length} rows are invalid; ${first!.at}: ${first!.message}`;
}

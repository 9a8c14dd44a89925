// `auspex data split`: rows for training, validation and test, as three tables and a record that names the rows.
import { tableDigest } from '../../datasets/splits/digests.js';
import {
  type Groups,
  groupedFolds,
  groupedSplit,
  groupsBy,
  joinedGroups,
  withoutDoubles,
} from '../../datasets/splits/group-splits.js';
import { type ReadSplit, readSplit, type SplitRecord } from '../../datasets/splits/split-record.js';
import { familySplit, firstSplit, type Split, sizeSplit } from '../../datasets/splits/splits.js';
import type { Table } from '../../datasets/table.js';
import { readBytes } from '../../onnx/file.js';
import { sizesOf } from '../../spaces/sizes.js';
import { checkOutputs, type PlannedOutput } from '../../store/outputs.js';
import { writeTableFile } from '../../store/table-file.js';
import { writeOutput } from '../../store/write-file.js';
import { AuspexError } from '../../util/errors.js';
import { type Equality, equalRows } from '../arch-keys.js';
import type { SplitDocument } from '../documents/data.js';
import type { Work } from '../work.js';
import { openTable, type PlainOptions } from './open.js';

export const SPLIT_WAYS = ['random', 'first', 'size', 'family', 'fold'] as const;
export const SPLIT_PARTS = ['train', 'validation', 'test'] as const;

export interface SplitOptions extends PlainOptions {
  /** How the names of the files begin. */
  readonly output: string;
  readonly force?: boolean | undefined;
  readonly by: (typeof SPLIT_WAYS)[number];
  readonly train?: number | undefined;
  readonly validation?: number | undefined;
  readonly test?: number | undefined;
  readonly testOnAll?: boolean | undefined;
  readonly seed: number;
  /** Only rows that have these labels. */
  readonly present?: readonly string[] | undefined;
  /** What equal architectures are, which stay together; `text` by default. */
  readonly equal?: Equality | undefined;
  /** A column whose rows of one value stay together. */
  readonly group?: string | undefined;
  /** A regular expression for the family in an architecture's text, and the family that is left out. */
  readonly family?: string | undefined;
  readonly leave?: string | undefined;
  readonly folds?: number | undefined;
  /** Which of the folds, from 1. */
  readonly fold?: number | undefined;
}

/** Splits a table and writes the sets; equal architectures are never in two of them. */
export async function splitTable(
  file: string,
  options: SplitOptions,
  work: Work = {},
): Promise<SplitDocument> {
  const { output, group, force } = options;
  checkOutputs({ outputs: outputsOf(output), inputs: [file], force });
  const texts = group === undefined ? [] : [group];
  const { table } = await openTable(file, { ...options, texts }, work);
  const rows = table.rowsWith(options.present ?? []);
  const chosen = table.take(rows);
  const equal = await equalRows(chosen, options.equal ?? 'text', work);
  const groups = group === undefined ? equal : joinedGroups(equal, groupsBy(groupKeys(chosen, group)));
  work.signal?.throwIfAborted();
  const { split, dropped } = splitOf(chosen, groups, options);
  // Indices of rows of the file, whatever was left out.
  const indices = perPart((part) => Array.from(split[part], (row) => rows[row]!));
  const files: SplitRecord['files'] = {};
  for (const part of SPLIT_PARTS) {
    if (split[part].length === 0) continue;
    work.signal?.throwIfAborted();
    files[part] = setPath(output, part);
    await writeTableFile(files[part]!, table.take(indices[part]), undefined, { signal: work.signal });
  }
  const description = {
    schema: 'auspex.data.split/1' as const,
    file,
    space: table.space,
    by: split.by,
    seed: split.seed ?? null,
    testOnAll: split.testOnAll,
    equal: options.equal ?? ('text' as const),
    group: group ?? null,
    duplicates: equal.duplicates,
    dropped,
    table: { rows: table.rows, digest: tableDigest(table) },
    files,
  };
  const record: SplitRecord = { ...description, rows: indices };
  await writeOutput(recordPath(output), `${JSON.stringify(record)}\n`);
  return { ...description, counts: perPart((part) => split[part].length) };
}

const setPath = (prefix: string, part: string): string => `${prefix}.${part}.csv.gz`;
const recordPath = (prefix: string): string => `${prefix}.split.json`;

function outputsOf(prefix: string): PlannedOutput[] {
  const sets = SPLIT_PARTS.map((part): PlannedOutput => ({ path: setPath(prefix, part), kind: 'table' }));
  return [...sets, { path: recordPath(prefix), kind: 'split' }];
}

/** Reads PREFIX.split.json, if it is of this table. Codes: FILE_UNREADABLE, SPLIT_FILE. */
export async function readSplitFile(path: string, table: Table): Promise<ReadSplit> {
  const bytes = readBytes(path);
  try {
    return readSplit(bytes, table);
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file: path }) : error;
  }
}

function perPart<T>(of: (part: (typeof SPLIT_PARTS)[number]) => T): Record<(typeof SPLIT_PARTS)[number], T> {
  return { train: of('train'), validation: of('validation'), test: of('test') };
}

/** What rows of one group have in common: words, or numbers. */
export function groupKeys(table: Table, column: string): Iterable<string> {
  const isLabel = !table.texts.has(column) && table.labels.some(({ name }) => name === column);
  return isLabel ? Array.from(table.column(column), String) : table.text(column);
}

function splitOf(table: Table, groups: Groups, options: SplitOptions): { split: Split; dropped: number } {
  const { by, seed, validation, test, testOnAll } = options;
  if (by === 'fold') return { split: byFold(groups, options), dropped: 0 };
  if (by === 'family') return withoutDoubles(byFamily(table, options), groups);
  const sizes = { train: needed(options.train, '--train'), validation, test, testOnAll, seed };
  if (by === 'random') return { split: groupedSplit(groups, sizes), dropped: 0 };
  const split =
    by === 'first'
      ? firstSplit(table.rows, sizes)
      : sizeSplit(sizesOf(table.space, table.architectures), sizes);
  return withoutDoubles(split, groups);
}

function byFamily(table: Table, { family, leave, seed, train, validation }: SplitOptions): Split {
  const source = needed(family, '--family');
  let pattern: RegExp;
  try {
    pattern = new RegExp(source);
  } catch (error) {
    throw new AuspexError(
      'BAD_OPTION',
      `--family ${source} is not a regular expression: ${(error as Error).message}`,
    );
  }
  const families = Array.from(table.architectures, (text) => {
    const match = pattern.exec(text);
    return match?.[1] ?? match?.[0] ?? '';
  });
  return familySplit(families, needed(leave, '--leave'), { seed, train, validation });
}

function byFold(groups: Groups, { folds, fold, seed, validation }: SplitOptions): Split {
  const count = needed(folds, '--folds');
  const which = needed(fold, '--fold');
  const split = groupedFolds(groups, count, { seed, validation })[which - 1];
  if (split) return split;
  throw new AuspexError('BAD_OPTION', `fold ${which} does not exist; there are ${count} folds`, {
    hint: 'folds are counted from 1',
  });
}

function needed<T>(value: T | undefined, flag: string): T {
  if (value !== undefined) return value;
  throw new AuspexError('BAD_OPTION', `${flag} is needed`, { hint: 'see: auspex data split --help' });
}

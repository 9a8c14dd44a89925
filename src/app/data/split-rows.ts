// Which rows of a table are for training, validation and test; equal architectures are never in two of these sets.
import {
  type Groups,
  groupedFolds,
  groupedSplit,
  groupsBy,
  joinedGroups,
  withoutDoubles,
} from '../../datasets/splits/group-splits.js';
import { familySplit, firstSplit, type Split, sizeSplit } from '../../datasets/splits/splits.js';
import type { Table } from '../../datasets/table.js';
import { sizesOf } from '../../spaces/sizes.js';
import { AuspexError } from '../../util/errors.js';
import type { Equality } from '../arch-keys.js';
import type { Work } from '../work.js';

export const SPLIT_WAYS = ['random', 'first', 'size', 'family', 'fold'] as const;

/** How a table is split. */
export interface SplitWay {
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

/** Finds rows of equal architectures. */
export type EqualRows = (table: Table, equality: Equality, work?: Work) => Promise<Groups>;

interface SplitFound {
  /** Indices of rows of the table, whatever was left out. */
  readonly split: Split;
  readonly equal: Groups;
  /** Rows that were left out, because an equal one is in another set. */
  readonly dropped: number;
}

/** @throws AuspexError BAD_OPTION, SPLIT_… */
export async function splitRows(
  table: Table,
  options: SplitWay,
  equalRows: EqualRows,
  work: Work = {},
): Promise<SplitFound> {
  const { group } = options;
  const rows = table.rowsWith(options.present ?? []);
  const chosen = table.take(rows);
  const equal = await equalRows(chosen, options.equal ?? 'text', work);
  const groups = group === undefined ? equal : joinedGroups(equal, groupsBy(groupKeys(chosen, group)));
  const { split, dropped } = splitOf(chosen, groups, options);
  const inTable = (set: Uint32Array): Uint32Array => set.map((row) => rows[row]!);
  const sets = {
    train: inTable(split.train),
    validation: inTable(split.validation),
    test: inTable(split.test),
  };
  return { split: { ...split, ...sets }, equal, dropped };
}

/** What rows of one group have in common: words, or numbers. */
export function groupKeys(table: Table, column: string): Iterable<string> {
  const isLabel = !table.texts.has(column) && table.labels.some(({ name }) => name === column);
  return isLabel ? Array.from(table.column(column), String) : table.text(column);
}

function splitOf(table: Table, groups: Groups, options: SplitWay): { split: Split; dropped: number } {
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

function byFamily(table: Table, { family, leave, seed, train, validation }: SplitWay): Split {
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

function byFold(groups: Groups, { folds, fold, seed, validation }: SplitWay): Split {
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
  throw new AuspexError('BAD_OPTION', `${flag} is required`, { hint: 'see: auspex data split --help' });
}

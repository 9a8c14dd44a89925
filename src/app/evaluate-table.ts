// A predictor against a table in memory: which rows, which labels, and how well it does.
import { ArchDigests, isSeen } from '../datasets/splits/digests.js';
import { randomSplit } from '../datasets/splits/splits.js';
import type { Table } from '../datasets/table.js';
import type { Resolver } from '../networks/index.js';
import { type EvaluateOptions, evaluate } from '../predictors/evaluate.js';
import { tableNetworks } from '../predictors/labelled-rows.js';
import { predictionsOf } from '../predictors/predictions.js';
import type { Predictor, PredictorInfo } from '../predictors/predictor.js';
import type { EvaluatedLabel } from '../report/pages/evaluation-report.js';
import { AuspexError } from '../util/errors.js';
import { archKeyOf } from './arch-keys.js';
import type { Work } from './work.js';

export const PARTS = ['train', 'validation', 'test'] as const;
export type Part = (typeof PARTS)[number];

/** Rows of the table that are looked at. */
export interface ChosenRows {
  readonly rows: Uint32Array;
  /** What chose them; undefined for all rows. */
  readonly split: string | undefined;
  readonly part: Part | undefined;
}

const placeOf = (file: string | undefined) => (file === undefined ? {} : { where: { file } });

/** A predictor of another space must cover networks of the table's. */
export function expectCovered(table: Table, predictor: Predictor, resolver: Resolver, data?: string): void {
  const { spaces } = predictor.info.seen;
  if (spaces.includes(table.space) || table.rows === 0) return;
  const uncovered = predictor.covers(tableNetworks(table, [0], resolver).at(0));
  if (uncovered === undefined) return;
  throw new AuspexError(
    'EVALUATE_SPACE',
    `the predictor was trained on ${spaces.join(', ')}, but the table contains ${table.space}`,
    {
      ...placeOf(data),
      hint: `give a table of ${spaces.join(', ')}, or a predictor for ${table.space}`,
      cause: uncovered,
    },
  );
}

/** Which output is compared with which column. */
interface LabelPair {
  readonly output: number;
  readonly column: string;
}

export function labelPairs(
  table: Table,
  { labels }: PredictorInfo,
  wanted: string | undefined,
): { pairs: readonly LabelPair[]; absent: readonly string[] } {
  const all = labels.map(({ name }, output) => ({ output, column: name }));
  if (wanted === undefined) {
    const has = (name: string): boolean => table.labels.some((label) => label.name === name);
    const pairs = all.filter(({ column }) => has(column));
    if (pairs.length > 0) return { pairs, absent: all.map((p) => p.column).filter((name) => !has(name)) };
    throw new AuspexError(
      'TABLE_NO_LABEL',
      `the table has none of the predicted labels: ${all.map(({ column }) => column).join(', ')}`,
      {
        hint: `choose a label of the table with --label: ${table.labels.map(({ name }) => name).join(', ') || 'it has none'}`,
      },
    );
  }
  // Says what the table has, if it does not have this.
  table.column(wanted);
  const same = all.find(({ column }) => column === wanted);
  if (same) return { pairs: [same], absent: [] };
  if (all.length === 1) return { pairs: [{ output: 0, column: wanted }], absent: [] };
  throw new AuspexError('EVALUATE_LABEL', `the predictor predicts several labels, but not '${wanted}'`, {
    hint: `it predicts ${all.map(({ column }) => column).join(', ')}`,
  });
}

export async function evaluated(
  predictor: Predictor,
  table: Table,
  rows: Uint32Array,
  pairs: readonly LabelPair[],
  resolver: Resolver,
  { resamples, seed }: Pick<EvaluateOptions, 'resamples' | 'seed'>,
  { progress, signal }: Work,
): Promise<EvaluatedLabel[]> {
  const { labels } = predictor.info;
  const columns = pairs.map(({ column }) => table.column(column));
  // What nothing is known of need not be predicted.
  const known = rows.filter((row) => columns.some((column) => !Number.isNaN(column[row])));
  const found = await predictionsOf(predictor, tableNetworks(table, known, resolver), {
    onProgress: (part) => progress?.(Math.round(part * known.length), known.length),
    ...(signal ? { signal } : {}),
  });
  progress?.(known.length, known.length);
  return pairs.map(({ output, column }, i) => {
    const label = labels[output]!;
    const { unit, better } = table.label(column);
    const truths = Float64Array.from(known, (row) => columns[i]![row]!);
    const evaluation = evaluate(found.column(output), truths, {
      better,
      ...(resamples === undefined ? {} : { resamples }),
      ...(seed === undefined ? {} : { seed }),
    });
    return {
      label: column,
      unit,
      better,
      trainedOn: label.name,
      promised: label.interval?.coverage,
      evaluation: { ...evaluation, withoutTruth: rows.length - evaluation.rows },
      predictions: Array.from(known, (_, k) => found.at(k, output)),
      truths,
    };
  });
}

/** Rows whose architectures the predictor has seen neither in training nor in validation. */
export function unseenRows(table: Table, info: PredictorInfo, data?: string): ChosenRows {
  const { digests, split } = info.seen;
  if (digests !== undefined) {
    const seen = ArchDigests.parse(digests);
    const key = archKeyOf(table.space);
    const rows = Uint32Array.from({ length: table.rows }, (_, row) => row).filter(
      (row) => !isSeen(seen, table.arch(row), key),
    );
    if (rows.length > 0) return { rows, split: 'its training', part: 'test' };
    throw new AuspexError(
      'UNSEEN_NONE',
      'the predictor was trained or validated on every row of this table',
      {
        ...placeOf(data),
        hint: 'train on fewer rows (--train N), or give another table',
      },
    );
  }
  // A file of before: all that is known is how its rows were drawn, if the table is the same in the same order.
  const names = info.labels.map(({ name }) => name);
  const known = new Set(table.labels.map(({ name }) => name));
  const rows = names.every((name) => known.has(name)) ? table.rowsWith(names) : new Uint32Array();
  if (split === undefined || split.of !== rows.length) {
    throw new AuspexError('SPLIT_UNKNOWN', 'the training rows of this table are unknown', {
      ...placeOf(data),
      hint: 'give the table the predictor was trained on, or a split with --split',
    });
  }
  const { test } = randomSplit(split.of, split);
  const unseen = Uint32Array.from(test, (row) => rows[row]!);
  return { rows: unseen, split: 'the training split, by row number', part: 'test' };
}

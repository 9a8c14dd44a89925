// What `auspex evaluate` does: compares a predictor with a table of measurements.

import type { LabelRequest } from '../datasets/label-options.js';
import { ArchDigests, isSeen } from '../datasets/splits/digests.js';
import { randomSplit } from '../datasets/splits/splits.js';
import type { Table } from '../datasets/table.js';
import type { Resolver } from '../networks/index.js';
import { evaluate } from '../predictors/evaluate.js';
import { tableNetworks } from '../predictors/labelled-rows.js';
import { predictionsOf } from '../predictors/predictions.js';
import type { LabelInfo, Predictor, PredictorInfo } from '../predictors/predictor.js';
import { type EvaluatedLabel, evaluationReport } from '../report/pages/evaluation-report.js';
import { checkOutputs } from '../store/outputs.js';
import { loadPredictor } from '../store/predictor-file.js';
import { readTableFile } from '../store/table-file.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { archKeyOf } from './arch-keys.js';
import { openTable } from './data/open.js';
import { readSplitFile } from './data/split.js';
import { diskResolver } from './resolve.js';
import { version } from './version.js';
import type { Work } from './work.js';

export const PARTS = ['train', 'validation', 'test'] as const;
export type Part = (typeof PARTS)[number];

export interface EvaluateRequest {
  readonly predictor: string;
  readonly data: string;
  /** Of a plain file: the space of its architectures and their column. */
  readonly space?: string | undefined;
  readonly arch?: string | undefined;
  /** The label to compare with; all that are predicted by default. */
  readonly label?: string | undefined;
  readonly split?: string | undefined;
  readonly part?: Part | undefined;
  readonly unseen?: boolean | undefined;
  readonly report?: string | undefined;
  readonly resamples: number;
  readonly seed: number;
  readonly force?: boolean | undefined;
}

/** Rows of the table that are looked at. */
export interface ChosenRows {
  readonly rows: Uint32Array;
  /** What chose them; undefined for all rows. */
  readonly split: string | undefined;
  readonly part: Part | undefined;
}

export interface Evaluated {
  readonly file: string;
  readonly info: PredictorInfo;
  readonly data: string;
  readonly tableRows: number;
  readonly chosen: ChosenRows;
  readonly labels: readonly EvaluatedLabel[];
  /** Labels that the predictor has and the table has not. */
  readonly absent: readonly string[];
}

export interface EvaluateWork extends Work {
  readonly load?: (path: string) => Promise<Predictor>;
  readonly resolver?: Resolver;
}

/**
 * Evaluates a predictor, and writes the report if one is asked for.
 *
 * @throws AuspexError BAD_OPTION, OUTPUT_…, EVALUATE_…, TABLE_…, SPLIT_…
 */
export async function evaluatePredictor(
  request: EvaluateRequest,
  work: EvaluateWork = {},
): Promise<Evaluated> {
  const { predictor: file, data, report, split, force } = request;
  expectOneChoice(request);
  if (report !== undefined) {
    const inputs = [file, data, split];
    checkOutputs({ outputs: [{ path: report, kind: 'html' }], inputs, force });
  }
  const { load = loadPredictor, resolver = diskResolver(), signal } = work;
  const ofSpace = request.space === undefined ? await readTableFile(data, work) : undefined;
  const named = ofSpace && !request.unseen ? await chosenRows(ofSpace, request) : undefined;
  const predictor = await load(file);
  try {
    const { info } = predictor;
    const table = ofSpace ?? (await plainTable(request, info.labels, work));
    expectCovered(table, predictor, resolver, data);
    const chosen = request.unseen
      ? unseenRows(table, info, data)
      : (named ?? (await chosenRows(table, request)));
    const { pairs, absent } = labelPairs(table, info, request.label);
    const labels = await evaluated(predictor, table, chosen.rows, pairs, resolver, request, work);
    signal?.throwIfAborted();
    const found: Evaluated = { file, info, data, tableRows: table.rows, chosen, labels, absent };
    if (report !== undefined) await writeOutput(report, reportOf(found));
    return found;
  } finally {
    await predictor.dispose();
  }
}

function expectOneChoice({ part, split, unseen, space, arch }: EvaluateRequest): void {
  const refuse = (message: string): never => {
    throw new AuspexError('BAD_OPTION', message);
  };
  if (part !== undefined && split === undefined) refuse('--part requires --split');
  if (unseen && split !== undefined) refuse('--unseen and --split cannot be combined');
  if (arch !== undefined && space === undefined) refuse('--arch requires --space');
}

/** A plain file, its labels as the predictor knows them. */
async function plainTable(
  { data, space, arch, label }: EvaluateRequest,
  labels: readonly LabelInfo[],
  work: Work,
): Promise<Table> {
  const known = labels.map(({ name, unit, better }): LabelRequest => ({ name, unit, better }));
  const wanted = label === undefined ? known : known.filter(({ name }) => name === label);
  const requests = wanted.length > 0 ? wanted : [{ name: label! }];
  return (await openTable(data, { space, arch, labels: requests }, work)).table;
}

/** What was chosen, in words. */
export function rowsText(tableRows: number, { rows, split, part }: ChosenRows): string {
  return split === undefined
    ? `all ${tableRows} rows, including training rows; use --unseen to exclude them`
    : `${rows.length} ${part} rows of ${split}`;
}

function reportOf({ file, info, data, tableRows, chosen, labels }: Evaluated): string {
  return evaluationReport({
    predictor: { file, info },
    data: { file: data, rows: rowsText(tableRows, chosen) },
    labels,
    version: version(),
  });
}

/** A predictor of another space must cover networks of the table's. */
function expectCovered(table: Table, predictor: Predictor, resolver: Resolver, data: string): void {
  const { spaces } = predictor.info.seen;
  if (spaces.includes(table.space) || table.rows === 0) return;
  const uncovered = predictor.covers(tableNetworks(table, [0], resolver).at(0));
  if (uncovered === undefined) return;
  throw new AuspexError(
    'EVALUATE_SPACE',
    `the predictor was trained on ${spaces.join(', ')}, but the table contains ${table.space}`,
    {
      where: { file: data },
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

function labelPairs(
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

async function evaluated(
  predictor: Predictor,
  table: Table,
  rows: Uint32Array,
  pairs: readonly LabelPair[],
  resolver: Resolver,
  { resamples, seed }: EvaluateRequest,
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
    const evaluation = evaluate(found.column(output), truths, { resamples, seed, better });
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
function unseenRows(table: Table, info: PredictorInfo, data: string): ChosenRows {
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
        where: { file: data },
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
      where: { file: data },
      hint: 'give the table the predictor was trained on, or a split with --split',
    });
  }
  const { test } = randomSplit(split.of, split);
  const unseen = Uint32Array.from(test, (row) => rows[row]!);
  return { rows: unseen, split: 'the training split, by row number', part: 'test' };
}

async function chosenRows(table: Table, { split, part = 'test' }: EvaluateRequest): Promise<ChosenRows> {
  if (split !== undefined) return { rows: (await readSplitFile(split, table))[part], split, part };
  const rows = Uint32Array.from({ length: table.rows }, (_, row) => row);
  return { rows, split: undefined, part: undefined };
}

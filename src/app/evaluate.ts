// What `auspex evaluate` does: compares a predictor with a table of measurements.

import type { LabelRequest } from '../datasets/label-options.js';
import type { Table } from '../datasets/table.js';
import type { Resolver } from '../networks/index.js';
import type { LabelInfo, Predictor, PredictorInfo } from '../predictors/predictor.js';
import { type EvaluatedLabel, evaluationReport } from '../report/pages/evaluation-report.js';
import { checkOutputs } from '../store/outputs.js';
import { readTableFile } from '../store/table-file.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { isBundledReference, openPredictor } from './bundled.js';
import { openTable } from './data/open.js';
import { readSplitFile } from './data/split.js';
import {
  type ChosenRows,
  evaluated,
  expectCovered,
  labelPairs,
  type Part,
  unseenRows,
} from './evaluate-table.js';
import { diskResolver } from './resolve.js';
import { version } from './version.js';
import type { Work } from './work.js';

export interface EvaluateRequest {
  /** Its file, or `bundled:NAME`. */
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
    const inputs = [isBundledReference(file) ? undefined : file, data, split];
    checkOutputs({ outputs: [{ path: report, kind: 'html' }], inputs, force });
  }
  const { load = openPredictor, resolver = diskResolver(), signal } = work;
  const ofSpace = request.space === undefined ? await readTableFile(data, work) : undefined;
  const named = ofSpace && !request.unseen ? await chosenRows(ofSpace, request) : undefined;
  const predictor = await load(file);
  try {
    const { info } = predictor;
    const table = ofSpace ?? (await plainTable(request, info.labels, work));
    expectCovered(table, predictor, resolver, data);
    const chosen: ChosenRows = request.unseen
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

/** The chosen rows, in words. */
export function rowsText(tableRows: number, { rows, split, part }: ChosenRows): string {
  if (split === undefined)
    return `all ${tableRows} rows, including training rows; use --unseen to exclude them`;
  return split.startsWith('its training')
    ? `${rows.length} rows not seen in training`
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

async function chosenRows(table: Table, { split, part = 'test' }: EvaluateRequest): Promise<ChosenRows> {
  if (split !== undefined) return { rows: (await readSplitFile(split, table))[part], split, part };
  const rows = Uint32Array.from({ length: table.rows }, (_, row) => row);
  return { rows, split: undefined, part: undefined };
}

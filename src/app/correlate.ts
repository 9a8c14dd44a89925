// How well zero-cost scores order the rows of a table.
import type { Label, Table } from '../datasets/table.js';
import { ONNX } from '../networks/index.js';
import type { Correlation } from '../report/index.js';
import { correlationsOf, rowsToCorrelate } from './correlations.js';
import { type NamedNetworks, openReferences } from './resolve.js';
import { planOf, type ScoringRequest } from './score/plan.js';
import { type ScoreFound, type ScoreOptions, scoreNetworks } from './score/score.js';

interface CorrelateOptions extends Omit<ScoreOptions, 'plan' | 'explains'> {
  readonly table: Table;
  /** The path of the table, for errors and documents. */
  readonly file: string;
  /** The column that scores are compared with. */
  readonly label: string;
  /** How networks are built and scored; their space is the table's. */
  readonly request: Omit<ScoringRequest, 'space'>;
  /** So many rows, drawn by the seed; all by default. */
  readonly sample?: number | undefined;
  /** Of the bootstrap. */
  readonly resamples: number;
}

export interface CorrelateFound extends ScoreFound {
  readonly table: Table;
  readonly file: string;
  readonly label: Label;
  readonly resamples: number;
  /** Strongest first, whichever its sign; those without a value last. */
  readonly correlations: readonly Correlation[];
}

/**
 * @throws AuspexError TABLE_NO_LABEL, TABLE_TOO_SMALL, BAD_OPTION, and what `scoreNetworks` throws
 */
export async function correlate(options: CorrelateOptions): Promise<CorrelateFound> {
  const { table, file, label: name, columns, request, resamples, ...scoring } = options;
  const isFiles = table.space === ONNX;
  const plan = planOf({ ...request, ...(isFiles ? {} : { space: table.space }) }, columns, {
    hasFiles: isFiles,
    hasArchitectures: !isFiles,
  });
  const rows = rowsToCorrelate(table, name, { sample: options.sample, seed: plan.seed, file });
  const networks: NamedNetworks = await openReferences([], { table: table.take(rows) });
  const found = await scoreNetworks(networks, { ...scoring, columns, plan });
  const label = table.label(name);
  const truths = table.column(name);
  const correlations = correlationsOf(
    columns,
    found.records,
    found.records.map(({ index }) => truths[rows[index]!]!),
    { better: label.better, resamples, seed: plan.seed },
  );
  return { ...found, table, file, label, resamples, correlations };
}

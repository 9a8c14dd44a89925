// How well zero-cost scores order the rows of a table.
import { randomSplit } from '../datasets/splits/splits.js';
import type { Label, Table } from '../datasets/table.js';
import { ONNX } from '../networks/index.js';
import { evaluate, type MetricResult } from '../predictors/evaluate.js';
import type { Correlation } from '../report/index.js';
import { AuspexError } from '../util/errors.js';
import { type NamedNetworks, openReferences } from './resolve.js';
import { columnValues, type ProxyColumn } from './score/columns.js';
import { planOf, type ScoringRequest } from './score/plan.js';
import type { NetworkRecord } from './score/record.js';
import { type ScoreFound, type ScoreOptions, scoreNetworks } from './score/score.js';

export interface CorrelateOptions extends Omit<ScoreOptions, 'plan' | 'explains'> {
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
  const rows = chosenRows(table, options, plan.seed);
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

/** Rows that have the label, in the order of the table; all of them, or a sample. */
function chosenRows(table: Table, { label, sample, file }: CorrelateOptions, seed: number): Uint32Array {
  const known = table.rowsWith([label]);
  if (known.length < 2) {
    throw new AuspexError('TABLE_TOO_SMALL', `${known.length} rows have '${label}'; at least 2 are needed`, {
      where: { file },
    });
  }
  if (sample === undefined || sample >= known.length) return known;
  if (sample < 2) throw new AuspexError('BAD_OPTION', '--sample must be at least 2 rows');
  return randomSplit(known.length, { train: sample, seed })
    .train.map((row) => known[row]!)
    .sort();
}

/** The strongest first, whichever its sign; those without a value last. */
export function correlationsOf(
  columns: readonly ProxyColumn[],
  records: readonly Pick<NetworkRecord, 'scores'>[],
  truths: readonly number[],
  {
    better,
    resamples,
    seed,
  }: { readonly better: 'higher' | 'lower'; readonly resamples: number; readonly seed: number },
): Correlation[] {
  const values = columnValues(columns, records);
  const found = columns.map((column, c): Correlation => {
    const rows = records.flatMap((_, r) => (values[c]![r] === undefined ? [] : [r]));
    const [sign, way] = [column.better === 'higher' ? 1 : -1, better === 'higher' ? 1 : -1];
    const about = { name: column.name, title: column.title, better: column.better };
    if (rows.length < 2) {
      return { ...about, rows: rows.length, tau: without('tau-b'), spearman: without('spearman') };
    }
    const { metrics } = evaluate(
      rows.map((r) => ({ value: sign * values[c]![r]! })),
      rows.map((r) => way * truths[r]!),
      { metrics: ['tau-b', 'spearman'], resamples, seed },
    );
    return { ...about, rows: rows.length, tau: metrics[0]!, spearman: metrics[1]! };
  });
  const strength = ({ tau }: Correlation): number =>
    tau.estimate === undefined ? -1 : Math.abs(tau.estimate);
  return found.sort((a, b) => strength(b) - strength(a));
}

/** The code of a proxy that scores fewer than two rows; why is said of the networks. */
export const WITHOUT_SCORES = 'PROXY_WITHOUT_SCORES';

const without = (name: 'tau-b' | 'spearman'): MetricResult => ({
  name,
  title: name,
  better: 'higher',
  problem: { code: WITHOUT_SCORES, message: 'fewer than 2 scores' },
});

// How well scores order rows of a table: which rows, and the correlations of every score with a label.
import { randomSplit } from '../datasets/splits/splits.js';
import type { Table } from '../datasets/table.js';
import { evaluate, type MetricResult } from '../predictors/evaluate.js';
import type { Correlation } from '../report/index.js';
import { AuspexError } from '../util/errors.js';
import { columnValues, type ProxyColumn } from './score/columns.js';
import type { NetworkRecord } from './score/record.js';

/** Rows that have the label, in the order of the table; all of them, or a sample. */
export function rowsToCorrelate(
  table: Table,
  label: string,
  {
    sample,
    seed,
    file,
  }: { readonly sample?: number | undefined; readonly seed: number; readonly file?: string },
): Uint32Array {
  const known = table.rowsWith([label]);
  if (known.length < 2) {
    throw new AuspexError('TABLE_TOO_SMALL', `${known.length} rows have '${label}'; at least 2 are needed`, {
      ...(file === undefined ? {} : { where: { file } }),
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

// How good predictions are: every metric with a bootstrap interval, and whether their own intervals hold what they
// promise. A metric that has no value says why; it does not take the others with it.
import { type BootstrapOptions, metricNamed, type NamedMetric } from '../metrics/index.js';
import { DRAWN_ROWS, largeBootstrap } from '../metrics/large-bootstrap.js';
import { AuspexError } from '../util/errors.js';
import type { PredictedColumn, Prediction } from './predictions.js';

/** What is computed unless a caller names others; docs/reference/metrics.md says what they are. */
export const EVALUATED_METRICS: readonly string[] = [
  'tau-b',
  'spearman',
  'pearson',
  'ndcg@10',
  'precision@10',
  'regret@1',
  'mape',
  'acc@0.1',
  'acc@0.05',
  'mae',
  'rmse',
  'r2',
];

export interface EvaluateOptions extends Pick<BootstrapOptions, 'resamples' | 'seed'> {
  readonly metrics?: readonly string[];
  /** False for a latency: the best rows, of which some metrics speak, are then those of the least values. */
  readonly better?: 'higher' | 'lower';
}

export interface MetricResult extends Pick<NamedMetric, 'name' | 'title' | 'better'> {
  /** Absent where the metric has no value for these rows. */
  readonly estimate?: number;
  /** The interval of 95%; absent where resamples make none. */
  readonly low?: number;
  readonly high?: number;
  /** Resamples that had no value; the interval is without them. */
  readonly degenerate?: number;
  /** Why something is absent. */
  readonly problem?: { readonly code: string; readonly message: string };
}

/** Whether intervals of predictions hold the truths. */
export interface MeasuredCoverage {
  /** Rows whose prediction has an interval, and how many truths lie in theirs, ends included. */
  readonly rows: number;
  readonly inside: number;
  readonly share: number;
  /** Interval of 95% of the share (Wilson 1927). */
  readonly low: number;
  readonly high: number;
  readonly meanWidth: number;
}

export interface Evaluation {
  /** Rows that were compared. */
  readonly rows: number;
  /** Rows that were left out, because nothing is known of them. */
  readonly withoutTruth: number;
  readonly metrics: readonly MetricResult[];
  /** Undefined for predictions without intervals. */
  readonly coverage: MeasuredCoverage | undefined;
  readonly bootstrap: {
    readonly confidence: number;
    readonly resamples: number;
    readonly seed: number;
    /** Rows in each resample; fewer than there are for large tables (see `largeBootstrap`). */
    readonly drawn: number;
  };
}

const DEFAULTS = { metrics: EVALUATED_METRICS, better: 'higher', resamples: 1000, seed: 0 };
const CONFIDENCE = 0.95;

/** The 97.5% quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/**
 * Compares predictions, a column or row by row, with truths; NaN is a truth that is not known. Metrics of ranks are computed so that
 * better means what it means for the label.
 *
 * Codes: EVALUATE_LENGTH, EVALUATE_TOO_FEW (fewer than 2 rows with a truth), EVALUATE_NOT_FINITE, METRIC_UNKNOWN,
 * METRIC_BOOTSTRAP.
 *
 * @example
 * const { metrics } = evaluate(predictions, table.column('cifar10_test'), { seed: 1 });
 * metrics[0]; // { name: 'tau-b', estimate: 0.81, low: 0.80, high: 0.82, … }
 */
export function evaluate(
  predictions: PredictedColumn | readonly Prediction[],
  truths: ArrayLike<number>,
  options: EvaluateOptions = {},
): Evaluation {
  const { metrics, better, resamples, seed } = { ...DEFAULTS, ...options };
  const named = metrics.map(metricNamed);
  const { values, low, high } = columnOf(predictions);
  const known = knownRows(values, truths);
  const p = Float64Array.from(known, (row) => values[row]!);
  const t = Float64Array.from(known, (row) => truths[row]!);
  const [flippedP, flippedT] = better === 'higher' ? [p, t] : [p.map((v) => -v), t.map((v) => -v)];
  return {
    rows: known.length,
    withoutTruth: truths.length - known.length,
    metrics: named.map((metric) =>
      metric.compares === 'ranks'
        ? resultOf(metric, flippedP, flippedT, { resamples, seed })
        : resultOf(metric, p, t, { resamples, seed }),
    ),
    coverage: low && high && coverage(known, low, high, truths),
    bootstrap: { confidence: CONFIDENCE, resamples, seed, drawn: Math.min(known.length, DRAWN_ROWS) },
  };
}

/** Predictions of rows as a column; NaN for the ends of those without an interval. */
function columnOf(predictions: PredictedColumn | readonly Prediction[]): PredictedColumn {
  if (!Array.isArray(predictions)) return predictions as PredictedColumn;
  const rows: readonly Prediction[] = predictions;
  const of = (name: 'low' | 'high'): Float64Array =>
    Float64Array.from(rows, (each) => each[name] ?? Number.NaN);
  return { values: Float64Array.from(rows, ({ value }) => value), low: of('low'), high: of('high') };
}

/** The rows that have a truth. */
function knownRows(predictions: Float64Array, truths: ArrayLike<number>): number[] {
  if (predictions.length !== truths.length) {
    throw new AuspexError('EVALUATE_LENGTH', `${predictions.length} predictions for ${truths.length} truths`);
  }
  const known: number[] = [];
  for (let row = 0; row < truths.length; row++) {
    const truth = truths[row]!;
    if (Number.isNaN(truth)) continue;
    const value = predictions[row]!;
    const wrong = !Number.isFinite(truth) ? 'truth' : !Number.isFinite(value) ? 'prediction' : undefined;
    if (wrong !== undefined) {
      throw new AuspexError(
        'EVALUATE_NOT_FINITE',
        `the ${wrong} of row ${row} is ${wrong === 'truth' ? truth : value}`,
        {
          where: { path: `row ${row}` },
          hint:
            wrong === 'truth'
              ? 'leave such rows out of the table, or leave their value empty'
              : 'the predictor is broken; check its training',
        },
      );
    }
    known.push(row);
  }
  if (known.length < 2) {
    throw new AuspexError(
      'EVALUATE_TOO_FEW',
      `${known.length} of ${truths.length} rows have a truth; at least 2 are needed`,
      { hint: 'give more rows, or choose another label' },
    );
  }
  return known;
}

function resultOf(
  metric: NamedMetric,
  p: Float64Array,
  t: Float64Array,
  options: BootstrapOptions,
): MetricResult {
  const { name, title, better, compute } = metric;
  const about = { name, title, better };
  let estimate: number | undefined;
  try {
    estimate = compute(p, t);
    const { low, high, degenerate } = largeBootstrap(metric, p, t, { ...options, confidence: CONFIDENCE });
    return { ...about, estimate, low, high, degenerate };
  } catch (error) {
    if (!(error instanceof AuspexError) || error.code === 'METRIC_BOOTSTRAP') throw error;
    const problem = { code: error.code, message: error.message };
    return estimate === undefined ? { ...about, problem } : { ...about, estimate, problem };
  }
}

function coverage(
  known: readonly number[],
  low: Float64Array,
  high: Float64Array,
  truths: ArrayLike<number>,
): MeasuredCoverage | undefined {
  let [rows, inside, width] = [0, 0, 0];
  for (const row of known) {
    const [least, most, truth] = [low[row]!, high[row]!, truths[row]!];
    if (Number.isNaN(least) || Number.isNaN(most)) continue;
    rows++;
    width += most - least;
    if (least <= truth && truth <= most) inside++;
  }
  if (rows === 0) return undefined;
  const share = inside / rows;
  const centre = (share + Z ** 2 / (2 * rows)) / (1 + Z ** 2 / rows);
  const half = (Z * Math.sqrt((share * (1 - share)) / rows + Z ** 2 / (4 * rows ** 2))) / (1 + Z ** 2 / rows);
  return {
    rows,
    inside,
    share,
    low: Math.max(0, centre - half),
    high: Math.min(1, centre + half),
    meanWidth: width / rows,
  };
}

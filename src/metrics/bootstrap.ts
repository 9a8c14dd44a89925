// Percentile bootstrap (Efron 1979): how sure a metric is, from the same metric on rows drawn with replacement.
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';
import { type MetricFunction, valuePairs } from './input.js';

export interface BootstrapOptions {
  /** Share of resamples that the interval holds. */
  readonly confidence?: number;
  readonly resamples?: number;
  readonly seed?: number;
}

export interface Interval {
  /** The metric of the rows as they are. */
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
  /** How many resamples were drawn. */
  readonly resamples: number;
  /** How many of them had no metric, because predictions or truths were constant. The interval is without them. */
  readonly degenerate: number;
}

const DEFAULTS: Required<BootstrapOptions> = { confidence: 0.95, resamples: 1000, seed: 0 };

/**
 * The interval between the percentiles (1 ± confidence)/2 of the metric on resamples of the rows, each as many rows as
 * there are; between two resamples it is interpolated linearly, as in `scipy.stats.bootstrap`. The same seed gives the
 * same interval. Rows must be independent: for latencies of one network on ten devices, they are not.
 *
 * Codes: those of the metric, METRIC_BOOTSTRAP for options that make no interval, METRIC_DEGENERATE if more than half
 * of the resamples have no metric.
 */
export function bootstrap(
  metric: MetricFunction,
  predictions: ArrayLike<number>,
  truths: ArrayLike<number>,
  options: BootstrapOptions = {},
): Interval {
  const { predictions: p, truths: t } = valuePairs(predictions, truths);
  const rows = p.length;
  const drawn = { p: new Float64Array(rows), t: new Float64Array(rows) };
  return percentileInterval(
    metric(p, t),
    (random) => {
      for (let i = 0; i < rows; i++) {
        const row = random.below(rows);
        drawn.p[i] = p[row]!;
        drawn.t[i] = t[row]!;
      }
      return metric(drawn.p, drawn.t);
    },
    options,
  );
}

/**
 * The interval between the percentiles of what a function gives that draws a resample and computes the metric of it.
 * For callers with another way to draw than `bootstrap`.
 */
export function percentileInterval(
  estimate: number,
  resampled: (random: Random) => number,
  options: BootstrapOptions = {},
): Interval {
  const { confidence, resamples, seed } = checked({ ...DEFAULTS, ...options });
  const random = Random.seeded(seed);
  const values: number[] = [];
  for (let resample = 0; resample < resamples; resample++) {
    const value = unlessConstant(() => resampled(random));
    if (value !== undefined) values.push(value);
  }
  const degenerate = resamples - values.length;
  if (degenerate > resamples / 2) {
    throw new AuspexError('METRIC_DEGENERATE', `${degenerate} of ${resamples} resamples are constant`, {
      hint: 'there are too few different rows for an interval; give more',
    });
  }
  const sorted = Float64Array.from(values).sort();
  const [low, high] = [(1 - confidence) / 2, (1 + confidence) / 2].map((q) => quantile(sorted, q));
  return { estimate, low: low!, high: high!, confidence, resamples, degenerate };
}

function checked(options: Required<BootstrapOptions>): Required<BootstrapOptions> {
  const { confidence, resamples, seed } = options;
  const wrong = (message: string): AuspexError => new AuspexError('METRIC_BOOTSTRAP', message);
  if (!(confidence > 0 && confidence < 1)) {
    throw wrong(`confidence is ${confidence}, not between 0 and 1`);
  }
  // Each tail must hold a resample, or the interval would end at the outermost by accident.
  const fewest = Math.ceil(2 / (1 - confidence) - 1e-6);
  if (!(Number.isInteger(resamples) && resamples >= fewest)) {
    throw wrong(`resamples is ${resamples}; an interval of ${100 * confidence}% needs ${fewest} or more`);
  }
  if (!Number.isSafeInteger(seed)) throw wrong(`seed is ${seed}, not a whole number`);
  return options;
}

function unlessConstant(metric: () => number): number | undefined {
  try {
    return metric();
  } catch (error) {
    if (error instanceof AuspexError && error.code === 'METRIC_CONSTANT') return undefined;
    throw error;
  }
}

/** The value below which a share q of sorted values lies, interpolated linearly: type 7 of Hyndman & Fan 1996. */
function quantile(sorted: Float64Array, q: number): number {
  const place = q * (sorted.length - 1);
  const below = sorted[Math.floor(place)]!;
  return below + (place - Math.floor(place)) * (sorted[Math.ceil(place)]! - below);
}

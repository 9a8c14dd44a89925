// Bootstrap intervals for tables of any length. A thousand resamples of 344,000 rows would take minutes for every
// metric; here their cost does not grow with the rows, and what is estimated stays the same.

import type { Random } from '../util/random.js';
import { percentileInterval } from './bootstrap.js';
import {
  type BootstrapOptions,
  bootstrap,
  type Interval,
  METRICS,
  type MetricName,
  type NamedMetric,
} from './index.js';
import { ascending } from './order.js';

/** Tables with more rows are drawn in one of the two ways below. */
export const DRAWN_ROWS = 2000;

/**
 * The percentile bootstrap (`bootstrap`), for any number of rows n.
 *
 * Up to `DRAWN_ROWS` rows it is just that. Of more:
 * - Correlations and errors converge as 1/√n, so m = `DRAWN_ROWS` rows are drawn, and deviations from the estimate are
 *   multiplied by √(m/n): the m out of n bootstrap (Bickel, Götze & van Zwet 1997; Politis, Romano & Wolf 1999).
 * - Metrics of the k best (`ndcg@k`, `precision@k`, `regret@k`) do not: the ten best of fewer rows are others. But they
 *   depend only on rows that are near the top or bottom. How many of n draws fall on those is binomial, so just these
 *   draws are made: the ordinary bootstrap with nothing left out.
 */
export function largeBootstrap(
  metric: NamedMetric,
  predictions: Float64Array,
  truths: Float64Array,
  options: BootstrapOptions,
): Interval {
  const rows = truths.length;
  if (rows <= DRAWN_ROWS) return bootstrap(metric.compute, predictions, truths, options);
  const estimate = metric.compute(predictions, truths);
  const k = bestOf(metric);
  if (k === undefined) {
    const draw = drawer(predictions, truths);
    const shrink = Math.sqrt(DRAWN_ROWS / rows);
    const resampled = (random: Random): number => {
      const { p, t } = draw(random, DRAWN_ROWS);
      return estimate + shrink * (metric.compute(p, t) - estimate);
    };
    return percentileInterval(estimate, resampled, options);
  }
  const near = extremeRows(predictions, truths, k);
  const draw = drawer(
    predictions.filter((_, row) => near[row] === 1),
    truths.filter((_, row) => near[row] === 1),
  );
  const share = near.reduce((sum, is) => sum + is, 0) / rows;
  const resampled = (random: Random): number => {
    const { p, t } = draw(random, binomial(random, rows, share));
    return metric.compute(p, t);
  };
  return percentileInterval(estimate, resampled, options);
}

/** The k of a metric of the k best. */
function bestOf({ name }: NamedMetric): number | undefined {
  const [base, argument] = name.split('@');
  const metric = METRICS[base as MetricName];
  return 'parameter' in metric && metric.parameter.name === 'k' ? Number(argument) : undefined;
}

type Draw = (random: Random, count: number) => { p: Float64Array; t: Float64Array };

function drawer(predictions: Float64Array, truths: Float64Array): Draw {
  return (random, count) => {
    const [p, t] = [new Float64Array(count), new Float64Array(count)];
    for (let i = 0; i < count; i++) {
      const row = random.below(truths.length);
      p[i] = predictions[row]!;
      t[i] = truths[row]!;
    }
    return { p, t };
  };
}

/**
 * Marks the rows that a metric of the k best can depend on: the best by prediction, with all that are tied with the last
 * of them, and the greatest and least by truth. So many that fewer than k of them are drawn less than once in 10¹⁵
 * resamples.
 */
function extremeRows(predictions: Float64Array, truths: Float64Array, k: number): Uint8Array {
  const rows = truths.length;
  const count = Math.min(rows, 2 * k + 60);
  const near = new Uint8Array(rows);
  const byTruth = ascending(truths).order;
  for (const row of byTruth.subarray(0, count)) near[row] = 1;
  for (const row of byTruth.subarray(rows - count)) near[row] = 1;
  const { order, sorted } = ascending(predictions);
  for (let i = rows - 1; i >= 0 && (i >= rows - count || sorted[i] === sorted[i + 1]); i--)
    near[order[i]!] = 1;
  return near;
}

/** How many of n draws hit what has a probability: the gaps between hits are geometric. */
function binomial(random: Random, n: number, probability: number): number {
  if (probability >= 1) return n;
  const rate = Math.log1p(-probability);
  const gap = (): number => Math.floor(Math.log(1 - random.float()) / rate);
  let hits = 0;
  for (let draw = gap(); draw < n; draw += 1 + gap()) hits++;
  return hits;
}

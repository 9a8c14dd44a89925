// How far predictions are from the truths, as values: absolute, squared and relative errors. Constant predictions are
// fair here: predicting the mean has R² = 0.
import { AuspexError } from '../util/errors.js';
import { representable, requireVaried, valuePairs } from './input.js';
import { sum } from './sums.js';

/** MAE = mean |p − t|, in the unit of the truths. */
export function mae(predictions: ArrayLike<number>, truths: ArrayLike<number>): number {
  const { predictions: p, truths: t } = valuePairs(predictions, truths);
  return mean(p.map((value, i) => Math.abs(value - t[i]!)));
}

/** RMSE = √(mean (p − t)²), in the unit of the truths. */
export function rmse(predictions: ArrayLike<number>, truths: ArrayLike<number>): number {
  const { predictions: p, truths: t } = valuePairs(predictions, truths);
  // Divided by the largest error, so that no square is too large or too small.
  const largest = p.reduce((most, value, i) => Math.max(most, Math.abs(value - t[i]!)), 0);
  if (largest === 0) return 0;
  return representable(largest * Math.sqrt(mean(p.map((value, i) => ((value - t[i]!) / largest) ** 2))));
}

/** MAPE = mean |p − t|/|t|, as a fraction: 0.05 is 5%. Code: METRIC_ZERO_TRUTH. */
export function mape(predictions: ArrayLike<number>, truths: ArrayLike<number>): number {
  return mean(relativeErrors(predictions, truths));
}

/** Acc(δ): the fraction of rows with |p − t|/|t| ≤ δ (NNLQP). Codes: METRIC_ZERO_TRUTH, METRIC_DELTA. */
export function accuracyWithin(
  predictions: ArrayLike<number>,
  truths: ArrayLike<number>,
  delta: number,
): number {
  if (!(Number.isFinite(delta) && delta >= 0)) {
    throw new AuspexError('METRIC_DELTA', `the bound of the relative error is ${delta}, not 0 or greater`, {
      hint: 'give a fraction: 0.1 for 10%',
    });
  }
  return mean(relativeErrors(predictions, truths).map((error) => Number(error <= delta)));
}

/** R² = 1 − Σ(p − t)²/Σ(t − t̄)², 1 at best and without a lower bound. Truths must differ (METRIC_CONSTANT). */
export function r2(predictions: ArrayLike<number>, truths: ArrayLike<number>): number {
  const { predictions: p, truths: t } = valuePairs(predictions, truths);
  requireVaried(t, 'truths');
  const centre = mean(t);
  const deviations = t.map((value) => value - centre);
  // What the rounding of the mean leaves of it.
  const off = mean(deviations);
  const variance = mean(deviations.map((value) => (value - off) ** 2));
  return representable(1 - mean(p.map((value, i) => (value - t[i]!) ** 2)) / variance);
}

function relativeErrors(predictions: ArrayLike<number>, truths: ArrayLike<number>): Float64Array {
  const { predictions: p, truths: t } = valuePairs(predictions, truths);
  return t.map((truth, i) => {
    if (truth !== 0) return Math.abs(p[i]! - truth) / Math.abs(truth);
    throw new AuspexError('METRIC_ZERO_TRUTH', `row ${i} has truth 0, so its relative error is undefined`, {
      where: { path: `truths[${i}]` },
      hint: 'use mae or rmse, or leave out such rows on both sides',
    });
  });
}

function mean(terms: Float64Array): number {
  return representable(sum(terms) / terms.length);
}

// Correlation of values (Pearson) and of ranks (Spearman).
import { rankPairs } from './input.js';
import { averageRanks } from './order.js';
import { dot, sum } from './sums.js';

/**
 * r = Σ(p − p̄)(t − t̄) / √(Σ(p − p̄)²·Σ(t − t̄)²): Pearson 1896, `scipy.stats.pearsonr`. Means are subtracted
 * before anything is multiplied, so a large common offset does no harm.
 */
export function pearson(predictions: ArrayLike<number>, truths: ArrayLike<number>): number {
  const { predictions: p, truths: t } = rankPairs(predictions, truths);
  return correlation(p, t);
}

/** ρ: Pearson's correlation of the ranks, ties with average ranks: Spearman 1904, `scipy.stats.spearmanr`. */
export function spearman(predictions: ArrayLike<number>, truths: ArrayLike<number>): number {
  const { predictions: p, truths: t } = rankPairs(predictions, truths);
  return correlation(averageRanks(p), averageRanks(t));
}

function correlation(x: Float64Array, y: Float64Array): number {
  const [dx, dy] = [deviations(x), deviations(y)];
  const r = dot(dx, dy) / Math.sqrt(dot(dx, dx) * dot(dy, dy));
  return Math.min(1, Math.max(-1, r));
}

/** Differences to the mean, all divided by a power of two near the largest value: exact, and squares stay finite. */
function deviations(values: Float64Array): Float64Array {
  const n = values.length;
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(values[i]!));
  const scale = 2 ** Math.min(Math.floor(Math.log2(largest)), 1023);
  const result = new Float64Array(n);
  for (let i = 0; i < n; i++) result[i] = values[i]! / scale;
  // The first mean is rounded to the values' digits; what that leaves is of the size of the differences.
  for (let pass = 0; pass < 2; pass++) {
    const mean = sum(result) / n;
    for (let i = 0; i < n; i++) result[i]! -= mean;
  }
  return result;
}

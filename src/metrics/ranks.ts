// Ranks of scores within a pool, and their mean: how several scores of unlike scales are combined. One rule for proxies,
// predictors and search: a missing score ranks last.
import { averageRanks } from './order.js';

/** Which way a score is better. */
export type Better = 'higher' | 'lower';

/** Scores of a pool, one each; undefined and NaN are missing. */
type PoolScores = ArrayLike<number | undefined>;

/**
 * Ranks from 1, the worst, to n, the best. Equal scores share the average of their ranks; missing ones are equal to each
 * other and worse than all others. (n)
 */
export function ranksOf(scores: PoolScores, better: Better): Float64Array {
  const list = Array.from(scores, (score) => score ?? Number.NaN);
  // Places among the different values: they are finite and order like the scores, which may be neither.
  const values = [...new Set(list)].filter((score) => !Number.isNaN(score)).sort((a, b) => a - b);
  if (better === 'lower') values.reverse();
  const places = new Map(values.map((value, i) => [value, i]));
  return averageRanks(Float64Array.from(list, (score) => places.get(score) ?? -1));
}

/**
 * The mean of ranks by several scores; NaN for a member of the pool that has none of them. (n)
 *
 * @param scores a list for each score: (scores, n).
 * @param better the direction of each.
 *
 * @example
 * rankMean([[3.1, 8.2, 5.0], [10, 10, 40]], ['higher', 'higher']); // [1.25, 2.25, 2.5]
 */
export function rankMean(scores: readonly PoolScores[], better: readonly Better[]): Float64Array {
  const mean = new Float64Array(scores[0]?.length ?? 0).fill(scores.length > 0 ? 0 : Number.NaN);
  scores.forEach((list, s) => {
    const ranks = ranksOf(list, better[s]!);
    for (let i = 0; i < mean.length; i++) mean[i]! += ranks[i]! / scores.length;
  });
  const isMissing = (i: number): boolean => scores.every((list) => Number.isNaN(list[i] ?? Number.NaN));
  return mean.map((rank, i) => (isMissing(i) ? Number.NaN : rank));
}

// Kendall's rank correlation: how many more pairs of rows are ordered alike than unlike. Three that differ in what
// they make of ties, and so in value: τ-a, τ-b and the one of GENNAPE's code.
import { AuspexError } from '../util/errors.js';
import { rankPairs, representable, requireVaried } from './input.js';
import { ascending, denseRanks, RankCounter } from './order.js';

interface PairCounts {
  /** n·(n − 1)/2 */
  readonly pairs: number;
  /** Pairs ordered alike (C) less pairs ordered unlike (D); a pair tied on either side is neither. */
  readonly difference: number;
  readonly tiedPredictions: number;
  readonly tiedTruths: number;
}

/**
 * τ-a = (C − D) / (n·(n − 1)/2): Kendall 1938, and ETAS. A tie on either side counts as nothing, so where there are
 * ties it stays below 1 even for a perfect order.
 */
export function kendallTauA(predictions: ArrayLike<number>, truths: ArrayLike<number>): number {
  const { pairs, difference } = countPairs(predictions, truths);
  return difference / pairs;
}

/**
 * τ-b = (C − D) / √((n₀ − n₁)·(n₀ − n₂)), where n₀ counts all pairs, n₁ those with tied predictions and n₂ those with
 * tied truths: Kendall 1945, and `scipy.stats.kendalltau`, which most papers on predictors use.
 */
export function kendallTauB(predictions: ArrayLike<number>, truths: ArrayLike<number>): number {
  const { pairs, difference, tiedPredictions, tiedTruths } = countPairs(predictions, truths);
  return difference / Math.sqrt((pairs - tiedPredictions) * (pairs - tiedTruths));
}

/**
 * O(n log n), after Knight 1966: in the order of the predictions, ties in that of the truths, the pairs ordered unlike
 * are the inversions of the truths' ranks.
 */
function countPairs(predictions: ArrayLike<number>, truths: ArrayLike<number>): PairCounts {
  const { predictions: p, truths: t } = rankPairs(predictions, truths);
  const n = p.length;
  const byTruth = ascending(t);
  const truthRanks = denseRanks(byTruth.sorted);
  const byPrediction = ascending(gathered(p, byTruth.order));
  const ranks = new Uint32Array(n);
  for (let i = 0; i < n; i++) ranks[i] = truthRanks[byPrediction.order[i]!]!;

  const pairs = (n * (n - 1)) / 2;
  const tiedPredictions = tiedPairs(byPrediction.sorted);
  const tiedTruths = tiedPairs(byTruth.sorted);
  const unlike = inversions(ranks, truthRanks[n - 1]! + 1);
  const alike = pairs - tiedPredictions - tiedTruths + tiedPairs(byPrediction.sorted, ranks) - unlike;
  return { pairs, difference: alike - unlike, tiedPredictions, tiedTruths };
}

function gathered(values: Float64Array, order: Uint32Array): Float64Array {
  const result = new Float64Array(values.length);
  for (let i = 0; i < order.length; i++) result[i] = values[order[i]!]!;
  return result;
}

/** How many pairs of rows are equal on both sides; equal rows follow each other. */
function tiedPairs(sorted: ArrayLike<number>, other: ArrayLike<number> = sorted): number {
  let pairs = 0;
  for (let i = 1, before = 0; i < sorted.length; i++) {
    before = sorted[i] === sorted[i - 1] && other[i] === other[i - 1] ? before + 1 : 0;
    pairs += before;
  }
  return pairs;
}

/** How many pairs i < j have ranks[i] > ranks[j]. */
function inversions(ranks: Uint32Array, distinct: number): number {
  const counter = new RankCounter(distinct);
  let count = 0;
  for (let i = 0; i < ranks.length; i++) {
    count += i - counter.atMost(ranks[i]!);
    counter.add(ranks[i]!);
  }
  return count;
}

/** What GENNAPE's code rounds to, in units of accuracy as a fraction of 1; and the least difference that counts. */
const GENNAPE_UNITS = 1e6;
const GENNAPE_LEAST = 100;

/**
 * The "KT" of GENNAPE's code (AAAI 2023): (C − D)/(C + D) over pairs whose truths differ by at least 1e-4, after both
 * sides are rounded to 1e-6; a predicted tie counts as ordered alike; rounded to 4 decimals. Not symmetric. Truths are
 * accuracies from 0 to 1: percentages would make nearly every pair count. O(n log n).
 *
 * That code gives 1 for constant predictions; here they are METRIC_CONSTANT, also if only rounding makes them so.
 */
export function kendallTauGennape(predictions: ArrayLike<number>, truths: ArrayLike<number>): number {
  const pairs = rankPairs(predictions, truths);
  const p = pairs.predictions.map((value) => roundHalfEven(representable(value * GENNAPE_UNITS)));
  const t = pairs.truths.map((value) => roundHalfEven(representable(value * GENNAPE_UNITS)));
  requireVaried(p, 'predictions', ' millionths');
  const byPrediction = ascending(p);
  const sortedRanks = denseRanks(byPrediction.sorted);
  const ranks = new Uint32Array(p.length);
  for (let i = 0; i < p.length; i++) ranks[byPrediction.order[i]!] = sortedRanks[i]!;
  const { order, sorted } = ascending(t);
  // Rows whose truth is lower by enough, counted by the rank of their prediction.
  const counter = new RankCounter(sortedRanks.at(-1)! + 1);
  let [lower, counted, alike] = [0, 0, 0];
  for (let i = 0; i < order.length; i++) {
    for (; sorted[i]! - sorted[lower]! >= GENNAPE_LEAST; lower++) counter.add(ranks[order[lower]!]!);
    counted += lower;
    alike += counter.atMost(ranks[order[i]!]!);
  }
  if (counted === 0) {
    throw new AuspexError('METRIC_CONSTANT', 'no two truths differ by 1e-4 or more', {
      where: { path: 'truths' },
      hint: 'this metric is for accuracies from 0 to 1; use tau-b for others',
    });
  }
  return roundHalfEven(((2 * alike - counted) / counted) * 1e4) / 1e4;
}

/** To the nearest whole number, halves to the even one, as NumPy does. */
function roundHalfEven(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

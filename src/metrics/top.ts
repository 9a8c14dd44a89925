// What is found by taking the k best-predicted rows: how many of the truly best, and how good the best of them is.
// Greater truths are better. Where equal predictions straddle the k-th place, results are the mean over all choices
// among them, so that the order of the rows never matters.
import { checkedK, type Pairs, rankPairs, representable } from './input.js';
import { ascending, endOfTie } from './order.js';

interface Top {
  /** Rows that are among the k best-predicted, whatever the order of ties. */
  readonly sure: Uint32Array;
  /** Rows of equal prediction that compete for the remaining `places`, at least one. */
  readonly tied: Uint32Array;
  readonly places: number;
}

/** Precision@k: the fraction of the k best-predicted rows whose truth is at least the k-th greatest. */
export function precisionAtK(predictions: ArrayLike<number>, truths: ArrayLike<number>, k: number): number {
  const pairs = rankPairs(predictions, truths);
  const { sure, tied, places } = topPredicted(pairs, k);
  const { truths: t } = pairs;
  const bound = t.toSorted()[t.length - k]!;
  const hits = (rows: Uint32Array): number => rows.reduce((sum, row) => sum + Number(t[row]! >= bound), 0);
  return (hits(sure) + (hits(tied) * places) / tied.length) / k;
}

/** Regret@k: the greatest truth less the greatest truth among the k best-predicted rows, in the unit of the truths. */
export function regretAtK(predictions: ArrayLike<number>, truths: ArrayLike<number>, k: number): number {
  const pairs = rankPairs(predictions, truths);
  const { sure, tied, places } = topPredicted(pairs, k);
  const { truths: t } = pairs;
  const most = (best: number, row: number): number => Math.max(best, t[row]!);
  const best = t.reduce((a, b) => Math.max(a, b));
  const surely = sure.reduce(most, Number.NEGATIVE_INFINITY);
  // With m places for g tied rows in descending order, row j (from 0) is the best chosen with probability
  // C(g − 1 − j, m − 1)/C(g, m).
  const values = Float64Array.from(tied, (row) => Math.max(surely, t[row]!))
    .sort()
    .reverse();
  const group = values.length;
  let probability = places / group;
  let regret = 0;
  for (let j = 0; j <= group - places; j++) {
    regret += probability * (best - values[j]!);
    probability *= (group - j - places) / (group - 1 - j);
  }
  return representable(regret);
}

function topPredicted({ predictions }: Pairs, k: number): Top {
  checkedK(k, predictions.length);
  const { order, sorted } = ascending(predictions.map((value) => -value));
  let start = 0;
  let end = endOfTie(sorted, start);
  while (end < k) {
    start = end;
    end = endOfTie(sorted, start);
  }
  return { sure: order.subarray(0, start), tied: order.subarray(start, end), places: k - start };
}

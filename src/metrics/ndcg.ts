// Normalised discounted cumulative gain (Järvelin & Kekäläinen 2002): how good the top of a ranking is, compared with
// the best possible. Two gains, two numbers: 2^rel − 1 (GENNAPE's paper) and rel (its code).
import { AuspexError } from '../util/errors.js';
import { checkedK, type Pairs, rankPairs, representable, requireVaried, valuePairs } from './input.js';
import { ascending, endOfTie } from './order.js';

/** The relevance of the best truth in AceNAS (2021) and GENNAPE. */
const RELEVANCE_SCALE = 20;

/** rel = 20·(A − min)/(max − min): truths as relevances from 0 to 20. (n) */
export function relevances(truths: ArrayLike<number>, scale = RELEVANCE_SCALE): Float64Array {
  const { truths: t } = valuePairs(truths, truths);
  requireVaried(t, 'truths');
  let [least, most] = [t[0]!, t[0]!];
  for (const value of t) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const span = representable(most - least);
  return t.map((value) => (scale * (value - least)) / span);
}

/**
 * NDCG@k with gain 2^rel − 1: Σ_{i ≤ k} (2^rel_i − 1)/log₂(i + 1) in the predicted order, divided by the same sum in
 * the order of the relevances (GENNAPE, Eq. 6 and 7). The paper says nothing of ties; they are averaged here, too.
 *
 * @param rel relevances of the rows, 0 or greater; of truths, what `relevances` gives.
 */
export function ndcgExponential(predictions: ArrayLike<number>, rel: ArrayLike<number>, k: number): number {
  return ndcg(predictions, rel, k, (relevance) => 2 ** relevance - 1);
}

/**
 * NDCG@k with gain rel: `sklearn.metrics.ndcg_score`, which GENNAPE's code calls. Rows of equal prediction have the
 * average of their gains: the mean over all their orders (McSherry & Najork 2008).
 *
 * @param rel relevances of the rows, 0 or greater; of truths, what `relevances` gives.
 */
export function ndcgLinear(predictions: ArrayLike<number>, rel: ArrayLike<number>, k: number): number {
  return ndcg(predictions, rel, k, (relevance) => relevance);
}

function ndcg(
  predictions: ArrayLike<number>,
  rel: ArrayLike<number>,
  k: number,
  gain: (relevance: number) => number,
): number {
  const pairs = rankPairs(predictions, rel);
  checkedK(k, rel.length);
  const gains = pairs.truths.map((relevance, i) => {
    if (relevance >= 0) return gain(relevance);
    throw new AuspexError('METRIC_RELEVANCE', `row ${i} has relevance ${relevance}, less than 0`, {
      where: { path: `truths[${i}]` },
      hint: 'scale truths to relevances first',
    });
  });
  return representable(discounted(pairs, gains, k) / ideal(gains, k));
}

/** DCG in descending order of the predictions. */
function discounted({ predictions }: Pairs, gains: Float64Array, k: number): number {
  const { order, sorted } = ascending(predictions.map((value) => -value));
  let sum = 0;
  for (let start = 0, end = 0; start < k; start = end) {
    end = endOfTie(sorted, start);
    let tiedGains = 0;
    for (let i = start; i < end; i++) tiedGains += gains[order[i]!]!;
    let discounts = 0;
    for (let i = start; i < Math.min(end, k); i++) discounts += discount(i);
    sum += (tiedGains / (end - start)) * discounts;
  }
  return sum;
}

/** DCG in descending order of the gains. */
function ideal(gains: Float64Array, k: number): number {
  const ascending = gains.toSorted();
  let sum = 0;
  for (let i = 0; i < k; i++) sum += ascending[gains.length - 1 - i]! * discount(i);
  return sum;
}

/** Of the place i, from 0. */
function discount(i: number): number {
  return 1 / Math.log2(i + 2);
}

// What scaled dot-product attention costs, whatever operator it is written as:
//
//   softmax(Q Kᵀ · scale + mask) V     with Q (B, N, S, H), K (B, N, T, H), V (B, N, T, Hv)
//
// Masks save nothing in this count: every query meets every key, as in a dense kernel.
import { type Dim, product, sum } from '../../../graph/dim.js';
import { times, total } from '../../cost.js';
import type { OperatorCost } from '../../operator.js';

/** The sizes of one attention. */
export interface AttentionSizes {
  readonly batch: Dim;
  readonly heads: Dim;
  /** Number of queries, S. */
  readonly queries: Dim;
  /** Number of keys each of them meets, T: past ones and new ones. */
  readonly keys: Dim;
  /** H. */
  readonly headSize: Dim;
  /** Hv. */
  readonly valueHeadSize: Dim;
}

/** Per score: one for the scale, five for the softmax (maximum, difference, exponential, sum, quotient). */
const FLOPS_PER_SCORE = 6;

export const DOT_PRODUCT_RULE = `MACs batch·heads·queries·keys·(headSize + valueHeadSize), and ${FLOPS_PER_SCORE} FLOPs per score`;

export function dotProductCost(sizes: AttentionSizes): { macs: Dim; otherFlops: Dim } {
  const scores = product([sizes.batch, sizes.heads, sizes.queries, sizes.keys]);
  return {
    macs: product([scores, sum([sizes.headSize, sizes.valueHeadSize])]),
    otherFlops: product([scores, FLOPS_PER_SCORE]),
  };
}

/** The cost of an attention after a projection of `tokens` from `inputSize` to `outputSize` with a bias. */
export function projectedCost(
  sizes: AttentionSizes | undefined,
  tokens: Dim | undefined,
  inputSize: Dim | undefined,
  outputSize: Dim | undefined,
): OperatorCost | undefined {
  if (sizes === undefined) return undefined;
  const attention = dotProductCost(sizes);
  return {
    macs: total(times(tokens, inputSize, outputSize), attention.macs),
    otherFlops: total(times(tokens, outputSize), attention.otherFlops),
  };
}

// What NAR-Former V2 trains accuracies with.
import { l1, pairwiseDifference, relativeSquaredError } from '../nn/losses.js';
import type { Value } from '../ops/build.js';

export interface NarFormerV2LossOptions {
  /** Of SR, the differences between random pairs. */
  readonly rank: number;
  /** Of AC, the difference between a cell and the same in another order. */
  readonly consistency: number;
}

export const NAR_FORMER_V2_LOSS: NarFormerV2LossOptions = { rank: 0.1, consistency: 0.5 };

/**
 * mean (p/y − 1)² + r·mean |(p − p_π) − (y − y_π)| + c·mean |p_reordered − p|. The first two terms are over all
 * predictions, the last one compares the halves. Latencies are trained with the first term alone,
 * `relativeSquaredError`.
 *
 * The paper only says MSE; that it is relative to the target is the released code's. What is compared in the second
 * and third term is not, so that their weight depends on the unit of y: NAS-Bench-101 in parts of 1, NAS-Bench-201 in
 * percent.
 *
 * @param p (2B, 1): B cells, then the same ones as `reorderedCell` has them
 * @param y (2B, 1): the accuracies, twice
 * @param permutation π, (2B) of int64
 */
export function narFormerV2Loss(
  p: Value,
  y: Value,
  permutation: Value,
  { rank, consistency }: NarFormerV2LossOptions = NAR_FORMER_V2_LOSS,
): Value {
  const half = p.length(0) / 2;
  const [given, reordered] = p.split([half, half], 0) as [Value, Value];
  return relativeSquaredError(p, y)
    .add(pairwiseDifference(p, y, permutation).mul(rank))
    .add(l1(reordered, given).mul(consistency));
}

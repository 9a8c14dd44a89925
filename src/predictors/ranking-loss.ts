// What NN-Former and NAR-Former train accuracies with: error, order of random pairs, and agreement of two passes.
import { l1, mse, pairwiseDifference } from '../nn/losses.js';
import type { Scope } from '../nn/scope.js';
import type { Inputs } from '../nn/step.js';
import type { Value } from '../ops/build.js';

export interface RankingLossOptions {
  /** Of the differences between random pairs. */
  readonly rank: number;
  /** Of the difference between two passes with other dropout; 0 makes it one pass of half the cost. */
  readonly consistency: number;
}

/** The released code's. */
export const RANKING_LOSS: RankingLossOptions = { rank: 0.2, consistency: 1 };

/** The inputs that are compared with what is predicted, besides those of the model. */
export const TARGET = 'target';
export const PERMUTATION = 'permutation';

/**
 * mean (p − y)² + r·mean |(p − p_π) − (y − y_π)| + c·mean |p₁ − p₂|: with consistency every example is there twice, and
 * the first two terms are over both copies.
 *
 * @param batch the model's inputs, `target` (B, 1) and `permutation` π (B) of int64
 * @param predict from the model's inputs to (B, 1)
 */
export function rankingLoss(
  s: Scope,
  batch: Inputs,
  predict: (s: Scope, inputs: Inputs) => Value,
  { rank, consistency }: RankingLossOptions = RANKING_LOSS,
): Value {
  const { [TARGET]: target, [PERMUTATION]: permutation, ...inputs } = batch as Record<string, Value>;
  if (consistency === 0) return errorAndOrder(predict(s, inputs), target!, permutation!, rank);
  const { builder } = s;
  const twice = (value: Value): Value => builder.concat([value, value], 0);
  const p = predict(s, Object.fromEntries(Object.entries(inputs).map(([name, v]) => [name, twice(v)])));
  const count = target!.length(0);
  const [first, second] = p.split([count, count], 0) as [Value, Value];
  const order = builder.concat([permutation!, permutation!.add(count)], 0);
  return errorAndOrder(p, twice(target!), order, rank).add(l1(first, second).mul(consistency));
}

function errorAndOrder(p: Value, y: Value, permutation: Value, rank: number): Value {
  const error = mse(p, y);
  return rank === 0 ? error : error.add(pairwiseDifference(p, y, permutation).mul(rank));
}

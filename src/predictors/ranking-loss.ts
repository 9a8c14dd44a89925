// What predictors are trained with: error, order of random pairs, and agreement of two passes, as NN-Former and
// NAR-Former train accuracies. Several labels at once, of which rows may lack some.
import type { Scope } from '../nn/scope.js';
import type { Inputs } from '../nn/step.js';
import type { Value } from '../ops/build.js';

export interface RankingLossOptions {
  /** Of p − y: its square, its absolute value, or the square of (p − y)/y, which needs labels that are not 0. */
  readonly error: 'squared' | 'absolute' | 'relative';
  /** Weight of the differences between random pairs. */
  readonly rank: number;
  /** Weight of the difference between two passes; 0 makes it one pass of half the cost. */
  readonly consistency: number;
  /**
   * What differs between the two passes: only dropout, or also the inputs, which then hold the examples of the first
   * pass and, behind them, those of the second. Default `dropout`.
   */
  readonly passes?: 'dropout' | 'inputs';
}

/** NN-Former's released code. */
const RANKING_LOSS: RankingLossOptions = { error: 'squared', rank: 0.2, consistency: 1 };

/**
 * NAR-Former V2's, of a cell and the same in another order. The paper only says MSE; that it is relative to the label is
 * the released code's. What the other terms compare is not relative, so that their weight depends on the label's unit.
 */
export const NAR_FORMER_V2_LOSS: RankingLossOptions = {
  error: 'relative',
  rank: 0.1,
  consistency: 0.5,
  passes: 'inputs',
};

/** The inputs that are compared with what is predicted, besides those of the model. */
export const TARGET = 'target';
export const PERMUTATION = 'permutation';
/** 1 where there is a label, else 0; only where some are missing. */
export const KNOWN = 'known';

/**
 * mean e(p, y) + r·mean |(p − p_π) − (y − y_π)| + c·mean |p₁ − p₂|. With two passes the first two terms are over both.
 * Means are over the labels that are known.
 *
 * @param batch the model's inputs, `target` (B, labels), `permutation` π of int64, (B) or, where inputs differ between
 * the passes, (2B), and `known` (B, labels) where labels are missing
 * @param predict from the model's inputs to (B, labels)
 */
export function rankingLoss(
  s: Scope,
  batch: Inputs,
  predict: (s: Scope, inputs: Inputs) => Value,
  { error, rank, consistency, passes = 'dropout' }: RankingLossOptions = RANKING_LOSS,
): Value {
  const { [TARGET]: target, [PERMUTATION]: permutation, [KNOWN]: known, ...inputs } = batch;
  const { builder } = s;
  const isTwice = consistency !== 0;
  const twice = (value: Value): Value => (isTwice ? builder.concat([value, value], 0) : value);
  const given = passes === 'inputs' ? inputs : mapValues(inputs, twice);
  const p = predict(s, given);
  const count = target!.length(0);
  const y = twice(target!);
  const weights = known === undefined ? undefined : twice(known);
  const off = masked(p.sub(y), weights);
  const errors = error === 'absolute' ? off.abs() : (error === 'relative' ? off.div(y) : off).square();
  let loss = meanOf(errors, weights);
  if (rank !== 0) {
    const isWhole = permutation!.length(0) === y.length(0);
    const order = isWhole ? permutation! : builder.concat([permutation!, permutation!.add(count)], 0);
    const both = weights?.mul(weights.gather(order));
    loss = loss.add(meanOf(masked(off.sub(off.gather(order)), both).abs(), both).mul(rank));
  }
  if (!isTwice) return loss;
  const [first, second] = p.split([count, count], 0) as [Value, Value];
  return loss.add(first.sub(second).abs().mean().mul(consistency));
}

function mapValues(inputs: Inputs, change: (value: Value) => Value): Inputs {
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, change(value)]));
}

function masked(value: Value, weights: Value | undefined): Value {
  return weights === undefined ? value : value.mul(weights);
}

function meanOf(value: Value, weights: Value | undefined): Value {
  if (weights === undefined) return value.mean();
  return value.sum().div(weights.sum().max(1));
}

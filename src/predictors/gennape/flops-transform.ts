// GENNAPE's transform of accuracies: divided by a slowly growing function of what the network costs, so that networks of
// different sizes, and families trained on different data, can be compared.
import type { Value } from '../../ops/build.js';

const GIGA = 1e9;

/**
 * log10(F + 1) + 1, F in billions. GENNAPE calls F FLOPs; its counter counts a multiplication with its addition once, so F is
 * the number of multiply-accumulate operations here.
 */
export function costFactor(macs: number): number {
  return Math.log10(macs / GIGA + 1) + 1;
}

/** A / (log10(F + 1) + 1). */
export function perCost(accuracy: number, macs: number): number {
  return accuracy / costFactor(macs);
}

/** What `perCost` was made of. */
export function fromPerCost(value: number, macs: number): number {
  return value * costFactor(macs);
}

/** The factor of a batch in a graph: MACs (B, 1) → (B, 1). */
export function costFactors(macs: Value): Value {
  return macs.div(GIGA).add(1).log().div(Math.LN10).add(1);
}

// What latency predictors take, and heads for several labels, one each.
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';

/** A batch of networks, padded to n nodes; see `EncodedNetworks`. */
export interface NetworkInputs {
  /** (B, n, d); d is the encoding's. */
  readonly nodes: Value;
  /** (B, n): 1 for nodes that are there, else 0. */
  readonly presence: Value;
  /** (B, n, n): 1 where i feeds j. */
  readonly adjacency: Value;
  /** (B, e) */
  readonly statics: Value;
}

/** What comes out of a latency predictor, where it is not one positive number. */
export interface OutputOptions {
  /** Labels that are predicted of every network, each by a head of its own. Default 1. */
  readonly outputs?: number;
  /** False: whatever the heads say, for labels that are learned as logarithms. Default true. */
  readonly positive?: boolean;
}

/**
 * What every head says, (B, d) → (B, count). The parameters of a single one are under `head.`, those of several under
 * `head.0.`, `head.1.`, …
 *
 * @param head (B, d) → (B, 1)
 */
export function allHeads(s: Scope, count: number, head: (s: Scope) => Value): Value {
  if (count === 1) return head(s.at('head'));
  return s.builder.concat(
    Array.from({ length: count }, (_, i) => head(s.at('head', i))),
    1,
  );
}

/** The sum over the nodes that are there: (B, n, d) → (B, d). */
export function sumOverNodes(x: Value, presence: Value): Value {
  return presence.unsqueeze([1]).matmul(x).squeeze([1]);
}

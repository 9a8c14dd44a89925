// Heads on an embedding: a multi-layer perceptron, or one for each cluster, added up by how far a network is a member of it
// (GENNAPE's MLP-E).

import { type Initialiser, uniform } from '../../nn/initialise.js';
import { linear } from '../../nn/linear.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';

export interface HeadOptions {
  /** Of hidden layers. */
  readonly width: number;
  /** Hidden ones, a ReLU behind each. */
  readonly layers: number;
  readonly outputs: number;
}

/** (B, d) → (B, outputs). */
export function head(s: Scope, x: Value, { width, layers, outputs }: HeadOptions): Value {
  let y = x;
  for (let i = 0; i < layers; i++) y = linear(s.at('hidden', i), y, width).relu();
  return linear(s.at('out'), y, outputs);
}

/**
 * Σ_k U_k·f_k(x): a head for every cluster, weighted by memberships.
 *
 * @param x (B, d)
 * @param memberships (B, clusters)
 */
export function headEnsemble(s: Scope, x: Value, memberships: Value, options: HeadOptions): Value {
  const clusters = memberships.length(1);
  let y = x.unsqueeze([0]);
  for (let i = 0; i < options.layers; i++) {
    y = manyLinear(s.at('hidden', i), y, clusters, options.width).relu();
  }
  const each = manyLinear(s.at('out'), y, clusters, options.outputs);
  return each.mul(memberships.transpose([1, 0]).unsqueeze([2])).sum([0]);
}

/** As many dense layers at once: (1 or clusters, B, in) → (clusters, B, out). */
function manyLinear(s: Scope, x: Value, clusters: number, out: number): Value {
  const size = x.length(-1);
  const bound = 1 / Math.sqrt(size);
  const start: Initialiser = uniform(-bound, bound);
  const weight = s.parameter('weight', [clusters, size, out], start);
  const bias = s.parameter('bias', [clusters, 1, out], start);
  return x.matmul(weight).add(bias);
}

/**
 * Whether the first of two latents is of the better network: a logit, from a layer on both side by side and one behind it.
 * Exchanged latents give the opposite, as the layers are asked both ways.
 *
 * @param first (P, latent) @returns (P, 1)
 */
export function preference(s: Scope, first: Value, second: Value): Value {
  const side = (a: Value, b: Value): Value => {
    const both = s.builder.concat([a, b], 1);
    return linear(s.at('judge', 1), linear(s.at('judge', 0), both, 2 * both.length(1)).relu(), 1);
  };
  return side(first, second).sub(side(second, first));
}

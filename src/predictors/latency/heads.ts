// What latency predictors take, and heads for several platforms: one each, of which every network is told by its own.
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { AuspexError } from '../../util/errors.js';

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
  /** (B) of int64: which head, counted from 0; needed where there are several. */
  readonly platform?: Value;
}

/** What comes out of a latency predictor, where it is not one positive number. */
export interface OutputOptions {
  /** Labels that are predicted of every network, each by a head of its own, instead of the one of its platform. */
  readonly outputs?: number;
  /** False: whatever the heads say, for labels that are learned as logarithms. Default true. */
  readonly positive?: boolean;
}

/** (B, d) → (B, outputs), or (B, 1) of one platform each; see `allHeads` and `platformHeads`. */
export function labelHeads(
  s: Scope,
  { platforms, outputs }: OutputOptions & { readonly platforms: number },
  platform: Value | undefined,
  head: (s: Scope) => Value,
): Value {
  return outputs === undefined ? platformHeads(s, platforms, platform, head) : allHeads(s, outputs, head);
}

/**
 * One number per network, (B, d) → (B, 1). With several platforms all heads are computed, and `platform` picks; see
 * `allHeads`.
 *
 * @param head (B, d) → (B, 1)
 */
export function platformHeads(
  s: Scope,
  platforms: number,
  platform: Value | undefined,
  head: (s: Scope) => Value,
): Value {
  const each = allHeads(s, platforms, head);
  if (platforms === 1) return each;
  if (platform === undefined) {
    throw new AuspexError('PLATFORM_MISSING', `a model of ${platforms} platforms needs to know which`, {
      hint: 'give batches with platforms',
    });
  }
  const { builder } = s;
  const depth = builder.constant(platforms, 'int64');
  const chosen = builder.op('OneHot', [platform, depth, builder.constant([0, 1], each.dtype)]);
  return each.mul(chosen).sum([1], true);
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

// Attention between the elements of sequences: nodes of a graph, patches of an image.
import type { Value } from '../ops/build.js';
import { AuspexError } from '../util/errors.js';
import { dropout } from './dropout.js';
import { type LinearOptions, linear } from './linear.js';
import type { Scope } from './scope.js';

/** What masked scores get added: finite, so that a row of nothing else is no NaN, and far below any score. */
const MASKED = -1e30;

/** The options of a linear layer hold for all products with weights. */
export interface AttentionOptions extends LinearOptions {
  /** Must divide d. */
  readonly heads: number;
  /**
   * Who may attend to whom. Booleans (true: may), or numbers that are added to the scores. (n, m) for all, (H, n, m)
   * per head, (B, 1, n, m) per sample or (B, H, n, m) per both. An element that may attend to nothing attends to
   * all alike.
   */
  readonly mask?: Value;
  /** Another sequence (B, m, e) that keys and values come from; x itself unless given. */
  readonly memory?: Value;
  /** Of the attention weights, in training. What comes out is not dropped from. */
  readonly dropout?: number;
}

/**
 * Multi-head attention (Vaswani et al. 2017): (B, n, d) → (B, n, d).
 *
 *     head_k = softmax(Q_k·K_kᵀ/√h + mask_k)·V_k,   y = [head_1 … head_H]·W_O,   h = d/H
 *
 * Q, K and V of a sequence that attends to itself are one product with `qkv.weight` (d, 3d), whose columns are those
 * of Q, then K, then V, each head after head. With a `memory` Q is `q.weight` (d, d) and the others `kv.weight`
 * (e, 2d). W_O is `out.weight` (d, d).
 */
export function multiHeadAttention(s: Scope, x: Value, options: AttentionOptions): Value {
  const { heads, mask, memory, dropout: rate = 0 } = options;
  const d = x.length(-1);
  if (d % heads !== 0) {
    throw new AuspexError(
      'ATTENTION_HEADS',
      `a width of ${d} cannot be divided equally among ${heads} heads`,
    );
  }
  const product = (name: string, from: Value, out: number): Value => linear(s.at(name), from, out, options);
  const [q, k, v] =
    memory === undefined
      ? product('qkv', x, 3 * d).split([d, d, d], -1)
      : [product('q', x, d), ...product('kv', memory, 2 * d).split([d, d], -1)];
  /** (B, n, d) as (B, H, n, h). */
  const byHead = (value: Value): Value => value.splitLast([heads, d / heads]).transpose([0, 2, 1, 3]);

  const scores = byHead(q!)
    .matmul(byHead(k!).transposeLast())
    .mul(1 / Math.sqrt(d / heads));
  const masked = mask === undefined ? scores : scores.add(additiveMask(mask));
  const weights = dropout(s, masked.softmax(), rate);
  const joined = weights.matmul(byHead(v!)).transpose([0, 2, 1, 3]);
  return product('out', joined.reshapeTo(x), d);
}

/**
 * Booleans as numbers to add to scores: 0 where true, far below any score where false. Numbers stay as they are.
 * Where many layers share a mask, it is cheaper to do this once for all of them.
 */
export function additiveMask(mask: Value): Value {
  if (mask.dtype !== 'bool') return mask;
  const { builder } = mask;
  return builder.where(mask, builder.constant(0, 'float32'), MASKED);
}

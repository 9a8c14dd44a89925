// Attention whose cost grows with the number of elements and not with its square, on packed graphs.
import type { Value } from '../ops/build.js';
import { AuspexError } from '../util/errors.js';
import { linear } from './linear.js';
import { addedAt } from './packed-graph.js';
import type { Scope } from './scope.js';

/** Elements in blocks of S rows, each block of one graph. */
export interface Blocks {
  /** (C, S): 1 where there is an element, 0 where a block is filled up. */
  readonly presence: Value;
  /** (C, 1) of int64: the graph of every block, B for padding; see `scatterPlaces`. */
  readonly graph: Value;
  /** (B, 1): only its size matters. */
  readonly counts: Value;
}

/** As pytorch-fast-transformers has it: nothing is divided by 0. */
const EPSILON = 1e-6;

/**
 * Linear attention (Katharopoulos et al. 2020) of the elements of every graph among themselves, (C, S, d) → (C, S, d):
 *
 *     head_k(i) = φ(q_i)·Σ_j φ(k_j)·v_jᵀ / (φ(q_i)·Σ_j φ(k_j) + ε),   φ(x) = elu(x) + 1
 *
 * The sums over a graph are added up block by block, so that no graph is padded to the size of another. Q, K and V are one
 * product with `qkv.weight` (d, 3d), whose columns are those of Q, then K, then V, each head after head; the heads go
 * through `out.weight` (d, d).
 */
export function linearAttention(
  s: Scope,
  x: Value,
  { presence, graph, counts }: Blocks,
  heads: number,
): Value {
  const d = x.length(-1);
  const h = d / heads;
  if (!Number.isInteger(h)) {
    throw new AuspexError(
      'ATTENTION_HEADS',
      `a width of ${d} cannot be divided equally among ${heads} heads`,
    );
  }
  /** (C, S, d) as (C, H, S, h). */
  const byHead = (value: Value): Value => value.splitLast([heads, h]).transpose([0, 2, 1, 3]);
  const [q, k, v] = linear(s.at('qkv'), x, 3 * d).split([d, d, d], -1);
  const queries = byHead(feature(q!));
  const keys = byHead(feature(k!).mul(presence.unsqueeze([2])));
  const values = byHead(v!);
  /** Sums over blocks of a graph, for every block: (C, H, h, …) → (C, H, h, …). */
  const overGraph = (parts: Value, width: number): Value => {
    const flat = parts.reshape([-1, heads * h * width]);
    const none = counts.mul(x.builder.full([1, heads * h * width], 0, x.dtype)).pad([0, 0, 1, 0]);
    return addedAt(none, graph, flat)
      .gather(graph.squeeze([1]))
      .reshape([-1, heads, h, width]);
  };
  const weighted = queries.matmul(overGraph(keys.transposeLast().matmul(values), h));
  const norms = queries.matmul(overGraph(keys.sum([2]).unsqueeze([3]), 1)).add(EPSILON);
  const joined = weighted.div(norms).transpose([0, 2, 1, 3]);
  return linear(s.at('out'), joined.reshapeTo(x), d);
}

/** elu(x) + 1: eˣ below 0, x + 1 above. */
function feature(x: Value): Value {
  return x.builder.op('Elu', [x]).add(1);
}

// NN-Former (Xu et al., CVPR 2025), the model that predicts accuracies of cells: attention between an operation and
// its predecessors, successors and siblings, and a feed-forward network that passes messages along the edges.
//
// Graphs of up to n nodes are padded to n. Nodes that are not there are seen by nobody, so what is predicted does not
// depend on n.
import { dropout } from '../../nn/dropout.js';
import { identityLike } from '../../nn/graph.js';
import { truncatedNormal, zeros } from '../../nn/initialise.js';
import { type LinearOptions, linear } from '../../nn/linear.js';
import { layerNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';

/** Whom an operation attends to, besides itself. */
type Relation =
  /** What it feeds: A. */
  | 'successors'
  /** What feeds it: Aᵀ. */
  | 'predecessors'
  /** Operations that something feeds together with it: AᵀA. */
  | 'commonParents'
  /** Operations that feed something together with it: AAᵀ. */
  | 'commonChildren'
  /** All. */
  | 'all';

export interface NNFormerOptions {
  /** d; the heads must divide it. */
  readonly width: number;
  readonly layers: number;
  /** One head each. */
  readonly relations: readonly Relation[];
  /**
   * Where the class and the depth token come in. `meant`: siblings are those of the graph, then both tokens are joined
   * to all. `released`: the tokens are joined to all first, as in the released code, which makes everything a sibling
   * of everything.
   */
  readonly maskVariant: 'meant' | 'released';
  /** Messages along the edges in the feed-forward network (BGIFFN); without, it is a plain one. */
  readonly messages: boolean;
  readonly dropout: number;
  /** Labels that are predicted; 1 unless told. */
  readonly outputs?: number;
}

/** The paper's: 4.9 million weights. */
export const NN_FORMER: NNFormerOptions = {
  width: 160,
  layers: 12,
  relations: ['successors', 'predecessors', 'commonParents', 'commonChildren'],
  maskVariant: 'meant',
  messages: true,
  dropout: 0.1,
};

/** A batch of graphs, padded to n nodes. */
export interface GraphInputs {
  /** (B, n, codes): which operation, one-hot; zeros for a node that is not there. */
  readonly operations: Value;
  /** (B, 1, 32): how many nodes there are, one-hot. */
  readonly size: Value;
  /** (B, n, n): 1 where i feeds j. */
  readonly adjacency: Value;
}

const weight = truncatedNormal(0.02);
const WITHOUT_BIAS: LinearOptions = { bias: false, weight };

/** (B, n, codes), (B, 1, 32), (B, n, n) → (B, outputs). */
export function nnFormer(s: Scope, graphs: GraphInputs, options: NNFormerOptions = NN_FORMER): Value {
  const { width, layers, outputs = 1 } = options;
  const depth = linear(s.at('depth'), graphs.size, width, WITHOUT_BIAS);
  const tokens = [
    // As often as there are graphs, however many: the batch need not be known.
    s.parameter('class', [1, 1, width], weight).add(depth.mul(0)),
    linear(s.at('operation'), graphs.operations, width, WITHOUT_BIAS),
    depth,
  ];
  const bias = attentionBias(graphs, options);
  const edges = bordered(graphs.adjacency, zeroBorder(graphs), 0);
  let x = layerNorm(s.at('norm'), s.builder.concat(tokens, 1));
  for (let i = 0; i < layers; i++) {
    // Of the last layer only the class token is read, so nothing else of it is computed.
    const read = (v: Value, ...axes: number[]): Value => (i === layers - 1 ? firstAlong(v, axes) : v);
    const block = s.at('block', i);
    const normed = layerNorm(block.at('norm1'), x);
    x = read(x, 1).add(attention(block.at('attention'), read(normed, 1), normed, read(bias, 2), options));
    const again = layerNorm(block.at('norm2'), x);
    x = x.add(feedForward(block.at('feedForward'), again, read(edges, 1, 2), options));
  }
  const y = layerNorm(s.at('last'), x.reshape([-1, width]));
  // Accuracies lie around a half of 1 rather than around 0.
  return linear(s.at('head'), y, outputs, { weight, biasInit: zeros }).add(0.5);
}

function firstAlong(v: Value, axes: readonly number[]): Value {
  return v.slice(
    axes.map(() => 0),
    axes.map(() => 1),
    axes,
  );
}

/** (B, n, n) with a token before and one behind all nodes: (B, n + 2, n + 2); `border` is their row, (B, 1, n). */
function bordered(a: Value, border: Value, corner: number): Value {
  const { builder } = a;
  const corners = firstAlong(border, [2]).mul(0).add(corner);
  const edge = builder.concat([corners, border, corners], 2);
  const side = border.transposeLast();
  return builder.concat([edge, builder.concat([side, a, side], 2), edge], 1);
}

/** 1 for the nodes that are there: (B, 1, n). */
function presence({ operations }: GraphInputs): Value {
  return operations.sum([2], true).transposeLast();
}

function zeroBorder(graphs: GraphInputs): Value {
  return presence(graphs).mul(0);
}

/** 0 where attention may look, −∞ elsewhere; every token may look at itself. (B, H, n + 2, n + 2) */
export function attentionBias(
  graphs: GraphInputs,
  { relations, maskVariant }: Pick<NNFormerOptions, 'relations' | 'maskVariant'>,
): Value {
  const { builder } = graphs.adjacency;
  const present = presence(graphs);
  const all = bordered(present.transposeLast().matmul(present), present, 1);
  const joined = (m: Value): Value => bordered(m, present, 1);
  const isReleased = maskVariant === 'released';
  const a = isReleased ? joined(graphs.adjacency) : graphs.adjacency;
  const matrices: Record<Exclude<Relation, 'all'>, () => Value> = {
    successors: () => a,
    predecessors: () => a.transposeLast(),
    commonParents: () => a.transposeLast().matmul(a),
    commonChildren: () => a.matmul(a.transposeLast()),
  };
  const masks = relations.map((relation) => {
    if (relation === 'all') return all;
    const found = matrices[relation]();
    return isReleased ? found : joined(found);
  });
  const allowed = builder
    .concat(
      masks.map((m) => m.unsqueeze([1])),
      1,
    )
    .add(identityLike(all))
    .greater(0);
  return builder.where(allowed, builder.constant(0, 'float32'), Number.NEGATIVE_INFINITY);
}

/**
 * ASMA: softmax(Q_k·K_kᵀ/√h + bias_k)·V_k, heads side by side, times W_O. The tokens `to` (B, m, d) attend to the tokens
 * x (B, L, d); (B, H, m, L) says who sees whom.
 */
function attention(
  s: Scope,
  to: Value,
  x: Value,
  bias: Value,
  { relations, dropout: rate }: NNFormerOptions,
): Value {
  const d = x.length(-1);
  const heads = relations.length;
  // Products of their own: cutting a merged one apart, and its gradient together, takes longer than it saves.
  const byHead = (name: string, from: Value): Value =>
    linear(s.at(name), from, d, WITHOUT_BIAS)
      .splitLast([heads, d / heads])
      .transpose([0, 2, 1, 3]);
  const [q, k, v] = [byHead('query', to), byHead('key', x), byHead('value', x)];
  const scores = q
    .matmul(k.transposeLast())
    .mul(1 / Math.sqrt(d / heads))
    .add(bias);
  const mixed = dropout(s, scores.softmax(), rate).matmul(v).transpose([0, 2, 1, 3]).reshapeTo(to);
  return dropout(s, linear(s.at('projection'), mixed, d, WITHOUT_BIAS), rate);
}

/**
 * BGIFFN: ReLU(x·W₁ + [A·V₁ | Aᵀ·V₂])·W₂ with V = x·W_g, hidden width 4d. Each half is computed by itself: the sum of
 * two products with halves of W₂ is the product with W₂.
 */
function feedForward(s: Scope, x: Value, edges: Value, options: NNFormerOptions): Value {
  const d = x.length(-1);
  const { dropout: rate, messages } = options;
  const half = (name: string, graph: Value): Value => {
    const project = (part: string): Value => linear(s.at(name, part), x, 2 * d, WITHOUT_BIAS);
    const own = project('own');
    const hidden = (messages ? own.add(graph.matmul(project('graph'))) : own).relu();
    return linear(s.at(name, 'contract'), dropout(s, hidden, rate), d, WITHOUT_BIAS);
  };
  return dropout(s, half('forward', edges).add(half('backward', edges.transposeLast())), rate);
}

// Layers of graph neural networks on packed graphs: the nodes of all graphs of a batch in one list, features (n, d), edges
// as two lists of places in it. Time and memory go with nodes and edges, not with the square of the largest graph. For
// dense graphs see graph.ts.
//
// Neighbours are summed by ScatterND, which adds whole rows: 1.5 ms for 52,000 edges of width 64. ScatterElements, which
// adds single elements, takes fifty times as long.
import type { Value } from '../ops/build.js';
import { zeros } from './initialise.js';
import { type LinearOptions, linear } from './linear.js';
import type { Scope } from './scope.js';

/** Edges from → to, by places of nodes. */
export interface PackedEdges {
  /** (e) */
  readonly from: Value;
  /** (e, 1) of int64, as `scatterPlaces` makes it. */
  readonly to: Value;
}

/** Places (n) as rows are added at: (n, 1) of int64. */
export function scatterPlaces(places: Value): Value {
  return places.cast('int64').unsqueeze([1]);
}

/** Rows (n, d) added to those of another (m, d) at places (n, 1). */
export function addedAt(base: Value, places: Value, rows: Value): Value {
  return base.builder.op('ScatterND', [base, places, rows], { reduction: 'add' });
}

/** Of every node what comes to it along edges, added to `base`: (n, d), (n, d) → (n, d). */
function withNeighbours(base: Value, x: Value, { from, to }: PackedEdges): Value {
  return addedAt(base, to, x.gather(from));
}

/** k-GNN with k = 1 (Morris et al. 2019): y_i = W₁·x_i + W₂·Σ_{j→i} x_j + b, (n, d) → (n, out). */
export function packedGraphConv(
  s: Scope,
  x: Value,
  edges: PackedEdges,
  out: number,
  options: LinearOptions = {},
): Value {
  // The bias is that of the neighbours in PyTorch Geometric, which is the same sum.
  const root = linear(s.at('root'), x, out, options);
  const neighbours = linear(s.at('neighbours'), x, out, { ...options, bias: false });
  return withNeighbours(root, neighbours, edges);
}

/**
 * Kipf & Welling 2017 along edges: y_i = Σ_{j→i or j=i} W·x_j/√(d_i·d_j) + b, d being one more than the edges that come
 * in, (n, d) → (n, out).
 *
 * @param scale 1/√d of every node, (n, 1): see `degreeScale`
 */
export function packedGcn(s: Scope, x: Value, edges: PackedEdges, scale: Value, out: number): Value {
  const scaled = linear(s, x, out, { bias: false }).mul(scale);
  return withNeighbours(scaled, scaled, edges)
    .mul(scale)
    .add(s.parameter('bias', [out], zeros));
}

/** 1/√(1 + edges that come in), (n, 1); layers of one depth after another share it. */
export function degreeScale(x: Value, { from, to }: PackedEdges): Value {
  // One column is enough to count in.
  const none = x.slice([0], [1], [1]).mul(0);
  const ones = none.gather(from).add(1);
  return addedAt(none.add(1), to, ones).sqrt().reciprocal();
}

/**
 * GIN (Xu et al. 2019): y_i = mlp((1 + ε)·x_i + Σ_{j→i} x_j), ε trained from 0.
 *
 * @param mlp (n, d) → (n, out), with parameters of its own under `mlp.`
 */
export function packedGin(s: Scope, x: Value, edges: PackedEdges, mlp: (s: Scope, x: Value) => Value): Value {
  const root = x.mul(s.parameter('eps', [], zeros).add(1));
  return mlp(s.at('mlp'), withNeighbours(root, x, edges));
}

/**
 * Sums of rows by graph, (n, d) → (B, d). Rows of graph B, which is padding, are dropped.
 *
 * @param graph (n, 1): the graph of every row, from `scatterPlaces`
 * @param counts (B, 1): only its size matters
 */
export function sumByGraph(x: Value, graph: Value, counts: Value): Value {
  const { builder } = x;
  const none = counts.mul(builder.full([1, x.length(-1)], 0, x.dtype));
  const sums = addedAt(none.pad([0, 0, 1, 0]), graph, x);
  return sums.slice([0], [-1], [0]);
}

/** Means over the nodes of every graph, (n, d) → (B, d). */
export function meanByGraph(x: Value, graph: Value, counts: Value): Value {
  return sumByGraph(x, graph, counts).div(counts);
}

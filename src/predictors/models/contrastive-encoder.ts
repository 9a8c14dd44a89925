// The graph encoder of GENNAPE (Mills et al., AAAI 2023): a k-GNN beside a transformer, both over the nodes of a computation
// graph, and the heads that it is trained with. Dropout is the transformer's alone, as in the paper: of two passes the
// k-GNN and the attention are the same, and computed once.
import { dropout } from '../../nn/dropout.js';
import { unitLength } from '../../nn/graph.js';
import { linear } from '../../nn/linear.js';
import { type Blocks, linearAttention } from '../../nn/linear-attention.js';
import { layerNorm } from '../../nn/normalise.js';
import { meanByGraph, scatterPlaces, sumByGraph } from '../../nn/packed-graph.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { type ComputationInputs, convolved, edgesOf, nodeEmbedding } from './computation-gnn.js';

/** What the view gives with blocks. */
export interface EncoderInputs extends ComputationInputs {
  /** (C, S): nodes of every block. */
  readonly blockNodes: Value;
  /** (C, S): 1 where there is a node. */
  readonly presence: Value;
  /** (C): the graph of every block. */
  readonly blockGraph: Value;
}

export interface EncoderOptions {
  /** Of what either branch gives. */
  readonly width: number;
  /** Of the k-GNN. */
  readonly layers: number;
  /** Of the transformer, which has one layer. */
  readonly heads: number;
  /** Of its hidden layer. */
  readonly feedForward: number;
  readonly dropout: number;
  /** Of the vocabulary. */
  readonly labels: number;
}

/** The paper's, but for the hidden layer, of which it says nothing: twice the width. */
export const ENCODER = { width: 64, layers: 4, heads: 2, feedForward: 128, dropout: 0.1 } as const;

/** Rows of the blocks that attention works on. */
export const BLOCK_ROWS = 16;

/**
 * Embeddings of computation graphs, (B, 2·width) each: the k-GNN's means over nodes, then the transformer's.
 *
 * @param passes how often, each with other elements dropped
 */
export function contrastiveEncoder(
  s: Scope,
  inputs: EncoderInputs,
  options: EncoderOptions,
  passes = 1,
): Value[] {
  const { counts, graph } = inputs;
  const { width, layers } = options;
  const nodes = nodeEmbedding(s.at('node'), inputs, options.labels);
  const convolution = { convolution: 'k-gnn', width, layers } as const;
  const nodesConvolved = convolved(s.at('gnn'), nodes, edgesOf(inputs), convolution);
  const means = meanByGraph(nodesConvolved, scatterPlaces(graph), counts);
  return transformed(s.at('transformer'), nodes, inputs, options, passes).map((others) =>
    s.builder.concat([means, others], 1),
  );
}

/** A post-norm layer of a transformer over the nodes of every graph, and the mean over them: (n, d) → (B, width). */
function transformed(
  s: Scope,
  nodes: Value,
  { blockNodes, presence, blockGraph, counts }: EncoderInputs,
  { width, heads, feedForward, dropout: rate }: EncoderOptions,
  passes: number,
): Value[] {
  const blocks: Blocks = { presence, graph: scatterPlaces(blockGraph), counts };
  const x = linear(s.at('into'), nodes, width).gather(blockNodes);
  const attended = linearAttention(s.at('attention'), x, blocks, heads);
  const rows = presence.unsqueeze([1]);
  return Array.from({ length: passes }, () => {
    const y = layerNorm(s.at('norm', 0), x.add(dropout(s, attended, rate)));
    const hidden = dropout(s, linear(s.at('hidden'), y, feedForward).relu(), rate);
    const z = layerNorm(s.at('norm', 1), y.add(dropout(s, linear(s.at('out'), hidden, width), rate)));
    return sumByGraph(rows.matmul(z).squeeze([1]), blocks.graph, counts).div(counts);
  });
}

/** What embeddings are compared by, of unit length: (B, e) → (B, width). */
export function projection(s: Scope, embedding: Value, width: number): Value {
  const hidden = linear(s.at(0), embedding, embedding.length(1)).relu();
  return unitLength(linear(s.at(1), hidden, width));
}

/** What is predicted of embeddings beside, FLOPs: (B, e) → (B, 1). */
export function flopsHead(s: Scope, embedding: Value, width: number): Value {
  return linear(s.at(1), linear(s.at(0), embedding, width).relu(), 1);
}

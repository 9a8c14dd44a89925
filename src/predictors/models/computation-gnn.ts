// Graph neural networks on computation graphs, as the baselines of GENNAPE (Mills et al., AAAI 2023) are: every node a
// vector of 32 numbers, six layers along the edges, the mean over nodes, a multi-layer perceptron.
import { embedding, linear } from '../../nn/linear.js';
import {
  degreeScale,
  meanByGraph,
  type PackedEdges,
  packedGcn,
  packedGin,
  packedGraphConv,
  scatterPlaces,
} from '../../nn/packed-graph.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';

/** What the view `computation-graph` gives; see graph-set.ts for what padding is. */
export interface ComputationInputs {
  /** (B, 1): nodes of every graph. */
  readonly counts: Value;
  /** (w): places in the vocabulary; so for regular nodes, (r). */
  readonly weightedOps: Value;
  /** (w, 6): height in and out, width in and out, channels in and out. */
  readonly weightedSizes: Value;
  /** (w, 2): from 0 (none) to 7. */
  readonly kernels: Value;
  /** (w, 2): 1, 0 without a bias and 0, 1 with one. */
  readonly bias: Value;
  readonly regularOps: Value;
  readonly regularSizes: Value;
  /** (e): places of nodes, weighted ones first; so is `to`. */
  readonly from: Value;
  readonly to: Value;
  /** (w + r): the graph of every node. */
  readonly graph: Value;
}

/** The authors' widths; their sum is 32 for either sort of node. */
const EMBEDDED = { sizes: 8, weightedOp: 14, kernel: 4, bias: 2, regularOp: 24 } as const;
const NODE_WIDTH = 32;

/** The largest kernel that is told from larger ones, and none at all. */
const KERNELS = 8;

/**
 * Nodes as vectors, weighted ones first: (w + r, 32).
 *
 * @param labels of the vocabulary
 */
export function nodeEmbedding(s: Scope, inputs: ComputationInputs, labels: number): Value {
  const { weightedOps, weightedSizes, kernels, bias, regularOps, regularSizes } = inputs;
  const [w, r] = [s.at('weighted'), s.at('regular')];
  const kernel = (i: number): Value =>
    embedding(w.at('kernel', i), kernels.slice([i], [i + 1], [1]).squeeze([1]), KERNELS, EMBEDDED.kernel);
  const weighted = s.builder.concat(
    [
      embedding(w.at('op'), weightedOps, labels, EMBEDDED.weightedOp),
      linear(w.at('sizes'), weightedSizes, EMBEDDED.sizes),
      kernel(0),
      kernel(1),
      linear(w.at('bias'), bias, EMBEDDED.bias),
    ],
    1,
  );
  const regular = s.builder.concat(
    [
      embedding(r.at('op'), regularOps, labels, EMBEDDED.regularOp),
      linear(r.at('sizes'), regularSizes, EMBEDDED.sizes),
    ],
    1,
  );
  return s.builder.concat([weighted, regular], 0);
}

export type Convolution = 'k-gnn' | 'gcn' | 'gin';

interface ComputationGnnOptions {
  readonly convolution: Convolution;
  readonly width: number;
  readonly layers: number;
  /** Of the vocabulary. */
  readonly labels: number;
  readonly outputs?: number;
}

/** The authors'. */
export const COMPUTATION_GNN = { width: NODE_WIDTH, layers: 6 } as const;

export function edgesOf({ from, to }: ComputationInputs): PackedEdges {
  return { from, to: scatterPlaces(to) };
}

/** Layers along the edges, tanh behind each: (n, d) → (n, width). */
export function convolved(
  s: Scope,
  nodes: Value,
  edges: PackedEdges,
  { convolution, width, layers }: Pick<ComputationGnnOptions, 'convolution' | 'width' | 'layers'>,
): Value {
  const scale = convolution === 'gcn' ? degreeScale(nodes, edges) : undefined;
  let x = nodes;
  for (let i = 0; i < layers; i++) {
    const layer = s.at('layer', i);
    if (convolution === 'gin') {
      x = packedGin(layer, x, edges, (mlp, y) =>
        linear(mlp.at(1), linear(mlp.at(0), y, width).relu(), width),
      );
    } else if (scale !== undefined) x = packedGcn(layer, x, edges, scale, width);
    else x = packedGraphConv(layer, x, edges, width);
    x = x.tanh();
  }
  return x;
}

/** Layers of the head before the last, behind the second of which there is a ReLU. */
const HIDDEN = 4;

/** Computation graphs → (B, outputs). */
export function computationGnn(
  s: Scope,
  inputs: ComputationInputs,
  { outputs = 1, labels, ...options }: ComputationGnnOptions,
): Value {
  const nodes = nodeEmbedding(s.at('node'), inputs, labels);
  const x = convolved(s, nodes, edgesOf(inputs), options);
  let y = meanByGraph(x, scatterPlaces(inputs.graph), inputs.counts);
  for (let i = 0; i < HIDDEN; i++) {
    y = linear(s.at('head', i), y, options.width);
    if (i === 1) y = y.relu();
  }
  return linear(s.at('head', HIDDEN), y, outputs);
}

// arch2vec (Yan et al., NeurIPS 2020): a variational auto-encoder of cells. Nodes become Gaussians by a graph isomorphism
// network; operations and edges are decoded from samples of them. Cells are padded to n nodes at the end, with rows of zeros;
// the padding takes part, as in the paper's code.
//
// The released code differs from the method in four places; each is an option:
//
//                        method                        released
//   operations           softmax over the operations   a sigmoid for each of them
//   second head          log σ²                        log σ, though called a log variance
//   divergence           mean over nodes               the same, divided once more by the number of nodes of the batch
//   from epoch 2 on      training                      evaluation: running statistics, no dropout, no samples
import { dropout } from '../../nn/dropout.js';
import { gin } from '../../nn/graph.js';
import { linear } from '../../nn/linear.js';
import { binaryCrossEntropy, klNormal } from '../../nn/losses.js';
import { batchNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';

export interface Arch2vecOptions {
  /** Different operations of the space; codes beyond them are not looked at. */
  readonly operations: number;
  readonly layers: number;
  readonly width: number;
  /** Numbers of a node. */
  readonly latent: number;
  /** Of what is decoded. */
  readonly dropout: number;
  readonly decoder: 'softmax' | 'sigmoid';
  readonly deviation: 'log-variance' | 'log-deviation';
  readonly divergence: 'mean' | 'per-batch';
}

/** Sizes of the paper for NAS-Bench-101, with the losses of the method. */
export const ARCH2VEC: Arch2vecOptions = {
  operations: 5,
  layers: 4,
  width: 128,
  latent: 16,
  dropout: 0.3,
  decoder: 'softmax',
  deviation: 'log-variance',
  divergence: 'mean',
};

/** What differs in the released code. */
export const RELEASED: Pick<Arch2vecOptions, 'decoder' | 'deviation' | 'divergence'> = {
  decoder: 'sigmoid',
  deviation: 'log-deviation',
  divergence: 'per-batch',
};

export interface CellInputs {
  /** (B, n, codes): one-hot, zeros where there is no node. */
  readonly operations: Value;
  /** (B, n, n), above the diagonal. */
  readonly adjacency: Value;
}

export function cellsOf({ operations, adjacency }: Inputs): CellInputs {
  return { operations: operations!, adjacency: adjacency! };
}

/** The Gaussians of nodes, both (B, n, latent). */
export interface NodeLatents {
  readonly mean: Value;
  readonly logDeviation: Value;
}

/** (B, n, codes), (B, n, n) → two times (B, n, latent). Parameters are under `encoder.`. */
export function encodeCells(scope: Scope, cells: CellInputs, options: Arch2vecOptions): NodeLatents {
  const s = scope.at('encoder');
  const { layers, width, latent, deviation } = options;
  const { adjacency } = cells;
  // Nodes gather from both directions.
  const both = adjacency.add(adjacency.transposeLast());
  const nodes = adjacency.length(-1);
  const ofNodes = (rows: Value): Value => rows.reshape([-1, nodes, rows.length(-1)]);
  let x = knownOperations(cells, options);
  for (let i = 0; i < layers; i++) {
    const layer = s.at('layer', i);
    // Rows of all cells as one matrix: products and sums are shorter in the graph and in its gradient.
    const rows = gin(layer, x, both, (m, sum) => {
      const flat = sum.reshape([-1, sum.length(-1)]);
      const hidden = batchNorm(m.at('norm'), linear(m.at(0), flat, width), { channelAxis: -1 });
      return linear(m.at(1), hidden.relu(), width);
    });
    x = ofNodes(batchNorm(layer.at('norm'), rows, { channelAxis: -1 }).relu());
  }
  const rows = x.reshape([-1, width]);
  const second = ofNodes(linear(s.at('deviation'), rows, latent));
  return {
    mean: ofNodes(linear(s.at('mean'), rows, latent)),
    logDeviation: deviation === 'log-deviation' ? second : second.mul(0.5),
  };
}

/** (B, n, latent): samples in training, means otherwise. */
export function sampled(s: Scope, { mean, logDeviation }: NodeLatents): Value {
  if (!s.isTraining) return mean;
  return mean.add(logDeviation.exp().mul(s.noise({ kind: 'normal' }, mean.sizes)));
}

/** Logits of operations (B, n, operations) and of edges (B, n, n). Parameters are under `decoder.`. */
function decodeNodes(
  s: Scope,
  z: Value,
  { operations, dropout: rate }: Arch2vecOptions,
): { readonly operations: Value; readonly edges: Value } {
  const kept = dropout(s, z, rate);
  return {
    operations: linear(s.at('decoder'), kept, operations),
    edges: kept.matmul(kept.transposeLast()),
  };
}

/**
 * What is minimised: errors of decoded operations and edges, and how far the Gaussians are from N(0, 1).
 *
 * The error of edges is summed above the diagonal, and divided by all n² entries. A sigmoid's error of operations is a mean
 * over all entries, those of the padding included; a softmax's a mean over the nodes that are there.
 */
export function arch2vecLoss(
  s: Scope,
  cells: CellInputs,
  latents: NodeLatents,
  z: Value,
  options: Arch2vecOptions,
): Value {
  const decoded = decodeNodes(s, z, options);
  const known = knownOperations(cells, options);
  const { builder, dtype } = known;
  const [count, n] = [z.length(0), z.length(1)];
  const operations =
    options.decoder === 'sigmoid'
      ? binaryCrossEntropy(decoded.operations, known)
      : decoded.operations.logSoftmax().mul(known).sum().neg().div(known.sum());
  const upper = Array.from({ length: n * n }, (_, at) => Number(at % n > Math.floor(at / n)));
  const edges = binaryCrossEntropy(decoded.edges, cells.adjacency, builder.constant(upper, dtype, [1, n, n]));
  const divergence = klNormal(latents.mean, latents.logDeviation);
  return operations
    .add(edges)
    .add(options.divergence === 'mean' ? divergence : divergence.mul(1 / (count * n)));
}

/** Without the codes that no operation of the space has. */
function knownOperations({ operations }: CellInputs, options: Arch2vecOptions): Value {
  const codes = operations.length(-1);
  return codes === options.operations ? operations : operations.slice([0], [options.operations], [2]);
}

// The graph convolutional network of BRP-NAS (Dudziak et al., NeurIPS 2020, released as Eagle), which predicts accuracies and
// latencies of cells: every operation gathers from those that it feeds, and one more node, which gathers from all, is
// read.
import { dropout } from '../../nn/dropout.js';
import { uniform } from '../../nn/initialise.js';
import { linear } from '../../nn/linear.js';
import { layerNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import type { GraphInputs } from './nn-former.js';

interface GcnOptions {
  readonly width: number;
  readonly layers: number;
  readonly dropout: number;
  /** Labels that are predicted; 1 unless told. */
  readonly outputs?: number;
}

/** The paper's for accuracies; for latencies the dropout is 0.002. 1.1 million weights. */
export const GCN: GcnOptions = { width: 600, layers: 4, dropout: 0.2 };

/**
 * (B, n, codes), (B, n, n) → (B, outputs). A layer is X ← dropout(ReLU(LayerNorm((A + I)·X·W + b))), where A is not
 * divided by degrees; behind the last one a dense layer reads the global node.
 *
 * The global node gathers from nodes that are there, so what is predicted does not depend on n. The authors have one n
 * for a space, and it gathers from nodes that were pruned too.
 */
export function gcn(
  s: Scope,
  graphs: Pick<GraphInputs, 'operations' | 'adjacency'>,
  options: GcnOptions = GCN,
): Value {
  const { width, layers, outputs = 1 } = options;
  const [start, edges] = withGlobalNode(graphs);
  // As the authors begin, weights and biases alike.
  const initial = uniform(-1 / Math.sqrt(width), 1 / Math.sqrt(width));
  let x = start;
  for (let i = 0; i < layers; i++) {
    // Of the last layer only the global node is read, so nothing else of it is computed.
    const read = (v: Value): Value => (i === layers - 1 ? v.slice([0], [1], [1]) : v);
    // A·X before W: the first codes may be fewer than the width, and the last layer has one row.
    const gathered = read(x).add(read(edges).matmul(x));
    const layer = s.at('layer', i);
    const y = linear(layer, gathered, width, { weight: initial, biasInit: initial });
    x = dropout(s, layerNorm(layer.at('norm'), y).relu(), options.dropout);
  }
  return linear(s.at('head'), x.reshape([-1, width]), outputs);
}

/**
 * The graph with one more node before the others that has a code of its own and is joined to all: codes
 * (B, n + 1, codes + 1) and adjacency (B, n + 1, n + 1).
 */
function withGlobalNode({
  operations,
  adjacency,
}: Pick<GraphInputs, 'operations' | 'adjacency'>): [codes: Value, adjacency: Value] {
  const { builder, dtype } = operations;
  const count = operations.length(2);
  // (B, n, 1): 1 for the nodes that are there.
  const presence = operations.sum([2], true);
  const none = presence.mul(0);
  const one = none.slice([0], [1], [1]);
  const code = Array.from({ length: count + 1 }, (_, i) => Number(i === count));
  // Added to zeros, so that there are as many as graphs, however many: the batch need not be known.
  const own = one.add(builder.constant(code, dtype, [1, 1, count + 1]));
  const codes = builder.concat([own, builder.concat([operations, none], 2)], 1);
  const rows = builder.concat([presence.transposeLast(), adjacency], 1);
  return [codes, builder.concat([builder.concat([one, none], 1), rows], 2)];
}

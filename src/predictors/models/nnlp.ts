// NNLP (Liu et al., ICPP 2022), the predictor of NNLQP: two layers of GraphSAGE over the network, a sum over its nodes,
// and a multi-layer perceptron that also sees how large the network is.
import { dropout } from '../../nn/dropout.js';
import { graphSage } from '../../nn/graph.js';
import { uniform } from '../../nn/initialise.js';
import { linear } from '../../nn/linear.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { allHeads, type NetworkInputs, type OutputOptions, sumOverNodes } from './network-heads.js';

interface NNLPOptions extends OutputOptions {
  readonly width: number;
  readonly dropout: number;
}

/** The paper's. */
export const NNLP: NNLPOptions = { width: 512, dropout: 0.05 };

const LAYERS = 2;

/** The latency in ms of networks in `NNLP_ENCODING`: (B, n, 44), (B, n), (B, n, n), (B, 4) → (B, outputs). */
export function nnlp(s: Scope, networks: NetworkInputs, options: NNLPOptions = NNLP): Value {
  const { width, outputs = 1 } = options;
  const { statics } = networks;
  const graph = sageFeatures(s, networks, options);
  const whole = dropout(s, dense(s.at('static'), statics, width), options.dropout).relu();
  const all = s.builder.concat([graph, whole], 1);
  const y = allHeads(s, outputs, (head) => sageHead(head, all, options));
  // −log σ(y)
  return options.positive === false ? y : y.neg().softplus();
}

/** Two layers of GraphSAGE that see an edge from both sides, and the sum over nodes: (B, n, d) → (B, width). */
export function sageFeatures(
  s: Scope,
  { nodes, presence, adjacency }: Pick<NetworkInputs, 'nodes' | 'presence' | 'adjacency'>,
  { width, dropout: rate }: Pick<NNLPOptions, 'width' | 'dropout'>,
): Value {
  // No two nodes feed each other, so this has no 2 in it.
  const neighbours = adjacency.add(adjacency.transposeLast());
  let x = nodes;
  for (let i = 0; i < LAYERS; i++) {
    const sage = graphSage(s.at('sage', i), x, neighbours, width, { mask: presence, normalise: true });
    x = dropout(s, sage.relu(), rate);
  }
  return sumOverNodes(x, presence);
}

/** Two hidden layers: (B, d) → (B, 1). */
export function sageHead(
  s: Scope,
  features: Value,
  { width, dropout: rate }: Pick<NNLPOptions, 'width' | 'dropout'>,
): Value {
  const hidden = (i: number, x: Value): Value => dropout(s, dense(s.at(i), x, width).relu(), rate);
  return dense(s.at(2), hidden(1, hidden(0, features)), 1);
}

/** A dense layer that begins as the authors': weights within ±1/√in, biases within ±1/√out. */
function dense(s: Scope, x: Value, out: number): Value {
  const bound = 1 / Math.sqrt(out);
  return linear(s, x, out, { biasInit: uniform(-bound, bound) });
}

// NN-Former (Xu et al., CVPR 2025), the model that predicts latencies of whole networks: two blocks of attention
// between an operator and its successors, predecessors and siblings, and of messages along the edges. Without the
// tokens that the model for accuracies adds, siblings are siblings.
import { additiveMask, multiHeadAttention } from '../../nn/attention.js';
import { dropout } from '../../nn/dropout.js';
import { bidirectionalGcn, identityLike } from '../../nn/graph.js';
import { kaimingNormal, zeros } from '../../nn/initialise.js';
import { type LinearOptions, linear } from '../../nn/linear.js';
import { layerNorm, layerScale } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { allHeads, type NetworkInputs, type OutputOptions, sumOverNodes } from './network-heads.js';

interface NNFormerLatencyOptions extends OutputOptions {
  /** d, a multiple of the four heads. */
  readonly width: number;
  readonly blocks: number;
  readonly dropout: number;
}

/** The paper's. */
export const NN_FORMER_LATENCY: NNFormerLatencyOptions = {
  width: 512,
  blocks: 2,
  dropout: 0.05,
};

/** Hidden width of the feed-forward network, in widths. */
const EXPANSION = 4;
/** What nodes are multiplied with before they are summed, so that sums over hundreds stay small. */
const NODE_SCALE = 0.01;

const INITIAL: LinearOptions = { weight: kaimingNormal(1), biasInit: zeros };

/** The latency in ms of networks in `NN_FORMER_ENCODING`: (B, n, 192), (B, n), (B, n, n), (B, 40) → (B, outputs). */
export function nnFormerLatency(
  s: Scope,
  networks: NetworkInputs,
  options: NNFormerLatencyOptions = NN_FORMER_LATENCY,
): Value {
  const { width, blocks, dropout: rate, outputs = 1 } = options;
  const { adjacency, presence } = networks;
  const mask = relationMask(adjacency);
  let x = linear(s.at('embedding'), networks.nodes, width, INITIAL);
  for (let i = 0; i < blocks; i++) {
    const block = s.at('block', i);
    const normed = layerNorm(block.at('norm1'), x);
    const attended = multiHeadAttention(block.at('attention'), normed, {
      ...INITIAL,
      heads: mask.length(1),
      mask,
      dropout: rate,
    });
    x = x.add(layerScale(block.at('scale1'), dropout(s, attended, rate)));
    const messages = feedForward(block.at('feedForward'), layerNorm(block.at('norm2'), x), adjacency, rate);
    x = x.add(layerScale(block.at('scale2'), messages));
  }
  const graph = sumOverNodes(preReduction(s.at('preReduction'), x, rate), presence);
  const whole = dropout(s, linear(s.at('static'), networks.statics, width, INITIAL), rate).relu();
  const all = s.builder.concat([graph, whole], 1);
  const y = allHeads(s, outputs, (head) => {
    const hidden = linear(head.at(0), all, width, INITIAL).relu();
    return linear(head.at(1), dropout(s, hidden, rate), 1, INITIAL);
  });
  return options.positive === false ? y : y.softplus();
}

/**
 * Who attends to whom, as numbers to add to scores: one head each for A, Aᵀ, AᵀA (fed by one together with it) and
 * AAᵀ (feeding one together with it), and every node to itself. (B, n, n) → (B, 4, n, n). Nodes that are not there are
 * seen by themselves alone.
 */
export function relationMask(a: Value): Value {
  const { builder } = a;
  const transposed = a.transposeLast();
  const relations = [a, transposed, transposed.matmul(a), a.matmul(transposed)];
  const each = builder.concat(
    relations.map((m) => m.unsqueeze([1])),
    1,
  );
  return additiveMask(each.add(identityLike(a)).greater(0));
}

/** BGIFFN: ReLU(x·W₁ + [A·V₁ | Aᵀ·V₂])·W₂ with [V₁ V₂] = x·W_g, all with biases. (B, n, d) → (B, n, d) */
function feedForward(s: Scope, x: Value, adjacency: Value, rate: number): Value {
  const d = x.length(-1);
  const own = linear(s.at('own'), x, EXPANSION * d, INITIAL);
  const hidden = own.add(bidirectionalGcn(s.at('graph'), x, adjacency, EXPANSION * d, INITIAL)).relu();
  return dropout(s, linear(s.at('contract'), dropout(s, hidden, rate), d, INITIAL), rate);
}

/** 0.01·(y + MLP(y)) of the normalised y: (B, n, d) → (B, n, d). */
function preReduction(s: Scope, x: Value, rate: number): Value {
  const d = x.length(-1);
  const y = layerNorm(s.at('norm'), x);
  const hidden = linear(s.at(0), y, 2 * d, INITIAL).relu();
  const mixed = linear(s.at(1), dropout(s, hidden, rate), d, INITIAL);
  return y.add(dropout(s, mixed, rate)).mul(NODE_SCALE);
}

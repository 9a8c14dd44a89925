// NAR-Former V2 (Yi et al., NeurIPS 2023), a model of accuracies of cells and of latencies of whole networks: linear
// attention of an operation to what it is joined to, either way, and feed-forward networks in groups.
//
// Graphs of up to n nodes are padded to n. Nobody is joined to nodes that are not there, and the readouts leave them
// out, so what is predicted does not depend on n.
import { isKnown } from '../../graph/dim.js';
import { dropout } from '../../nn/dropout.js';
import { nodeMean, unitLength } from '../../nn/graph.js';
import { uniform, xavierUniform, zeros } from '../../nn/initialise.js';
import { linear } from '../../nn/linear.js';
import { layerNorm, layerScale } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { type NerfVariant, nerfTable } from './nerf-encoding.js';
import type { NetworkInputs, OutputOptions } from './network-heads.js';
import type { GraphInputs } from './nn-former.js';

export interface NarFormerV2Options {
  /** d; the groups must divide it. */
  readonly width: number;
  readonly layers: number;
  /** Parts of the feed-forward networks that do not see each other. */
  readonly groups: number;
  /** Hidden width of the feed-forward networks, in widths. */
  readonly expansion: number;
  /**
   * Whether attention adds x·W_r, the node's own features under weights of their own. The released code does; Eq. 3
   * of the paper has no such term, and then a node hears of itself only by way of its neighbours.
   */
  readonly root: boolean;
  readonly dropout: number;
}

export interface NarFormerV2AccuracyOptions extends NarFormerV2Options {
  /** Labels that are predicted; 1 unless told. They have all but the last layer in common. */
  readonly outputs?: number;
  /** How operations and places of nodes become numbers, see `nerfCode`. */
  readonly codes: NerfVariant;
}

interface NarFormerV2LatencyOptions extends NarFormerV2Options, OutputOptions {}

const COMMON = { width: 512, groups: 8, expansion: 4, root: false, dropout: 0.05 };

/** For accuracies of cells, as the paper prints it. */
export const NAR_FORMER_V2_ACCURACY: NarFormerV2AccuracyOptions = { ...COMMON, layers: 6, codes: 'exact' };

/** For latencies of networks, as the paper prints it. */
export const NAR_FORMER_V2_LATENCY: NarFormerV2LatencyOptions = { ...COMMON, layers: 2 };

/** What differs in the released code. */
export const NAR_FORMER_V2_RELEASED = {
  root: true,
  codes: 'released',
} as const satisfies Partial<NarFormerV2AccuracyOptions>;

/** Frequencies of the codes of an operation and of a place; a code has twice as many numbers. */
const CELL_FREQUENCIES = 32;

/**
 * Accuracies of cells: (B, n, codes), (B, n, n) → (B, outputs), positive. Readout: the mean over nodes of every layer,
 * weighted by a gate that all these means decide on.
 */
export function narFormerV2Accuracy(
  s: Scope,
  graphs: Pick<GraphInputs, 'operations' | 'adjacency'>,
  options: NarFormerV2AccuracyOptions = NAR_FORMER_V2_ACCURACY,
): Value {
  const { width, layers } = options;
  const mask = graphs.operations.sum([2]);
  const outputs = blocks(s, cellTokens(graphs.operations, options.codes), graphs.adjacency, options);
  const pooled = s.builder.concat(
    outputs.map((x) => nodeMean(x, mask)),
    -1,
  );
  const gates = headLinear(
    s.at('layerGate', 1),
    headLinear(s.at('layerGate', 0), pooled, (layers * width) / 4).relu(),
    layers,
  ).sigmoid();
  const byLayer = pooled.reshape([-1, layers, width]);
  return head(s.at('head'), gates.unsqueeze([1]).matmul(byLayer).squeeze([1]), options, options.outputs);
}

/**
 * Latencies of networks: (B, n, 152), (B, n), (B, n, n), (B, 40) → (B, outputs), positive. Readout: the sum over nodes of the
 * last layer, beside a layer of what is known of the network as a whole.
 */
export function narFormerV2Latency(
  s: Scope,
  { nodes, presence, adjacency, statics }: NetworkInputs,
  options: NarFormerV2LatencyOptions = NAR_FORMER_V2_LATENCY,
): Value {
  const last = blocks(s, nodes, adjacency, options).at(-1)!;
  const pooled = presence.unsqueeze([1]).matmul(last).squeeze([1]);
  const whole = dropout(s, headLinear(s.at('statics'), statics, options.width), options.dropout).relu();
  return head(
    s.at('head'),
    s.builder.concat([pooled, whole], -1),
    options,
    options.outputs,
    options.positive,
  );
}

/** Exact codes of 32 frequencies repeat after so many numbers. */
const PERIOD = 2 * (CELL_FREQUENCIES - 1);

/**
 * Codes of operations and places, side by side: (B, n, codes) → (B, n, 128). More operations than there are different
 * exact codes get those of the released code, which do not repeat.
 */
export function cellTokens(operations: Value, variant: NerfVariant): Value {
  const [n, codes] = [operations.length(1), operations.length(2)];
  const { builder, dtype } = operations;
  const table = (count: number, of: NerfVariant): Value =>
    builder.constant(nerfTable(count, CELL_FREQUENCIES, of), dtype, [count, 2 * CELL_FREQUENCIES]);
  // Added to zeros, so that there are as many as graphs, however many: the batch need not be known.
  const places = operations.sum([2], true).mul(0).add(table(n, variant));
  return builder.concat([operations.matmul(table(codes, codes > PERIOD ? 'released' : variant)), places], -1);
}

/** What comes out of each layer: (B, n, d), one after another. The first layer takes the tokens as they are. */
function blocks(s: Scope, tokens: Value, adjacency: Value, options: NarFormerV2Options): Value[] {
  const joined = adjacency.add(adjacency.transposeLast());
  const outputs: Value[] = [];
  let x = tokens;
  for (let i = 0; i < options.layers; i++) {
    const block = s.at('block', i);
    x = dropout(s, graphAttention(block, x, joined, options).relu(), options.dropout);
    const branch = groupedFeedForward(block.at('feedForward'), layerNorm(block.at('norm'), x), options);
    x = x.add(layerScale(block, branch));
    outputs.push(x);
  }
  return outputs;
}

/**
 * Graph-aided attention: x̃ = x ⊙ σ(D·w_d + b_d) with D the number of neighbours, q = σ(x̃·W_q + b_q),
 * S = (q·qᵀ/√d) ⊙ A, rows divided by their sums, then S·x̃·W_a + b_a (+ x̃·W_r), of length 1. There is no residual
 * connection around it. (B, n, d_in), (B, n, n) → (B, n, d)
 */
function graphAttention(s: Scope, x: Value, joined: Value, { width, root }: NarFormerV2Options): Value {
  const size = x.length(-1);
  const degree = joined.sum([-1], true);
  const gated = x.mul(linear(s.at('degree'), degree, size).sigmoid());
  const q = linear(s.at('query'), gated, size).sigmoid();
  const scores = q
    .matmul(q.transposeLast())
    .mul(1 / Math.sqrt(size))
    .mul(joined);
  const shares = scores.div(scores.sum([-1], true).add(1e-6));
  const y = linear(s.at('neighbours'), shares.matmul(gated), width);
  return unitLength(root ? y.add(linear(s.at('root'), gated, width, { bias: false })) : y);
}

/** Two grouped layers with a ReLU between them: (B, n, d) → (B, n, d). */
function groupedFeedForward(
  s: Scope,
  x: Value,
  { groups, expansion, dropout: rate }: NarFormerV2Options,
): Value {
  const size = x.length(-1) / groups;
  const rows = x.reshape([-1, groups, size]).transpose([1, 0, 2]);
  const hidden = dropout(s, groupedLinear(s.at('expand'), rows, expansion * size).relu(), rate);
  const y = groupedLinear(s.at('contract'), hidden, size).transpose([1, 0, 2]);
  // The batch need not be known, nor how many nodes there are.
  const n = x.size(1);
  return dropout(s, isKnown(n) ? y.reshape([-1, n, x.length(2)]) : y.reshapeTo(x), rate);
}

/** Every group with weights of its own, normalised with weights that all share: (G, rows, in) → (G, rows, out). */
function groupedLinear(s: Scope, x: Value, out: number): Value {
  const [groups, size] = [x.length(0), x.length(2)];
  const y = x.matmul(s.parameter('weight', [groups, size, out], xavierUniform()));
  return layerNorm(s.at('norm'), y.add(s.parameter('bias', [groups, 1, out], zeros)));
}

/** (B, features) → (B, outputs): two hidden layers, then −log σ(x), which is positive, unless told. */
function head(
  s: Scope,
  features: Value,
  { width, dropout: rate }: NarFormerV2Options,
  outputs = 1,
  positive = true,
): Value {
  const hidden = (i: number, x: Value): Value => dropout(s, headLinear(s.at(i), x, width).relu(), rate);
  const y = headLinear(s.at(2), hidden(1, hidden(0, features)), outputs);
  return positive ? y.neg().softplus() : y;
}

/** A dense layer behind the readout: its bias begins within ±1/√out, where PyTorch's would within ±1/√in. */
function headLinear(s: Scope, x: Value, out: number): Value {
  const bound = 1 / Math.sqrt(out);
  return linear(s, x, out, { biasInit: uniform(-bound, bound) });
}

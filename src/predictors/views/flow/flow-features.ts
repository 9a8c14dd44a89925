// A network of any family as a row of numbers that its accuracy follows from: how large it is, how its MACs are spread over
// resolutions, what lies on its paths from input to output. All are logarithms or shares, so that their differences within
// one family mean the same in another.
import type { CostReport } from '../../../analysis/cost.js';
import type { Network } from '../../../networks/network.js';
import { computationGraph } from '../computation-graph/computation-graph.js';
import { type Flow, type FlowKind, type FlowNode, flowOf, ownGrowth, type Sharing } from './flow.js';
import { SEGMENT_FEATURES, segmentFeatures } from './segments.js';

const COUNTED: readonly FlowKind[] = [
  'spatial',
  'pointwise',
  'depthwise',
  'activation',
  'maximumPool',
  'averagePool',
  'sum',
  'join',
  'product',
  'mean',
  'zero',
];
const CONVOLUTIONS = ['spatial', 'pointwise', 'depthwise'] as const;
const ON_PATHS = [...CONVOLUTIONS, 'maximumPool', 'averagePool', 'activation'] as const;
/** Of a float. */
const BYTES = 4;
const MEETINGS: ReadonlySet<FlowKind> = new Set(['sum', 'join']);
const SHARINGS: readonly Sharing[] = ['even', 'paths', 'variance'];

/** All features of a network by name, always the same names in the same order. */
export function flowFeatures(network: Network): Readonly<Record<string, number>> {
  return featuresOf(flowOf(computationGraph(network.inference())), network.cost().totals);
}

/** The same, and those of its segments behind them. */
export function structureFeatures(network: Network): Readonly<Record<string, number>> {
  const flow = flowOf(computationGraph(network.inference()));
  return { ...featuresOf(flow, network.cost().totals), ...segmentFeatures(flow) };
}

/** Nodes that the output does not depend on count nowhere: without them, the network is the same. */
function featuresOf(flow: Flow, totals: Partial<CostReport['totals']>): Record<string, number> {
  const counts = countingNodes(flow);
  const idle = flow.nodes.filter((_, i) => !counts[i]);
  // A normalisation has a factor and a summand for every channel.
  const normalised = idle.filter(({ kind }) => kind === 'normalisation');
  const weights = normalised.reduce((sum, { channels }) => sum + 2 * channels, total(idle, 'weights'));
  const macs = total(idle, 'macs');
  const written = BYTES * outputsOf(idle);
  const read = flow.nodes.map(({ parents }, i) =>
    outputsOf(parents.filter((from) => !counts[i] || !flow.isUsed[from]).map((from) => flow.nodes[from]!)),
  );
  const moved = written + BYTES * (weights + read.reduce((sum, elements) => sum + elements, 0));
  const log = (value: unknown, unused = 0): number => Math.log(Math.max(1, Number(value ?? 1) - unused));
  const sizes = {
    logParameters: log(totals.parameters, weights),
    logMacs: log(totals.macs, macs),
    logFlops: log(totals.flops, 2 * macs),
    logActivations: log(totals.activationBytes, written),
    logMemory: log(totals.memoryAccessBytes, moved),
    logPeak: log(totals.peakActivationBytes),
  };
  const layers = layerNumbers(flow, counts);
  const paths = Object.assign({}, ...SHARINGS.map((sharing) => pathNumbers(flow, sharing)));
  const all: Record<string, number> = {
    ...sizes,
    ...layers,
    ...paths,
    reuse: sizes.logMacs - sizes.logParameters,
    macsByActivation: sizes.logMacs - sizes.logActivations,
    macsByLayer: sizes.logMacs - layers.layers!,
    parametersByLayer: sizes.logParameters - layers.layers!,
    parallelLongest: layers.layers! - layers.longest!,
  };
  for (const sharing of SHARINGS) all[`parallel ${sharing}`] = layers.layers! - paths[`depth ${sharing}`];
  return all;
}

/** By node, whether the network would be another without it. Of one used input there is nothing to add up or to join. */
function countingNodes({ nodes, isUsed }: Flow): boolean[] {
  return nodes.map(
    ({ kind, parents }, i) =>
      isUsed[i]! && !(MEETINGS.has(kind) && parents.filter((from) => isUsed[from]).length === 1),
  );
}

/** Numbers of nodes, and of layers by resolution. */
function layerNumbers(flow: Flow, counts: readonly boolean[]): Record<string, number> {
  const { side } = flow;
  const nodes = flow.nodes.filter((_, i) => counts[i]);
  const found: Record<string, number> = {};
  const count = (kind: FlowKind): number => nodes.filter((node) => node.kind === kind).length;
  for (const kind of COUNTED) found[`count ${kind}`] = Math.log1p(count(kind));
  const weighted = nodes.filter(({ isConvolution, kind }) => isConvolution || kind === 'dense');
  const pools = count('maximumPool') + count('averagePool');
  const macs = Math.max(1, total(weighted, 'macs'));
  for (const kind of CONVOLUTIONS) {
    const own = total(
      nodes.filter((node) => node.kind === kind),
      'macs',
    );
    found[`macs ${kind}`] = own / macs;
    found[`logMacs ${kind}`] = Math.log1p(own);
  }
  const outputs = (some: readonly FlowNode[]): number => Math.log1p(outputsOf(some));
  const layers = nodes.filter(({ isConvolution, area }) => isConvolution && area > 1);
  const stages = byResolution(layers);
  const inStages = (of: (stage: readonly FlowNode[]) => number): number => mean(stages.map(of));
  const last = stages.at(-1) ?? [];
  const edges = nodes.reduce((sum, { parents }) => sum + parents.filter((i) => flow.isUsed[i]).length, 0);
  return {
    ...found,
    layers: Math.log1p(weighted.length),
    pools: Math.log1p(pools),
    poolShare: pools / (weighted.length + pools + 1),
    activated: outputs(nodes.filter(({ kind }) => kind === 'activation')),
    outputs: outputs(weighted),
    kernel: weighted.reduce((sum, node) => sum + node.macs * Math.log(node.kernel), 0) / macs,
    dead: Number(flow.isDead),
    logPaths: flow.logPaths,
    longest: Math.log1p(flow.longest),
    shortest: Math.log1p(flow.shortest),
    longestSpatial: Math.log1p(flow.longestSpatial),
    pathNorm: flow.pathNorm,
    pathNormByDepth: flow.pathNorm / (1 + flow.longest),
    receptiveField: Math.log1p(flow.receptiveField),
    receptiveShare: Math.log1p(flow.receptiveField / side),
    meanWidth: mean(layers.map(({ channels }) => Math.log(channels))),
    meanFanIn: mean(layers.map(({ fanIn }) => Math.log(fanIn))),
    meanMacs: mean(layers.map((node) => Math.log(node.macs))),
    meanWeights: mean(layers.map(({ weights }) => Math.log(weights))),
    sumWidth: Math.log1p(layers.reduce((sum, { channels }) => sum + Math.log(channels), 0)),
    sumFanIn: Math.log1p(layers.reduce((sum, { fanIn }) => sum + Math.log(fanIn), 0)),
    sumMacs: Math.log1p(layers.reduce((sum, node) => sum + Math.log(node.macs), 0)),
    leastWidth: Math.log(least(layers.map(({ channels }) => channels))),
    stageWidth: inStages((stage) => mean(stage.map(({ channels }) => Math.log(channels)))),
    stageWidest: inStages((stage) => Math.log(most(stage.map(({ channels }) => channels)))),
    stageMacs: inStages((stage) => Math.log(Math.max(1, total(stage, 'macs')))),
    stageWeights: inStages((stage) => Math.log(Math.max(1, total(stage, 'weights')))),
    stageLayers: inStages((stage) => Math.log(stage.length)),
    lastWidth: Math.log(most(last.map(({ channels }) => channels))),
    lastLayers: Math.log1p(last.length),
    lastMacs: Math.log1p(total(last, 'macs')),
    firstMacs: Math.log1p(total(stages[0] ?? [], 'macs')),
    side: Math.log(side),
    lastSide: Math.log(last[0]?.area ?? 1) / 2,
    degree: edges / Math.max(1, nodes.length),
    edgesByLayer: Math.log1p(edges / (weighted.length + 1)),
    nodes: Math.log1p(nodes.length),
  };
}

/** Convolutions that give out as many pixels, the largest images first. */
function byResolution(layers: readonly FlowNode[]): FlowNode[][] {
  const stages = new Map<number, FlowNode[]>();
  for (const layer of layers) {
    const stage = stages.get(layer.area);
    if (stage) stage.push(layer);
    else stages.set(layer.area, [layer]);
  }
  return [...stages].sort(([a], [b]) => b - a).map(([, stage]) => stage);
}

/** What a random path from the output back to the input meets, on average. */
function pathNumbers(flow: Flow, sharing: Sharing): Record<string, number> {
  const { nodes, side, longest } = flow;
  const shares = flow.shares(sharing);
  const expected = (of: (node: FlowNode) => number): number =>
    nodes.reduce((sum, node, i) => sum + (shares[i] === 0 ? 0 : shares[i]! * of(node)), 0);
  const ofKind = (...kinds: FlowKind[]): number => expected(({ kind }) => Number(kinds.includes(kind)));
  const ofLayers = (of: (node: FlowNode) => number): number =>
    expected((node) => (node.isConvolution ? of(node) : 0));
  const depth = ofLayers(() => 1);
  const perLayer = (of: (node: FlowNode) => number): number => (depth > 0 ? ofLayers(of) / depth : 0);
  const pools = ofKind('maximumPool', 'averagePool');
  const numbers: Record<string, number> = {};
  for (const kind of ON_PATHS) numbers[kind] = Math.log1p(ofKind(kind));
  Object.assign(numbers, {
    depth: Math.log1p(depth),
    spatialDepth: Math.log1p(ofKind('spatial', 'depthwise')),
    depthShare: depth / Math.max(1, longest),
    fanIn: perLayer(({ fanIn }) => Math.log(fanIn)),
    // Entropy of MAE-DET (Sun et al., ICML 2022), along a path.
    entropy: Math.log1p(ofLayers(({ fanIn }) => Math.log(fanIn))),
    width: perLayer(({ channels }) => Math.log(channels)),
    kernel: perLayer(({ kernel }) => Math.log(kernel)),
    receptiveField: Math.log1p(expected((node) => ownGrowth(node, side)) / side),
    poolShare: depth + pools > 0 ? pools / (depth + pools) : 0,
  });
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [`${name} ${sharing}`, value]));
}

function total(nodes: readonly FlowNode[], what: 'macs' | 'weights'): number {
  return nodes.reduce((sum, node) => sum + node[what], 0);
}

/** Elements that are given out. */
function outputsOf(nodes: readonly FlowNode[]): number {
  return nodes.reduce((sum, { channels, area }) => sum + channels * area, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
}

function most(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 1);
}

function least(values: readonly number[]): number {
  return values.length === 0 ? 1 : values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** The names, in the order of the features: those of a network without nodes. */
export const FLOW_FEATURES: readonly string[] = Object.keys(
  featuresOf(flowOf({ nodes: [], edges: [], weightedCount: 0, unknownSizes: 0, isConnected: false }), {}),
);

export const STRUCTURE_FEATURES: readonly string[] = [...FLOW_FEATURES, ...SEGMENT_FEATURES];

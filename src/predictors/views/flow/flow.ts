// How data flows through a network's computation graph: paths from input to output, depths, and which share of the flow
// goes through each node. Nothing runs; all of it follows from the structure.
import type { ComputationGraph } from '../computation-graph/computation-graph.js';

export type FlowKind =
  | 'spatial'
  | 'pointwise'
  | 'depthwise'
  | 'dense'
  | 'activation'
  | 'maximumPool'
  | 'averagePool'
  | 'sum'
  | 'join'
  | 'product'
  | 'mean'
  | 'normalisation'
  | 'zero'
  | 'input'
  | 'output'
  | 'other';

/** What GENNAPE's labels are here; convolutions and others are told below. */
const KINDS: Readonly<Record<string, FlowKind>> = {
  Depthwise: 'depthwise',
  MatMul: 'dense',
  ReLU: 'activation',
  ReLU6: 'activation',
  Sigmoid: 'activation',
  Tanh: 'activation',
  Swish: 'activation',
  GeLU: 'activation',
  Maxpool: 'maximumPool',
  Avgpool: 'averagePool',
  Add: 'sum',
  Concat: 'join',
  Mul: 'product',
  Mean: 'mean',
  BatchNorm: 'normalisation',
  Zero: 'zero',
  Input: 'input',
  Output: 'output',
};

export interface FlowNode {
  readonly kind: FlowKind;
  /** Has a kernel that slides over an image: not a dense layer. */
  readonly isConvolution: boolean;
  readonly heightIn: number;
  /** Gives out smaller images than it reads. */
  readonly isStrided: boolean;
  /** Pixels given out. */
  readonly area: number;
  readonly channels: number;
  readonly kernel: number;
  readonly dilation: number;
  /** Inputs of each of its sums: channels of a group × kernel. */
  readonly fanIn: number;
  readonly weights: number;
  readonly macs: number;
  readonly parents: readonly number[];
}

/** How flow is shared among what a node reads. Channels of a join always count as they are. */
export type Sharing =
  /** Every input of a sum alike. */
  | 'even'
  /** Every path from the network's input alike. */
  | 'paths'
  /** By variance at initialisation: 1 behind a normalisation, added up by sums (De & Smith, NeurIPS 2020). */
  | 'variance';

export interface Flow {
  readonly nodes: readonly FlowNode[];
  /** Places of nodes, each behind those that it reads. */
  readonly order: readonly number[];
  /** By node, whether what it gives depends on the input and reaches the output. */
  readonly isUsed: readonly boolean[];
  /** Nothing that depends on the input reaches the output. */
  readonly isDead: boolean;
  /** Natural logarithm of the number of paths from an input to the output; 0 for a dead network. */
  readonly logPaths: number;
  /** Convolutions on the longest and on the shortest path, and those of them whose kernel is larger than 1. */
  readonly longest: number;
  readonly shortest: number;
  readonly longestSpatial: number;
  /** Natural logarithm of the sum over paths of ∏ √fan-in: SynFlow of weights that are all equal. */
  readonly pathNorm: number;
  /** Pixels of the input that one of the last layer sees on the path that widens most, at most. */
  readonly receptiveField: number;
  /** The side of the input image. */
  readonly side: number;
  /** Of every node, the share of flow through it: the probability that a random path backwards takes it. */
  shares(sharing: Sharing): Float64Array;
}

/** Pools average or choose among neighbours, so less variance comes out. */
const POOL_VARIANCE: Readonly<Partial<Record<FlowKind, number>>> = { averagePool: 0.5, maximumPool: 0.8 };
/** Windows of pools are not in computation graphs; these are what most have. */
const POOL_KERNEL = 3;

/** What reaches a node. */
interface Reached {
  readonly logPaths: number;
  readonly longest: number;
  readonly shortest: number;
  readonly longestSpatial: number;
  readonly pathNorm: number;
  readonly receptiveField: number;
  readonly variance: number;
}

const START: Reached = {
  logPaths: 0,
  longest: 0,
  shortest: 0,
  longestSpatial: 0,
  pathNorm: 0,
  receptiveField: 1,
  variance: 1,
};

/** @throws never; sizes that are not known count as 1 */
export function flowOf(graph: ComputationGraph): Flow {
  const nodes = flowNodes(graph);
  const order = topological(nodes);
  const side = Math.max(1, ...nodes.filter(({ kind }) => kind === 'input').map((node) => node.heightIn));
  const reached: (Reached | undefined)[] = nodes.map(() => undefined);
  for (const i of order) reached[i] = reachedBy(nodes[i]!, nodes, reached, side);
  const output = nodes.findIndex(({ kind }) => kind === 'output');
  const end = reached[output];
  return {
    nodes,
    order,
    isUsed: usedNodes(nodes, order, reached, output),
    isDead: end === undefined,
    ...(end ?? { ...START, receptiveField: 0 }),
    side,
    shares: (sharing) => sharesOf(nodes, order, reached, output, sharing),
  };
}

function flowNodes({ nodes, edges }: ComputationGraph): FlowNode[] {
  const parents = nodes.map((): number[] => []);
  for (const [from, to] of edges) parents[to]!.push(from);
  return nodes.map((node, i) => {
    const [heightIn, heightOut, , widthOut, , channels] = node.resolution.map(size) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const [inputs, outputs, rows, columns] = node.kind === 'weighted' ? node.shape.map(size) : [0, 0, 1, 1];
    const kernel = Math.max(rows!, columns!);
    const weights = inputs! * outputs! * rows! * columns!;
    const kind =
      node.label === 'Conv' ? (kernel > 1 ? 'spatial' : 'pointwise') : (KINDS[node.label] ?? 'other');
    return {
      kind,
      isConvolution: kind === 'spatial' || kind === 'pointwise' || kind === 'depthwise',
      heightIn,
      isStrided: heightOut < heightIn,
      area: heightOut * widthOut,
      channels,
      kernel,
      dilation: size(node.dilations?.[0] ?? 1),
      fanIn: Math.max(1, inputs! * rows! * columns!),
      weights,
      macs: weights * heightOut * widthOut,
      parents: parents[i]!,
    };
  });
}

/** Known sizes, at least 1. */
function size(dim: unknown): number {
  const value = Number(dim);
  return Number.isFinite(value) ? Math.max(1, value) : 1;
}

function topological(nodes: readonly FlowNode[]): number[] {
  const children = nodes.map((): number[] => []);
  nodes.forEach(({ parents }, i) => void parents.forEach((from) => void children[from]!.push(i)));
  const waiting = nodes.map(({ parents }) => parents.length);
  const order = [...nodes.keys()].filter((i) => waiting[i] === 0);
  for (let at = 0; at < order.length; at++) {
    for (const child of children[order[at]!]!) if (--waiting[child]! === 0) order.push(child);
  }
  return order;
}

function reachedBy(
  node: FlowNode,
  nodes: readonly FlowNode[],
  reached: readonly (Reached | undefined)[],
  side: number,
): Reached | undefined {
  const { kind, parents, isConvolution } = node;
  if (kind === 'input') return START;
  const live = kind === 'zero' ? [] : parents.filter((from) => reached[from] !== undefined);
  if (live.length === 0) return undefined;
  const of = (what: keyof Reached): number[] => live.map((from) => reached[from]![what]);
  const channels = parents.reduce((sum, from) => sum + nodes[from]!.channels, 0);
  const parts = live.map((from) => (kind === 'join' ? nodes[from]!.channels / channels : 1));
  const isProduct = kind === 'product';
  const pathNorm = isProduct
    ? Math.max(...of('pathNorm'))
    : logSumExp(of('pathNorm').map((x, i) => x + Math.log(parts[i]!)));
  const pool = POOL_VARIANCE[kind];
  const adds = kind === 'sum' || kind === 'join';
  const variances = of('variance').map((x, i) => x * parts[i]!);
  const variance = adds ? variances.reduce((a, b) => a + b, 0) : Math.max(...variances);
  const kernel = isConvolution ? node.kernel : pool === undefined ? 1 : POOL_KERNEL;
  return {
    logPaths: logSumExp(of('logPaths')),
    longest: Math.max(...of('longest')) + Number(isConvolution),
    shortest: Math.min(...of('shortest')) + Number(isConvolution),
    longestSpatial: Math.max(...of('longestSpatial')) + Number(isConvolution && node.kernel > 1),
    pathNorm: pathNorm + (isConvolution ? Math.log(node.fanIn) / 2 : 0),
    receptiveField: Math.max(...of('receptiveField')) + growth(node, kernel, side),
    variance: kind === 'normalisation' ? 1 : variance * (pool ?? 1),
  };
}

/** Pixels of the input by which a window widens what is seen. */
function growth({ dilation, heightIn }: FlowNode, kernel: number, side: number): number {
  return ((kernel - 1) * dilation * side) / heightIn;
}

/** By how much a node widens the receptive field. */
export function ownGrowth(node: FlowNode, side: number): number {
  const isPool = POOL_VARIANCE[node.kind] !== undefined;
  return growth(node, node.isConvolution ? node.kernel : isPool ? POOL_KERNEL : 1, side);
}

/** What lies on a path from an input to the output, through gates too. */
function usedNodes(
  nodes: readonly FlowNode[],
  order: readonly number[],
  reached: readonly (Reached | undefined)[],
  output: number,
): boolean[] {
  const isUsed = nodes.map((_, i) => i === output && reached[i] !== undefined);
  for (const i of order.toReversed()) {
    if (!isUsed[i]) continue;
    for (const from of nodes[i]!.parents) if (reached[from] !== undefined) isUsed[from] = true;
  }
  return isUsed;
}

function sharesOf(
  nodes: readonly FlowNode[],
  order: readonly number[],
  reached: readonly (Reached | undefined)[],
  output: number,
  sharing: Sharing,
): Float64Array {
  const shares = new Float64Array(nodes.length);
  if (reached[output] === undefined) return shares;
  shares[output] = 1;
  for (const i of order.toReversed()) {
    const { kind, parents } = nodes[i]!;
    const live = shares[i] === 0 ? [] : parents.filter((from) => reached[from] !== undefined);
    if (live.length === 0) continue;
    const most = Math.max(...live.map((from) => nodes[from]!.area));
    const weights = live.map((from) => {
      const { channels, area } = nodes[from]!;
      // Of a gate and what it scales, flow goes through the image.
      if (kind === 'product') return Number(area === most);
      if (sharing === 'paths') return Math.exp(reached[from]!.logPaths - reached[i]!.logPaths);
      return (sharing === 'even' ? 1 : reached[from]!.variance) * (kind === 'join' ? channels : 1);
    });
    const total = weights.reduce((a, b) => a + b, 0) || 1;
    live.forEach((from, at) => {
      shares[from]! += (shares[i]! * weights[at]!) / total;
    });
  }
  return shares;
}

function logSumExp(values: readonly number[]): number {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, x) => sum + Math.exp(x - most), 0));
}

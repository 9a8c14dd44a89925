// How much memory a network takes in ONNX Runtime at its peak, told from the file alone. There are three stages: loading, in which
// weights of convolutions exist as they were read and with channels in blocks; packing, in which a matrix exists twice; and
// running, simulated as the runtime plans it.
import type { InferredGraph } from '../analysis/infer.js';
import type { Kernel } from '../analysis/kernels/kernel.js';
import { planKernels } from '../analysis/kernels/plan.js';
import { usedNames } from '../graph/order.js';
import { valueBytes } from '../graph/types.js';
import type { Network } from '../networks/index.js';
import { KERNEL_NAMES } from '../ops/microsoft/fusions.js';
import { plannedBuffers } from './memory/buffers.js';
import { runMemory } from './memory/runs.js';

export interface PredictedMemory {
  /** The most that the process grows by. */
  readonly peakBytes: number;
  /** Bytes of all constants, once. */
  readonly weightBytes: number;
  /** Bytes of the activations that are alive at once. */
  readonly activationBytes: number;
}

/** What the prediction is made of: sizes in bytes, and counts. */
export interface MemoryTerms {
  readonly nodes: number;
  readonly kernels: number;
  /** Constants that kernels read. */
  readonly heldBytes: number;
  /** Results of nodes that are computed beforehand. */
  readonly foldedBytes: number;
  /** Weights of convolutions with channels in blocks, and their number. */
  readonly blockedBytes: number;
  readonly blockedCount: number;
  readonly largestBlockedBytes: number;
  /** Weights of other convolutions that a normalisation is folded into. */
  readonly normedBytes: number;
  readonly largestPlainBytes: number;
  readonly largestProductBytes: number;
  /** Convolutions and products of integers. */
  readonly integerConvCount: number;
  readonly integerProductCount: number;
  /** What runs touch of the pool of buffers. */
  readonly pooledBytes: number;
  readonly outputBytes: number;
}

/** Fitted by verify/memory/fit.py to the growth of processes that ran users' files and networks of spaces, ONNX Runtime 1.30. */
const SESSION = {
  nodes: 2050,
  kernels: 2260,
  heldBytes: 1.014,
  blockedCount: 37_100,
  integerConvCount: 70_200,
  integerProductCount: 41_400,
};
/** Beyond the session, for a moment. */
const LOADING = {
  blockedBytes: 0.905,
  largestBlockedBytes: 2.964,
  normedBytes: 0.675,
  largestPlainBytes: 0.376,
  foldedBytes: 0.725,
};
const RUNNING = { base: 13_500, pooledBytes: 1.024, outputBytes: 0.406 };
/** Of processors with registers of 512 bits; others differ little. */
const BLOCK_CHANNELS = 16;

/**
 * Undefined where sizes or operators are unknown.
 *
 * @param given the network without the sizes that a run gives
 */
export function predictedMemory(network: Network, given: Network = network): PredictedMemory | undefined {
  const found = memoryTerms(network, given);
  if (found === undefined) return undefined;
  const { terms, activationBytes } = found;
  const session = weighted(terms, SESSION);
  const loading = Math.max(weighted(terms, LOADING), terms.largestProductBytes);
  const { base, ...running } = RUNNING;
  const peak = session + Math.max(loading, base + weighted(terms, running));
  return { peakBytes: Math.round(peak), weightBytes: network.cost().totals.weightBytes, activationBytes };
}

/** Undefined where sizes or operators are unknown. */
export function memoryTerms(
  network: Network,
  given: Network,
): { readonly terms: MemoryTerms; readonly activationBytes: number } | undefined {
  const inference = network.inference();
  const { graph } = inference;
  const { kernels, unknown } = planKernels(inference, { blockChannels: BLOCK_CHANNELS });
  if (unknown.length > 0) return undefined;
  const buffers = plannedBuffers(graph, kernels, given.inference().graph);
  const { firstBytes, laterBytes, activationBytes } = runMemory(buffers);
  const { blocked, plain, normed, products } = layersOf(graph, kernels);
  const { held, folded } = constantBytes(graph);
  const count = (...names: string[]): number =>
    kernels.filter(({ operator }) => names.includes(operator)).length;
  const terms = {
    nodes: graph.nodes.length,
    kernels: kernels.length,
    heldBytes: held,
    foldedBytes: folded,
    blockedBytes: sum(blocked),
    blockedCount: blocked.length,
    largestBlockedBytes: most(blocked),
    normedBytes: sum(normed),
    largestPlainBytes: most([...plain, ...normed]),
    largestProductBytes: most(products),
    integerConvCount: count(KERNEL_NAMES.integerConv),
    integerProductCount: count(KERNEL_NAMES.dynamicProduct, KERNEL_NAMES.sharedProduct),
    pooledBytes: Math.max(firstBytes, laterBytes),
    outputBytes: bytesOf(graph, graph.outputNames),
  };
  return { terms, activationBytes };
}

function weighted(terms: MemoryTerms, by: Partial<Record<keyof MemoryTerms, number>>): number {
  return Object.entries(by).reduce(
    (total, [name, factor]) => total + factor * terms[name as keyof MemoryTerms],
    0,
  );
}

const sum = (list: readonly number[]): number => list.reduce((total, bytes) => total + bytes, 0);
const most = (list: readonly number[]): number =>
  list.reduce((largest, bytes) => Math.max(largest, bytes), 0);

/** Bytes of constants that kernels read, and of those that are computed beforehand. */
function constantBytes(graph: InferredGraph): { held: number; folded: number } {
  const constants = new Set(graph.initializers.keys());
  const read = new Set<string>();
  const folded: string[] = [];
  // Equal nodes of equal constants are computed once.
  const computed = new Map<string, readonly string[]>();
  const same = new Map<string, string>();
  const own = (name: string): string => same.get(name) ?? name;
  for (const { node, operator, call } of graph.nodes) {
    const used = usedNames(node).filter((name) => name !== '');
    const isFolded =
      operator?.traits?.draws === undefined &&
      node.opType !== KERNEL_NAMES.dequantise &&
      call.bodies.length === 0 &&
      used.every((name) => constants.has(name));
    if (isFolded) {
      for (const name of node.outputs) constants.add(name);
      if (used.length === 0) continue;
      const attributes = [...node.attributes].map(([name, { value }]) => `${name}=${value}`);
      const key = [node.opType, ...node.inputs.map(own), ...attributes.sort()].join(' ');
      const first = computed.get(key) ?? node.outputs;
      if (!computed.has(key)) folded.push(...node.outputs);
      computed.set(key, first);
      node.outputs.forEach((name, i) => void same.set(name, first[i] ?? name));
    } else for (const name of used) if (constants.has(name)) read.add(own(name));
  }
  return { held: bytesOf(graph, [...read]), folded: bytesOf(graph, folded) };
}

/** Bytes of the weights of layers: convolutions in blocks, plain ones with and without a folded normalisation, products. */
type Layers = Readonly<Record<'blocked' | 'plain' | 'normed' | 'products', readonly number[]>>;

function layersOf(graph: InferredGraph, kernels: readonly Kernel[]): Layers {
  const nodes = new Map(graph.nodes.map((inferred) => [inferred.node.name, inferred]));
  const written = new Set(kernels.flatMap(({ values }) => values?.writes ?? []));
  const inputs = new Set(graph.inputNames.filter((name) => !graph.initializers.has(name)));
  const seen = new Set<string>();
  const layers = { blocked: [], plain: [], normed: [], products: [] } as Record<keyof Layers, number[]>;
  for (const { layout, nodes: names } of kernels) {
    const own = names.flatMap((name) => nodes.get(name) ?? []);
    const layer = own.find(({ operator }) => operator?.traits?.convolution ?? operator?.traits?.product);
    const weight = layer?.node.inputs[1] ?? '';
    if (layer === undefined || seen.has(weight) || written.has(weight) || inputs.has(weight)) continue;
    seen.add(weight);
    const isNormed = own.some(({ operator }) => operator?.traits?.normalisation === 'batch');
    const isProduct = layer.operator?.traits?.product !== undefined;
    const kind = isProduct ? 'products' : layout === 'blocked' ? 'blocked' : isNormed ? 'normed' : 'plain';
    layers[kind].push(bytesOf(graph, [weight]));
  }
  return layers;
}

function bytesOf(graph: InferredGraph, names: readonly string[]): number {
  return names.reduce((total, name) => {
    const type = graph.types.get(name);
    const bytes = type && valueBytes(type);
    return total + (typeof bytes === 'number' ? bytes : 0);
  }, 0);
}

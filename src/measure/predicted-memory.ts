// How much memory a network takes in ONNX Runtime at its peak, told from the file alone. There are three stages: loading, in which
// weights of convolutions exist as they were read and with channels in blocks; packing, in which a matrix exists twice; and
// running, simulated as the runtime plans it.
import type { InferredGraph } from '../analysis/infer.js';
import type { Kernel } from '../analysis/kernels/kernel.js';
import { planKernels } from '../analysis/kernels/plan.js';
import { usedNames } from '../graph/order.js';
import { valueBytes } from '../graph/types.js';
import type { Network } from '../networks/index.js';
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

/** Fitted to the growth of processes that ran search spaces' networks and users' files, ONNX Runtime 1.30. */
const LOADING = {
  base: 236_000,
  perNode: 2390,
  perBlocked: 21_700,
  weights: 1.03,
  blocked: 0.93,
  largestBlocked: 2.9,
  normed: 0.46,
  largestPlain: 1.4,
};
const SESSION = { base: 160_000, perNode: 2500, perBlocked: 40_700, weights: 1.03 };
const RUNNING = { base: 390_000, activations: 1.03, outputs: 1.16, perKernel: 1840 };
/** Of processors with registers of 512 bits; others differ little. */
const BLOCK_CHANNELS = 16;

/** Undefined where sizes or operators are unknown. */
export function predictedMemory(network: Network): PredictedMemory | undefined {
  const inference = network.inference();
  const { graph } = inference;
  const { weightBytes } = network.cost().totals;
  const { kernels, unknown } = planKernels(inference, { blockChannels: BLOCK_CHANNELS });
  if (unknown.length > 0) return undefined;
  const { firstBytes, laterBytes, activationBytes } = runMemory(plannedBuffers(graph, kernels));
  const { blocked, plain, normed, products } = layersOf(graph, kernels);
  const { loaded, held } = constantBytes(graph);
  const nodes = graph.nodes.length;
  const loading =
    LOADING.base +
    LOADING.perNode * nodes +
    LOADING.perBlocked * blocked.length +
    LOADING.weights * loaded +
    LOADING.blocked * sum(blocked) +
    LOADING.largestBlocked * most(blocked) +
    LOADING.normed * sum(normed) +
    LOADING.largestPlain * most([...plain, ...normed]);
  const session =
    SESSION.base + SESSION.perNode * nodes + SESSION.perBlocked * blocked.length + SESSION.weights * held;
  const running =
    RUNNING.base +
    RUNNING.activations * Math.max(firstBytes, laterBytes) +
    RUNNING.outputs * bytesOf(graph, graph.outputNames) +
    RUNNING.perKernel * kernels.length;
  const peak = Math.max(loading, session + most(products), session + running);
  return { peakBytes: Math.round(peak), weightBytes, activationBytes };
}

const sum = (list: readonly number[]): number => list.reduce((total, bytes) => total + bytes, 0);
const most = (list: readonly number[]): number =>
  list.reduce((largest, bytes) => Math.max(largest, bytes), 0);

/** Bytes of constants of the file, and of those that are left when the rest is computed beforehand. */
function constantBytes(graph: InferredGraph): { loaded: number; held: number } {
  const constants = new Set(graph.initializers.keys());
  const read = new Set<string>();
  const loaded = [...constants];
  // Equal nodes of equal constants are computed once.
  const computed = new Map<string, readonly string[]>();
  const same = new Map<string, string>();
  const own = (name: string): string => same.get(name) ?? name;
  for (const { node, operator, call } of graph.nodes) {
    const used = usedNames(node).filter((name) => name !== '');
    const isFolded =
      operator?.traits?.draws === undefined &&
      call.bodies.length === 0 &&
      used.every((name) => constants.has(name));
    if (isFolded) {
      for (const name of node.outputs) constants.add(name);
      if (used.length === 0) {
        loaded.push(...node.outputs);
        continue;
      }
      const attributes = [...node.attributes].map(([name, { value }]) => `${name}=${value}`);
      const key = [node.opType, ...node.inputs.map(own), ...attributes.sort()].join(' ');
      const first = computed.get(key) ?? node.outputs;
      computed.set(key, first);
      node.outputs.forEach((name, i) => void same.set(name, first[i] ?? name));
    } else for (const name of used) if (constants.has(name)) read.add(own(name));
  }
  return { loaded: bytesOf(graph, loaded), held: bytesOf(graph, [...read]) };
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

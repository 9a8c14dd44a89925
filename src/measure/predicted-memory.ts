// How much memory a network takes in ONNX Runtime at its peak, told from the file alone. The runtime holds weights several times
// while it loads: as they were read, with a normalisation folded in, in the order of its kernels; memory that it frees mostly stays
// with the process. Activations are kept twice: the first run allocates them one by one, later ones in one planned block.

import type { InferredGraph, InferredNode } from '../analysis/infer.js';
import type { Kernel } from '../analysis/kernels/kernel.js';
import { planKernels } from '../analysis/kernels/plan.js';
import { valueBytes } from '../graph/types.js';
import type { Network } from '../networks/index.js';
import { plannedActivationBytes } from './planned-memory.js';

export interface PredictedMemory {
  /** The most that the process grows by. */
  readonly peakBytes: number;
  /** Bytes of all constants, once. */
  readonly weightBytes: number;
  /** Bytes of the activations that are alive at once. */
  readonly activationBytes: number;
}

/** What the runtime does to the weights of a layer. */
type Treatment = 'blockedNormed' | 'blocked' | 'plainNormed' | 'plain' | 'product';

/** How often weights are held, and the largest of them once more; fitted to the growth of 102 processes, ONNX Runtime 1.30. */
const COPIES: Readonly<Record<Treatment, { readonly all: number; readonly largest: number }>> = {
  blockedNormed: { all: 2.5, largest: 3.1 },
  blocked: { all: 2, largest: 1.9 },
  plainNormed: { all: 2.1, largest: 0.4 },
  plain: { all: 0.4, largest: 2.5 },
  product: { all: 1.5, largest: 0.2 },
};
const OTHER_COPIES = { weights: 2.7, activations: 1.6, outputs: 3, inputs: 1.6 };
const BYTES_PER_NODE = 10_500;
const BYTES_OF_SESSION = 940_000;
/** Of processors with registers of 512 bits; others differ little. */
const BLOCK_CHANNELS = 16;

/** Undefined where sizes or operators are unknown. */
export function predictedMemory(network: Network): PredictedMemory | undefined {
  const inference = network.inference();
  const { graph } = inference;
  const activationBytes = plannedActivationBytes(graph);
  if (activationBytes === undefined) return undefined;
  const { weightBytes } = network.cost().totals;
  const layers = layersOf(graph, planKernels(inference, { blockChannels: BLOCK_CHANNELS }).kernels);
  let peak = BYTES_OF_SESSION + BYTES_PER_NODE * graph.nodes.length;
  let others = weightBytes;
  for (const [treatment, { all, largest }] of layers) {
    const copies = COPIES[treatment];
    peak += copies.all * all + copies.largest * largest;
    others -= all;
  }
  peak += OTHER_COPIES.weights * Math.max(0, others);
  peak += OTHER_COPIES.activations * activationBytes;
  peak += OTHER_COPIES.outputs * bytesOf(graph, graph.outputNames);
  const given = graph.inputNames.filter((name) => !graph.initializers.has(name));
  peak += OTHER_COPIES.inputs * bytesOf(graph, given);
  return { peakBytes: Math.round(peak), weightBytes, activationBytes };
}

/** Bytes of the weights of layers, by what is done to them. */
function layersOf(
  graph: InferredGraph,
  kernels: readonly Kernel[],
): Map<Treatment, { all: number; largest: number }> {
  const nodes = new Map(graph.nodes.map((inferred) => [inferred.node.name, inferred]));
  const found = new Map<Treatment, { all: number; largest: number }>();
  for (const { layout, nodes: names } of kernels) {
    const own = names.flatMap((name) => nodes.get(name) ?? []);
    const layer = own.find(({ operator }) => operator?.traits?.convolution ?? operator?.traits?.product);
    const weight = layer?.node.inputs[1] ?? '';
    if (layer === undefined || !graph.initializers.has(weight)) continue;
    const treatment = treatmentOf(layer, layout === 'blocked', own);
    const bytes = bytesOf(graph, [weight]);
    const { all, largest } = found.get(treatment) ?? { all: 0, largest: 0 };
    found.set(treatment, { all: all + bytes, largest: Math.max(largest, bytes) });
  }
  return found;
}

function treatmentOf(layer: InferredNode, isBlocked: boolean, own: readonly InferredNode[]): Treatment {
  if (layer.operator?.traits?.product !== undefined) return 'product';
  const isNormed = own.some(({ operator }) => operator?.traits?.normalisation === 'batch');
  if (isBlocked) return isNormed ? 'blockedNormed' : 'blocked';
  return isNormed ? 'plainNormed' : 'plain';
}

function bytesOf(graph: InferredGraph, names: readonly string[]): number {
  return names.reduce((sum, name) => {
    const type = graph.types.get(name);
    const bytes = type && valueBytes(type);
    return sum + (typeof bytes === 'number' ? bytes : 0);
  }, 0);
}

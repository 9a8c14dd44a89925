// How much memory a network takes in ONNX Runtime at its peak, told from the file alone. The runtime holds weights several times
// while it loads: as they were read, in the order of its kernels, and as it computes with them; memory that it frees stays with
// the process. Activations are kept twice: the first run allocates them one by one, later ones in one planned block.
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

/** Copies, fitted to the growth of 53 processes with ONNX Runtime 1.30 and rounded. */
const COPIES = { convolution: 3, otherWeights: 2, activations: 2 };
const BYTES_PER_NODE = 6000;
const BYTES_OF_SESSION = 600_000;

/** Undefined where sizes or operators are unknown. */
export function predictedMemory(network: Network): PredictedMemory | undefined {
  const { totals, constants, nodes } = network.cost();
  const activationBytes = plannedActivationBytes(network.inference().graph);
  if (activationBytes === undefined) return undefined;
  let convolution = 0;
  for (const { owner, bytes } of constants) {
    if (owner?.operator?.traits?.convolution !== undefined) convolution += bytes;
  }
  const { weightBytes } = totals;
  return {
    peakBytes: Math.round(
      BYTES_OF_SESSION +
        COPIES.convolution * convolution +
        COPIES.otherWeights * (weightBytes - convolution) +
        COPIES.activations * activationBytes +
        BYTES_PER_NODE * nodes.length,
    ),
    weightBytes,
    activationBytes,
  };
}

// How much memory a network takes in the runtime, told beforehand: its constants, and the activations that are alive at once.
import type { Network } from '../networks/index.js';

export interface PredictedMemory {
  /** All of it, while the network runs. */
  readonly runningBytes: number;
  readonly weightBytes: number;
  readonly activationBytes: number;
}

/** Undefined where sizes or operators are unknown. */
export function predictedMemory(network: Network): PredictedMemory | undefined {
  const { weightBytes, peakActivationBytes } = network.cost().totals;
  if (typeof peakActivationBytes !== 'number') return undefined;
  return {
    runningBytes: weightBytes + peakActivationBytes,
    weightBytes,
    activationBytes: peakActivationBytes,
  };
}

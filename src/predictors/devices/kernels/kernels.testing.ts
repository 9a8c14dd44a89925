// A device that is made up: kernels take time by a formula, and a run a little more than its kernels.
import { planKernels } from '../../../analysis/kernels/plan.js';
import { ArchNetwork } from '../../../networks/index.js';
import { spaceNamed } from '../../../spaces/index.js';
import { Random } from '../../../util/random.js';
import { kernelNumbers } from './class.js';
import type { TimedKernel } from './times.js';

export const BLOCK = 16;
const RUN_MS = 0.02;

export interface MadeUp {
  readonly network: ArchNetwork;
  readonly timed: readonly TimedKernel[];
  readonly ms: number;
}

/** 40 GFLOP/s, less where few channels are computed at once; 8 GB/s; 2 µs for each call. */
function microseconds(kernel: TimedKernel['kernel']): number {
  const { work, family } = kernelNumbers(kernel);
  const [flops, read, stored, written] = work as [number, number, number, number];
  const slow = family === 'convolution' && kernel.inputs[1]![1]! < BLOCK ? 2 : 1;
  return (slow * flops) / 40_000 + (read + stored + written) / 8_000 + 2;
}

/** Networks of a space, and what they take. */
export function madeUp(space: string, count: number, seed = 0): MadeUp[] {
  const random = Random.seeded(seed);
  const from = spaceNamed(space);
  return Array.from({ length: count }, () => {
    const network = new ArchNetwork(from, from.sample(random));
    const { kernels } = planKernels(network.inference(), { blockChannels: BLOCK });
    const timed = kernels.map((kernel) => ({ kernel, us: microseconds(kernel) }));
    const ms = timed.reduce((sum, { us }) => sum + us / 1000, RUN_MS);
    return { network, timed, ms };
  });
}

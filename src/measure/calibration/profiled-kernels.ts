// The kernels of a profile with their configurations: what the runtime really executed, and how long each took.
import type { Kernel, Layout, Sizes } from '../../analysis/kernels/kernel.js';
import { traitsOf } from '../../ops/index.js';
import { KERNEL_NAMES } from '../../ops/microsoft/fusions.js';
import type { KernelTime } from '../profile/events.js';

export interface TimedKernel {
  readonly kernel: Kernel;
  readonly us: number;
}

/** @param blockChannels channels of a block, 0 if the runtime uses none */
export function profiledKernels(times: readonly KernelTime[], blockChannels: number): TimedKernel[] {
  return times.flatMap(({ operator, inputs: given, outputs: results, quickMs, calls }) => {
    const { inputs, outputs } =
      operator === KERNEL_NAMES.integerConv
        ? channelsSecond(given, results)
        : { inputs: given, outputs: results };
    const layout = layoutOf(operator, inputs, blockChannels);
    const us = (1000 * quickMs) / Math.max(1, calls);
    const kernel = { operator, layout, inputs, outputs, nodes: [] };
    return Array.from({ length: Math.max(1, Math.round(calls)) }, () => ({ kernel, us }));
  });
}

/** A profile does not tell of layouts, but a convolution whose channels could be in blocks has them so. */
function layoutOf(operator: string, inputs: readonly Sizes[], block: number): Layout {
  if (operator === KERNEL_NAMES.intoBlocks || operator === KERNEL_NAMES.outOfBlocks) return 'blocked';
  const weights = inputs[1];
  if (block === 0 || operator === KERNEL_NAMES.fusedConv || weights === undefined || weights.length < 4)
    return 'plain';
  if (traitsOf({ domain: '', opType: operator }).convolution !== 'plain') return 'plain';
  const [out, perGroup] = weights as [number, number];
  const groups = Math.round((inputs[0]?.[1] ?? perGroup) / perGroup);
  const isWhole =
    groups > 1 ? perGroup === 1 || perGroup % block === 0 : perGroup < block || perGroup % block === 0;
  return out % block === 0 && isWhole ? 'blocked' : 'plain';
}

/** Sizes of an integer convolution as in a network: when it runs, its images have their channels last. */
function channelsSecond(
  inputs: readonly Sizes[],
  outputs: readonly Sizes[],
): Pick<Kernel, 'inputs' | 'outputs'> {
  const [y] = outputs;
  const weights = inputs.slice(1).find((sizes) => sizes.length >= 3);
  if (y === undefined || weights === undefined || y.at(-1) !== weights[0] || y[1] === weights[0])
    return { inputs, outputs };
  const moved = (sizes: Sizes): Sizes => [sizes[0]!, sizes.at(-1)!, ...sizes.slice(1, -1)];
  return { inputs: inputs.with(0, moved(inputs[0]!)), outputs: outputs.with(0, moved(y)) };
}

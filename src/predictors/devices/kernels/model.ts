// The model that `auspex device calibrate` writes: kernels of a network, told from its graph, summed up and corrected.
import * as z from 'zod';
import { planKernels } from '../../../analysis/kernels/plan.js';
import { valueBytes } from '../../../graph/types.js';
import type { Network } from '../../../networks/network.js';
import { badDevice, type Device, type DevicePrediction, registerDeviceModel } from '../device.js';
import { type NodeValues, spreadValue } from '../node-values.js';
import { corrected, correctionSchema, sumOfKernels } from './network-time.js';
import { kernelTime, kernelTimesSchema } from './times.js';

export const KERNELS = 'kernels';
const COVERAGE = 0.9;

export const kernelModelSchema = z.object({
  kind: z.literal(KERNELS),
  /** Channels of a block of images in the runtime; 0 if it uses none. */
  blockChannels: z.int().nonnegative(),
  times: kernelTimesSchema,
  correction: correctionSchema,
  /** Nine of ten networks of families that were left out are this near, as a difference of logarithms. */
  error90: z.number().nonnegative(),
});
export type KernelModel = z.infer<typeof kernelModelSchema>;

/** What unknown kernels, and those beyond the measured sizes, add to the error, by their share of the time. */
const WIDER = { unknown: 0.7, near: 0.2, quantised: 1.2 };

export function kernelPrediction(model: KernelModel, network: Network): DevicePrediction {
  const plan = planKernels(network.inference(), model);
  const sum = sumOfKernels(model.times, plan.kernels, outputBytes(network));
  const value = corrected(sum, model.correction);
  const isOpen = plan.unknown.length > 0;
  const isQuantised =
    sum.unknown > 0 &&
    network.inference().graph.nodes.some(({ operator }) => operator?.traits?.moves === 'quantisation');
  const error =
    model.error90 +
    WIDER.unknown * sum.unknown +
    WIDER.near * sum.near +
    (isOpen ? WIDER.unknown : 0) +
    (isQuantised ? WIDER.quantised : 0);
  const percent = (share: number): string => `${Math.round(100 * share)}%`;
  const rests = [`the sum of ${plan.kernels.length} kernels, and what measured networks take beyond it`];
  if (sum.near >= 0.05)
    rests.push(`${percent(sum.near)} of the time is of sizes beyond those that were measured`);
  if (sum.unknownClasses.length > 0) {
    rests.push(`${percent(sum.unknown)} of the time is of kernels that were not measured`);
  }
  if (isQuantised) rests.push('the network is quantised; kernels of integers are told from those of floats');
  return {
    value,
    low: value * Math.exp(-error),
    high: value * Math.exp(error),
    coverage: COVERAGE,
    unknown: [...new Set([...sum.unknownClasses, ...plan.unknown])],
    rests,
  };
}

/** Each kernel's time is that of its first node; what a run takes beyond all kernels is spread with them. */
export function kernelNodeValues(model: KernelModel, network: Network): NodeValues {
  const { kernels } = planKernels(network.inference(), model);
  const nodes = new Map(network.cost().nodes.map(({ name, inferred }) => [name, inferred]));
  const { value } = kernelPrediction(model, network);
  const parts = kernels.flatMap((kernel) => {
    const node = nodes.get(kernel.nodes[0] ?? '');
    return node === undefined ? [] : [[node, kernelTime(model.times, kernel).us] as const];
  });
  return {
    how: 'times predicted for each kernel, shown at its first node',
    values: spreadValue(value, parts),
  };
}

/** Outputs are copied to the caller. */
export function outputBytes(network: Network): number {
  const { types, outputNames } = network.inference().graph;
  return outputNames.reduce((sum, name) => {
    const type = types.get(name);
    const bytes = type && valueBytes(type);
    return sum + (typeof bytes === 'number' ? bytes : 0);
  }, 0);
}

registerDeviceModel({
  kind: KERNELS,
  async open(device: Device) {
    const found = kernelModelSchema.safeParse(device.model);
    if (!found.success) {
      const { path, message } = found.error.issues[0]!;
      throw badDevice(device.name, `'model.${path.join('.')}': ${message}`);
    }
    const model = found.data;
    return {
      nodeValues: async (network: Network) => kernelNodeValues(model, network),
      async predict(networks: readonly Network[], signal?: AbortSignal) {
        return networks.map((network) => {
          signal?.throwIfAborted();
          return kernelPrediction(model, network);
        });
      },
    };
  },
});

// From the times of kernels to that of a network: their sum, corrected by what runs of whole networks take beyond it.
import * as z from 'zod';
import type { Kernel } from '../../../analysis/kernels/kernel.js';
import { solvedSystem } from '../../../util/linear-algebra/solve.js';
import { type KernelTimes, kernelTime } from './times.js';

export const correctionSchema = z.object({
  /** Of the sum of kernels, of each kernel in ms, and of each run in ms. */
  share: z.number(),
  perKernel: z.number(),
  perRun: z.number(),
  /** Of each megabyte of outputs, which are copied, in ms. */
  perOutputMegabyte: z.number(),
});
type Correction = z.infer<typeof correctionSchema>;

export interface SumOfKernels {
  readonly ms: number;
  readonly kernels: number;
  readonly outputBytes: number;
  /** Shares of the sum. */
  readonly near: number;
  readonly unknown: number;
  /** Classes that were never measured. */
  readonly unknownClasses: readonly string[];
}

export function sumOfKernels(
  times: KernelTimes,
  kernels: readonly Kernel[],
  outputBytes: number,
): SumOfKernels {
  const us = { measured: 0, near: 0, unknown: 0 };
  const unknownClasses = new Set<string>();
  for (const kernel of kernels) {
    const time = kernelTime(times, kernel);
    us[time.known] += time.us;
    if (time.known === 'unknown') unknownClasses.add(time.class);
  }
  const all = us.measured + us.near + us.unknown || 1;
  return {
    ms: all / 1000,
    kernels: kernels.length,
    outputBytes,
    near: us.near / all,
    unknown: us.unknown / all,
    unknownClasses: [...unknownClasses],
  };
}

/** What of a sum is corrected. */
type Summed = Pick<SumOfKernels, 'ms' | 'kernels' | 'outputBytes'>;

export function corrected(sum: Summed, by: Correction): number {
  const { share, perKernel, perRun, perOutputMegabyte } = by;
  const value = dot(termsOf(sum), [share, perKernel, perRun, perOutputMegabyte]);
  // Of networks of few and short kernels a line may go below what they take at least.
  return Math.max(value, sum.ms / 3);
}

function termsOf({ ms, kernels, outputBytes }: Summed): number[] {
  return [ms, kernels, 1, outputBytes / 1e6];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}

const NONE = [1, 0, 0, 0] as const;
/** Pulls towards no correction, as strongly as this share of the networks. */
const RIDGE = 0.01;
const LEAST_NETWORKS = 8;

/** The line that is nearest to measured networks, errors being relative. Nothing is corrected if there are few. */
export function fitCorrection(sums: readonly Summed[], measuredMs: readonly number[]): Correction {
  const rows = sums.map((sum, i) => termsOf(sum).map((x) => x / measuredMs[i]!));
  const system = NONE.map((none, j) => {
    const line = NONE.map((_, k) => rows.reduce((sum, row) => sum + row[j]! * row[k]!, 0));
    const ridge = RIDGE * line[j]!;
    line[j]! += ridge;
    return [...line, rows.reduce((sum, row) => sum + row[j]!, 0) + ridge * none];
  });
  const found = sums.length < LEAST_NETWORKS ? NONE : solvedSystem(system);
  const [share, perKernel, perRun, perOutputMegabyte] = found.every(Number.isFinite) ? found : NONE;
  return { share: share!, perKernel: perKernel!, perRun: perRun!, perOutputMegabyte: perOutputMegabyte! };
}

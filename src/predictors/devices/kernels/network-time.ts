// From the times of kernels to that of a network: their sum, corrected by what runs of whole networks take beyond it.
import * as z from 'zod';
import type { Kernel } from '../../../analysis/kernels/kernel.js';
import { type KernelTimes, kernelTime } from './times.js';

export const correctionSchema = z.object({
  /** Of the sum of kernels, of each kernel in ms, and of each run in ms. */
  share: z.number(),
  perKernel: z.number(),
  perRun: z.number(),
});
type Correction = z.infer<typeof correctionSchema>;

export interface SumOfKernels {
  readonly ms: number;
  readonly kernels: number;
  /** Shares of the sum. */
  readonly near: number;
  readonly unknown: number;
  /** Classes that were never measured. */
  readonly unknownClasses: readonly string[];
}

export function sumOfKernels(times: KernelTimes, kernels: readonly Kernel[]): SumOfKernels {
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
    near: us.near / all,
    unknown: us.unknown / all,
    unknownClasses: [...unknownClasses],
  };
}

export function corrected({ ms, kernels }: Pick<SumOfKernels, 'ms' | 'kernels'>, by: Correction): number {
  const value = by.share * ms + by.perKernel * kernels + by.perRun;
  // Of networks of few and short kernels a line may go below what they take at least.
  return Math.max(value, ms / 3);
}

/** The line that is nearest to measured networks, errors being relative. Nothing is corrected if there are fewer than six. */
export function fitCorrection(
  sums: readonly Pick<SumOfKernels, 'ms' | 'kernels'>[],
  measuredMs: readonly number[],
): Correction {
  const none = { share: 1, perKernel: 0, perRun: 0 };
  if (sums.length < 6) return none;
  const rows = sums.map(({ ms, kernels }, i) => [ms, kernels, 1].map((x) => x / measuredMs[i]!));
  // Ridge towards no correction, as much as a hundredth of the networks.
  const prior = [1, 0, 0];
  const scale = [0, 1, 2].map((j) =>
    Math.sqrt(rows.reduce((sum, row) => sum + row[j]! ** 2, 0) / rows.length),
  );
  const system = [0, 1, 2].map((j) => {
    const line = [0, 1, 2].map((k) => rows.reduce((sum, row) => sum + row[j]! * row[k]!, 0));
    const ridge = 0.01 * rows.length * scale[j]! ** 2;
    line[j]! += ridge;
    return [...line, rows.reduce((sum, row) => sum + row[j]!, 0) + ridge * prior[j]!];
  });
  const [share, perKernel, perRun] = solve3(system);
  return [share, perKernel, perRun].every(Number.isFinite)
    ? { share: share!, perKernel: perKernel!, perRun: perRun! }
    : none;
}

function solve3(m: readonly (readonly number[])[]): number[] {
  const determinant = (a: readonly (readonly number[])[]): number =>
    a[0]![0]! * (a[1]![1]! * a[2]![2]! - a[1]![2]! * a[2]![1]!) -
    a[0]![1]! * (a[1]![0]! * a[2]![2]! - a[1]![2]! * a[2]![0]!) +
    a[0]![2]! * (a[1]![0]! * a[2]![1]! - a[1]![1]! * a[2]![0]!);
  const whole = determinant(m);
  return [0, 1, 2].map((j) => determinant(m.map((row) => row.slice(0, 3).with(j, row[3]!))) / whole);
}

// How long kernels take on a device: for each class the work at constant rates (non-negative least squares over FLOPs, bytes and
// calls), times what boosted trees say of how far the rates are reached.
import * as z from 'zod';
import { type Kernel, kernelKey } from '../../../analysis/kernels/kernel.js';
import { grouped } from '../../../util/grouped.js';
import { nonNegativeLeastSquares } from '../../../util/linear-algebra/nnls.js';
import { boostedTreesSchema } from '../../trees/boosted-tree.js';
import { type BoostedTrees, boostedValue, boosting } from '../../trees/boosted-trees.js';
import { type KernelFamily, type KernelNumbers, kernelNumbers } from './class.js';

const classSchema = z.object({
  /** Kernels that it was fitted to. */
  count: z.int().nonnegative(),
  /** Microseconds for each unit of work. */
  rates: z.array(z.number().nonnegative()),
  trees: boostedTreesSchema.nullable(),
  /** The least and most of every feature. */
  least: z.array(z.number()),
  most: z.array(z.number()),
});
type ClassTimes = z.infer<typeof classSchema>;

export const kernelTimesSchema = z.object({
  classes: z.record(z.string(), classSchema),
  /** For classes that were not measured. */
  families: z.record(z.enum(['convolution', 'product', 'data']), classSchema.nullable()),
});
export type KernelTimes = z.infer<typeof kernelTimesSchema>;

export interface TimedKernel {
  readonly kernel: Kernel;
  readonly us: number;
}

export interface KernelTime {
  readonly us: number;
  /** `near`: beyond what was measured of its class; `unknown`: nothing of its class was measured. */
  readonly known: 'measured' | 'near' | 'unknown';
  readonly class: string;
}

/** Shorter times than the clock of a profile tells. */
const LEAST_US = 0.5;
/** Kernels of a class that trees are fitted to. */
const LEAST_FOR_TREES = 30;
const LEAST_FOR_CLASS = 3;
const MOST_TREES = 200;
const DIGITS = 6;

interface Sample {
  readonly numbers: KernelNumbers;
  readonly us: number;
}

/** Fits all classes, and yields the part that is done. */
export function* fittingTimes(
  timed: readonly TimedKernel[],
  mostTrees = MOST_TREES,
): Generator<number, KernelTimes> {
  const samples = distinct(timed);
  const byClass = grouped(samples, ({ numbers }) => numbers.class);
  const byFamily = grouped(samples, ({ numbers }) => numbers.family);
  const classes: Record<string, ClassTimes> = {};
  const all = samples.length * 2;
  let done = 0;
  for (const [name, own] of byClass) {
    if (own.length < LEAST_FOR_CLASS) continue;
    classes[name] = yield* fitting(own, (part) => (done + part * own.length) / all, mostTrees);
    done += own.length;
  }
  const families: Record<KernelFamily, ClassTimes | null> = { convolution: null, product: null, data: null };
  for (const [family, own] of byFamily) {
    families[family] = yield* fitting(own, (part) => (done + part * own.length) / all, 40);
    done += own.length;
  }
  return { classes, families };
}

export function fitTimes(timed: readonly TimedKernel[], mostTrees?: number): KernelTimes {
  const steps = fittingTimes(timed, mostTrees);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export function kernelTime({ classes, families }: KernelTimes, kernel: Kernel): KernelTime {
  const numbers = kernelNumbers(kernel);
  const own = classes[numbers.class];
  const from = own ?? families[numbers.family] ?? families.data;
  if (from === null) return { us: 0, known: 'unknown', class: numbers.class };
  const us = Math.max(LEAST_US, timeOf(numbers, from));
  const isWithin =
    own !== undefined && numbers.features.every((x, i) => isNear(x, own.least[i]!, own.most[i]!));
  return { us, known: own === undefined ? 'unknown' : isWithin ? 'measured' : 'near', class: numbers.class };
}

/** A tenth of the range beyond it, or half a doubling. */
function isNear(x: number, least: number, most: number): boolean {
  const slack = Math.max(0.35, 0.1 * (most - least));
  return x >= least - slack && x <= most + slack;
}

function timeOf({ work, features }: KernelNumbers, { rates, trees }: ClassTimes): number {
  const base = atRates(work, rates);
  return trees === null ? base : base * Math.exp(boostedValue(trees, features));
}

function atRates(work: readonly number[], rates: readonly number[]): number {
  return Math.max(
    LEAST_US,
    work.reduce((sum, amount, i) => sum + amount * rates[i]!, 0),
  );
}

/** Kernels of equal configuration count once, with the middle of their times. */
function distinct(timed: readonly TimedKernel[]): Sample[] {
  const found = grouped(timed, ({ kernel }) => kernelKey(kernel));
  return [...found.values()].map((same) => {
    const times = same.map(({ us }) => us).sort((a, b) => a - b);
    const us = Math.max(LEAST_US, times[times.length >> 1]!);
    return { numbers: kernelNumbers(same[0]!.kernel), us };
  });
}

function* fitting(
  samples: readonly Sample[],
  part: (own: number) => number,
  mostTrees: number,
): Generator<number, ClassTimes> {
  const works = samples.map(({ numbers, us }) => numbers.work.map((amount) => amount / us));
  const rates = [...nonNegativeLeastSquares(works, new Float64Array(samples.length).fill(1))];
  const rows = samples.map(({ numbers }) => numbers.features);
  const residuals = Float64Array.from(samples, ({ numbers, us }) =>
    Math.log(us / atRates(numbers.work, rates)),
  );
  const count = samples.length;
  let trees: BoostedTrees | null = null;
  if (count >= LEAST_FOR_TREES) {
    const steps = boosting(rows, residuals, {
      trees: Math.min(mostTrees, Math.max(30, Math.round(count / 8))),
      learningRate: 0.1,
      leaves: Math.min(31, Math.max(4, Math.round(count / 16))),
      minLeaf: 4,
      l2: 1,
    });
    let step = steps.next();
    for (; !step.done; step = steps.next()) yield part(step.value);
    trees = rounded(step.value);
  }
  const width = rows[0]!.length;
  const ends = (choose: (...values: number[]) => number): number[] =>
    Array.from({ length: width }, (_, i) => rows.reduce((end, row) => choose(end, row[i]!), rows[0]![i]!));
  return { count, rates, trees, least: ends(Math.min).map(short), most: ends(Math.max).map(short) };
}

function rounded({ start, trees }: BoostedTrees): BoostedTrees {
  return {
    start: short(start),
    trees: trees.map(({ feature, next, number }) => ({ feature, next, number: number.map(short) })),
  };
}

function short(x: number): number {
  return Number(x.toPrecision(DIGITS));
}

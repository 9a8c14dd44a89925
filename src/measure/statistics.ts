// Numbers that describe the times of many runs. Times are not normal: they have a floor and a long tail. So the median is
// given with an interval from order statistics, which assumes nothing of the distribution.
import { binomialCdf, studentQuantile } from './distributions.js';

/** What is said of the times of runs, in their unit. */
export interface Summary {
  readonly runs: number;
  readonly median: number;
  /** The 95% interval of the median; undefined below six runs, which cannot give one. */
  readonly interval: Interval | undefined;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  readonly p90: number;
  /** Undefined below 100 runs: it would be the slowest of them. */
  readonly p99: number | undefined;
}

export type Interval = readonly [low: number, high: number];

export const CONFIDENCE = 0.95;
const LEAST_FOR_P99 = 100;

/** @param times at least one */
export function summarise(times: readonly number[]): Summary {
  const sorted = Float64Array.from(times).sort();
  const runs = sorted.length;
  return {
    runs,
    median: quantileOf(sorted, 0.5),
    interval: medianIntervalOf(sorted),
    mean: sorted.reduce((sum, x) => sum + x, 0) / runs,
    min: sorted[0]!,
    max: sorted[runs - 1]!,
    p90: quantileOf(sorted, 0.9),
    p99: runs < LEAST_FOR_P99 ? undefined : quantileOf(sorted, 0.99),
  };
}

export function median(times: readonly number[]): number {
  return quantileOf(Float64Array.from(times).sort(), 0.5);
}

/** Linear between neighbours, as NumPy does by default. */
export function quantileOf(sorted: ArrayLike<number>, p: number): number {
  const at = (sorted.length - 1) * p;
  const below = Math.floor(at);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (at - below);
}

/**
 * The order statistics x(r) and x(n+1−r) that hold the median with at least the confidence: r is the largest with
 * P(Bin(n, ½) ≤ r − 1) ≤ (1 − confidence)/2. Undefined where even the extremes do not hold it.
 */
export function medianIntervalOf(sorted: ArrayLike<number>, confidence = CONFIDENCE): Interval | undefined {
  const n = sorted.length;
  const tail = (1 - confidence) / 2;
  if (binomialCdf(0, n, 0.5) > tail) return undefined;
  let [low, high] = [1, Math.floor((n + 1) / 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (binomialCdf(middle - 1, n, 0.5) <= tail) low = middle;
    else high = middle - 1;
  }
  return [sorted[low - 1]!, sorted[n - low]!];
}

/** Half the width of the interval of the median, relative to it; infinite if there is none yet. */
export function relativeError(times: readonly number[]): number {
  const sorted = Float64Array.from(times).sort();
  const interval = medianIntervalOf(sorted);
  if (interval === undefined) return Number.POSITIVE_INFINITY;
  return (interval[1] - interval[0]) / 2 / quantileOf(sorted, 0.5);
}

/** How many times slower one thing is than another. */
export interface Ratio {
  readonly ratio: number;
  readonly interval: Interval;
  readonly confidence: number;
  /** Blocks of each side that it was computed from. */
  readonly blocks: readonly [number, number];
}

/**
 * The ratio of two times and its interval: Welch's t-interval of the difference of mean logarithms. The values are medians of
 * blocks, each measured in a process of its own: runs of one process share its memory layout, so they say nothing of
 * the next process.
 *
 * @param times at least two blocks
 * @param baseline at least two blocks
 */
export function ratioOf(
  times: readonly number[],
  baseline: readonly number[],
  confidence = CONFIDENCE,
): Ratio {
  const [a, b] = [times, baseline].map((all) => {
    const logs = all.map(Math.log);
    const mean = logs.reduce((sum, x) => sum + x, 0) / logs.length;
    const variance = logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (logs.length - 1);
    return { mean, error: variance / logs.length, degrees: logs.length - 1 };
  }) as [Block, Block];
  const spread = a.error + b.error;
  const degrees = spread === 0 ? 1 : spread ** 2 / (a.error ** 2 / a.degrees + b.error ** 2 / b.degrees);
  const margin = spread === 0 ? 0 : studentQuantile((1 + confidence) / 2, degrees) * Math.sqrt(spread);
  const difference = a.mean - b.mean;
  return {
    ratio: Math.exp(difference),
    interval: [Math.exp(difference - margin), Math.exp(difference + margin)],
    confidence,
    blocks: [times.length, baseline.length],
  };
}

interface Block {
  readonly mean: number;
  /** Squared standard error of the mean. */
  readonly error: number;
  readonly degrees: number;
}

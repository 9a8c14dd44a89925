// An axis: where a value lies, and ticks at round numbers.

import { AuspexError } from '../../util/errors.js';
import { thousands } from '../../util/thousands.js';

interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface Axis {
  /** Where a value lies, in pixels. */
  readonly at: (value: number) => number;
  readonly ticks: readonly Tick[];
}

export type AxisKind = 'linear' | 'log';

interface AxisOptions {
  readonly kind?: AxisKind;
  /** The least and greatest value, and where they lie. */
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
  /** About how many ticks. */
  readonly count?: number;
}

/** An axis over a domain, which is widened if it is a single value. Codes: PLOT_RANGE, PLOT_LOG. */
export function axis({ kind = 'linear', domain, range, count = 6 }: AxisOptions): Axis {
  const [low, high] = kind === 'log' ? widenedLog(domain) : widened(domain);
  const place = kind === 'log' ? Math.log : (value: number): number => value;
  const [from, to] = range;
  const scale = (to - from) / (place(high) - place(low));
  const at = (value: number): number => from + (place(value) - place(low)) * scale;
  const values = kind === 'log' ? logTicks(low, high, count) : linearTicks(low, high, count);
  return { at, ticks: values.map((value) => ({ at: at(value), text: tickText(value, values) })) };
}

/** The least and greatest of all finite values; `undefined` if there are none. */
export function extent(...columns: readonly ArrayLike<number>[]): readonly [number, number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const column of columns) {
    for (let i = 0; i < column.length; i++) {
      const value = column[i]!;
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : undefined;
}

function widened([low, high]: readonly [number, number]): readonly [number, number] {
  if (!Number.isFinite(high - low)) {
    throw new AuspexError('PLOT_RANGE', `a plot cannot span ${low} to ${high}`);
  }
  // Ticks closer together than float64 tells apart would be no ticks.
  const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-9;
  if (high - low > least) return [low, high];
  const half = Math.max(Math.abs(low) * 0.05, least, Number.MIN_VALUE * 2 ** 60) || 0.5;
  return low === 0 && high === 0 ? [-0.5, 0.5] : [low - half, high + half];
}

function widenedLog([low, high]: readonly [number, number]): readonly [number, number] {
  if (!(low > 0)) {
    throw new AuspexError('PLOT_LOG', `${low} cannot be shown on a logarithmic axis`, {
      hint: 'use a linear axis, or only values above 0',
    });
  }
  return high / low > 1 + 1e-6 ? [low, high] : [low / 1.5, high * 1.5];
}

const ROUND = [1, 2, 5, 10];

/** The round number (1, 2 or 5 times a power of ten) that is nearest to a step. */
export function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const near = ROUND.reduce((best, r) =>
    Math.abs(Math.log(r * (power / step))) < Math.abs(Math.log(best * (power / step))) ? r : best,
  );
  return near * power;
}

function linearTicks(low: number, high: number, count: number): number[] {
  const step = roundStep((high - low) / count);
  const slack = 1e-9;
  const first = Math.ceil(low / step - slack);
  const last = Math.floor(high / step + slack);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => rounded((first + i) * step, step));
}

/** Without what floating point adds: 0.3, not 0.30000000000000004. */
function rounded(value: number, step: number): number {
  const digits = -Math.floor(Math.log10(step) + 1e-9);
  return digits >= 0 && digits <= 20 ? Number(value.toFixed(digits)) + 0 : value;
}

/** Powers of ten, with 2 and 5 times them where there is room; round numbers in between for less than a decade. */
function logTicks(low: number, high: number, count: number): number[] {
  const decades = Math.log10(high / low);
  if (decades < 1) return linearTicks(low, high, count).filter((value) => value > 0);
  const factors = decades * 3 <= count * 1.5 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / (count * 1.5)));
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    if (power % every !== 0) continue;
    for (const factor of factors) {
      const value = Number(`${factor}e${power}`);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push(value);
    }
  }
  return ticks;
}

/** A number among its fellow ticks: `0.25`, `15,000`, `2M`, `5e-7`. */
function tickText(value: number, all: readonly number[]): string {
  if (value === 0) return '0';
  const largest = Math.max(...all.map(Math.abs));
  const least = Math.min(...all.filter((v) => v !== 0).map(Math.abs));
  if (largest >= 1e10 || largest < 1e-3 || least < 1e-6) return plain(value.toExponential(6));
  if (largest >= 1e6 && least >= 1e3) return `${Number((value / 1e6).toPrecision(6))}M`;
  const written = Number(value.toPrecision(12));
  return largest >= 1e4 ? thousands(written) : String(written);
}

function plain(exponential: string): string {
  return exponential.replace(/\.?0+e/, 'e').replace('e+', 'e');
}

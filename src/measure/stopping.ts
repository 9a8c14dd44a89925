// When a network is warm, and when it has run often enough: until the median is known as well as was asked for, or time is up.
import { median, relativeError } from './statistics.js';

export interface StoppingRule {
  /** Half the width of the 95% interval of the median, relative to it, that is good enough. */
  readonly precision: number;
  readonly leastRuns: number;
  readonly mostRuns: number;
  /** Seconds of measured runs, unless fewer than `FEWEST` have ended by then. */
  readonly seconds: number;
  /** Seconds of warm-up at most. */
  readonly warmupSeconds: number;
}

export const STOPPING: StoppingRule = {
  precision: 0.01,
  leastRuns: 50,
  mostRuns: 100_000,
  seconds: 10,
  warmupSeconds: 3,
};

/** As many runs as an interval of the median needs. */
export const FEWEST = 6;

/** Runs whose median is compared with that of as many before them. */
const WINDOW = 5;
const STABLE_WITHIN = 0.02;
/** Clocks of processors and compiled JavaScript take this long to settle. */
const LEAST_WARMUP_MS = 100;

/** @param times of all runs so far, milliseconds */
export function isWarm(times: readonly number[], { warmupSeconds }: StoppingRule): boolean {
  const spent = times.reduce((sum, ms) => sum + ms, 0);
  if (times.length > 0 && spent >= warmupSeconds * 1000) return true;
  if (times.length < 2 * WINDOW || spent < LEAST_WARMUP_MS) return false;
  const before = median(times.slice(-2 * WINDOW, -WINDOW));
  const last = median(times.slice(-WINDOW));
  return Math.abs(last / before - 1) <= STABLE_WITHIN;
}

/** @param times of the runs after warm-up, milliseconds */
export function isEnough(times: readonly number[], seconds: number, rule: StoppingRule): boolean {
  const { length } = times;
  if (length >= rule.mostRuns) return true;
  if (length >= FEWEST && seconds >= rule.seconds) return true;
  if (length < rule.leastRuns || !isChecked(length)) return false;
  return relativeError(times) <= rule.precision;
}

/** Not after every run: a rule that looks too often stops at lucky moments, and sorting takes time. */
function isChecked(runs: number): boolean {
  return runs % 10 ** Math.max(1, Math.floor(Math.log10(runs))) === 0;
}

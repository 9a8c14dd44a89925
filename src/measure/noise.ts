// What disturbed a measurement: other processes on the same cores, or clock rates that changed while it ran.
import { medianIntervalOf, quantileOf } from './statistics.js';

export interface Noise {
  /** Wall time relative to processor time, over all runs; undefined with several threads, which share the work. */
  readonly wallPerCpu: number | undefined;
  /** How much slower the second half of the runs was than the first: 0.05 is 5%. */
  readonly drift: number;
  readonly warnings: readonly NoiseWarning[];
}

export type NoiseWarning = 'busy' | 'drift';

const MOST_WALL_PER_CPU = 1.1;
const MOST_DRIFT = 0.05;
/** Halves of fewer runs differ by chance. */
const LEAST_RUNS = 20;

export function noiseOf(wallMs: readonly number[], cpuMs: readonly number[], threads: number): Noise {
  const total = (times: readonly number[]): number => times.reduce((sum, ms) => sum + ms, 0);
  const cpu = total(cpuMs);
  const wallPerCpu = threads === 1 && cpu > 0 ? total(wallMs) / cpu : undefined;
  const { drift, isReal } = driftOf(wallMs);
  const warnings: NoiseWarning[] = [];
  if (wallPerCpu !== undefined && wallPerCpu > MOST_WALL_PER_CPU) warnings.push('busy');
  if (isReal && Math.abs(drift) > MOST_DRIFT) warnings.push('drift');
  return { wallPerCpu, drift, warnings };
}

/** Real if the intervals of both medians do not overlap. */
function driftOf(times: readonly number[]): { drift: number; isReal: boolean } {
  if (times.length < LEAST_RUNS) return { drift: 0, isReal: false };
  const middle = times.length >> 1;
  const [a, b] = [times.slice(0, middle), times.slice(middle)].map((half) => Float64Array.from(half).sort());
  const [first, second] = [medianIntervalOf(a!)!, medianIntervalOf(b!)!];
  const drift = quantileOf(b!, 0.5) / quantileOf(a!, 0.5) - 1;
  return { drift, isReal: first[1] < second[0] || second[1] < first[0] };
}

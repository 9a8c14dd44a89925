// Whether a network became slower than a limit: decided by the interval of the ratio of times, not by the ratio.
import type { Block } from './measure.js';
import { type Ratio, ratioOf } from './statistics.js';

/** `uncertain`: the interval holds the limit, so neither can be said. */
export type RegressionVerdict = 'slower' | 'not slower' | 'uncertain';

export type Clock = 'wall' | 'cpu';

export interface Regression extends Ratio {
  readonly clock: Clock;
  /** 0.05: slower by more than 5% fails. */
  readonly limit: number;
  readonly verdict: RegressionVerdict;
}

export const LEAST_BLOCKS = 2;

/** @returns undefined if a side has too few blocks with such times */
export function regressionOf(
  blocks: readonly Block[],
  baseline: readonly Block[],
  { limit, clock }: { readonly limit: number; readonly clock: Clock },
): Regression | undefined {
  const times = (all: readonly Block[]): number[] =>
    all.flatMap((block) => (clock === 'wall' ? block.wallMs : (block.cpuMs ?? [])));
  const [now, before] = [times(blocks), times(baseline)];
  if (Math.min(now.length, before.length) < LEAST_BLOCKS) return undefined;
  const ratio = ratioOf(now, before);
  const [low, high] = ratio.interval;
  const most = 1 + limit;
  return {
    ...ratio,
    clock,
    limit,
    verdict: low > most ? 'slower' : high <= most ? 'not slower' : 'uncertain',
  };
}

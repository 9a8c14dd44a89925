// Regularised (aging) evolution (Real, Aggarwal, Huang & Le, AAAI 2019): the best of a few is the parent, its mutant
// comes into the population, and the oldest leaves it, however good.
import * as z from 'zod';
import type { Random } from '../../util/random.js';
import {
  type Direction,
  isBetter,
  isValued,
  type Proposal,
  type Strategy,
  type Valued,
} from '../contract.js';
import { chosenOptions, count } from './options.js';

/** Defaults are those of the paper's searches for AmoebaNet-A. */
export const AGING_OPTIONS = z.object({
  /** P of the paper. */
  population: count(100),
  /** S of the paper: how many are drawn, with replacement, for the best of them to be the parent. */
  tournament: count(25),
  /** Children of one population, which are evaluated at once; 1 is the paper's. */
  children: count(1),
});
export type AgingOptions = z.input<typeof AGING_OPTIONS>;

export function agingEvolution(given: AgingOptions = {}): Strategy {
  const options = chosenOptions('evolution', AGING_OPTIONS, given);
  const { population: size, tournament, children } = options;
  return {
    name: 'evolution',
    options,
    async *propose({ candidates, random, objectives }) {
      const { better } = objectives[0]!;
      /** The oldest first. */
      const population: Valued[] = [];
      const first = await candidates.pool(size, random);
      population.push(...(yield first.map((arch) => ({ arch, by: 'sample', round: 0 }))).filter(isValued));
      for (let round = 1; ; round++) {
        const batch: Proposal[] = [];
        for (let i = 0; i < children; i++) {
          const parent = bestOfDrawn(population, tournament, better, random);
          const child = parent && (await candidates.mutate(parent.arch, random));
          batch.push(
            child === undefined
              ? { arch: await candidates.sample(random), by: 'sample', round }
              : { arch: child, by: 'mutate', parents: [parent!.index], round },
          );
        }
        // A child whose evaluation failed is not born.
        population.push(...(yield batch).filter(isValued));
        population.splice(0, Math.max(0, population.length - size));
      }
    },
  };
}

/** The best of so many that are drawn, the first of equals; undefined of an empty population. */
function bestOfDrawn(
  population: readonly Valued[],
  count: number,
  better: Direction,
  random: Random,
): Valued | undefined {
  let best: Valued | undefined;
  for (let i = 0; i < count && population.length > 0; i++) {
    const drawn = random.pick(population);
    if (best === undefined || isBetter(drawn.value, best.value, better)) best = drawn;
  }
  return best;
}

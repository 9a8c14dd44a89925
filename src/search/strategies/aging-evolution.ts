// Regularised (aging) evolution (Real, Aggarwal, Huang & Le, AAAI 2019): the best of a few is the parent, its mutant
// comes into the population, and the oldest leaves it, however good. Known networks are not evaluated again, so that a
// population may converge before the budget is spent: it then begins anew.
import * as z from 'zod';
import type { Random } from '../../util/random.js';
import {
  type Direction,
  isBetter,
  isValued,
  type Proposal,
  type Strategy,
  type Trial,
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

/** Children in a row that were tried before, after which the population has converged. */
const CONVERGED = 5000;

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
      let [newest, repeats] = [-1, CONVERGED];
      for (let round = 0; ; round++) {
        if (repeats >= CONVERGED) {
          const first = await candidates.pool(size, random);
          const trials: readonly Trial[] = yield first.map((arch) => ({ arch, by: 'sample', round }));
          population.splice(0, population.length, ...trials.filter(isValued));
          newest = newestOf(trials, newest);
          repeats = 0;
          continue;
        }
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
        const trials: readonly Trial[] = yield batch;
        const isNew = newestOf(trials, newest) > newest;
        newest = newestOf(trials, newest);
        repeats = isNew ? 0 : repeats + batch.length;
        population.push(...trials.filter(isValued));
        population.splice(0, Math.max(0, population.length - size));
      }
    },
  };
}

/** The greatest index of trials, which new ones have. */
function newestOf(trials: readonly Trial[], least: number): number {
  return trials.reduce((newest, { index }) => Math.max(newest, index), least);
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

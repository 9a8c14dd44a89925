// NSGA-II (Deb, Pratap, Agarwal & Meyarivan 2002): a population of which those survive that are dominated least, and of
// these the ones that are most alone.
import * as z from 'zod';
import type { Pause } from '../../util/pauses.js';
import { isValued, objectiveValues, type Proposal, type Strategy, type Valued } from '../contract.js';
import { crowdingDistances, minimised, nonDominatedFronts, type Point } from '../pareto.js';
import { chosenOptions, count, probability } from './options.js';

/** Defaults are those of the paper. */
export const NSGA2_OPTIONS = z.object({
  population: count(100, { to: 20_000 }),
  /** Of a child to have two parents; else it is a mutant of one. */
  crossoverProbability: probability(0.9),
});
export type Nsga2Options = z.input<typeof NSGA2_OPTIONS>;

interface Member {
  readonly trial: Valued;
  /** The number of its front. */
  readonly rank: number;
  readonly crowding: number;
}

/** Lower fronts first, then those that are more alone. */
const order = (a: Member, b: Member): number =>
  a.rank - b.rank || (a.crowding === b.crowding ? 0 : b.crowding - a.crowding);

/**
 * As many children as the population has members, of parents that won a tournament of two; after a crossover, each choice
 * is made differently with the probability 1/choices. Then the best of both generations are the population.
 */
export function nsga2(given: Nsga2Options = {}): Strategy {
  const options = chosenOptions('nsga2', NSGA2_OPTIONS, given);
  const { population: size, crossoverProbability } = options;
  return {
    name: 'nsga2',
    options,
    async *propose({ candidates, random, objectives, pause }) {
      // A child that was tried before comes as the trial of then, which may be in the population already.
      const ranked = async (trials: readonly Valued[]): Promise<Member[]> => {
        const unique = [...new Map(trials.map((trial) => [trial.index, trial])).values()];
        const points = unique.map((trial) => minimised(objectiveValues(trial), objectives));
        return (await membersOf(unique, points, pause)).sort(order);
      };
      const first = await candidates.pool(size, random);
      let population = await ranked(
        (yield first.map((arch) => ({ arch, by: 'sample', round: 0 }))).filter(isValued),
      );
      const winner = (): Member => {
        const [a, b] = [random.pick(population), random.pick(population)];
        return order(a, b) <= 0 ? a : b;
      };
      for (let round = 1; ; round++) {
        const batch: Proposal[] = [];
        while (batch.length < size) {
          if (population.length === 0) {
            batch.push({ arch: await candidates.sample(random), by: 'sample', round });
            continue;
          }
          const [a, b] = [winner().trial, winner().trial];
          const isCrossed = random.chance(crossoverProbability);
          const arch = isCrossed
            ? await candidates.cross(a.arch, b.arch, random)
            : await candidates.mutate(a.arch, random);
          batch.push(
            arch === undefined
              ? { arch: await candidates.sample(random), by: 'sample', round }
              : isCrossed
                ? { arch, by: 'cross', parents: [a.index, b.index], round }
                : { arch, by: 'mutate', parents: [a.index], round },
          );
        }
        const children = (yield batch).filter(isValued);
        const both = await ranked([...population.map(({ trial }) => trial), ...children]);
        population = both.slice(0, size);
      }
    },
  };
}

async function membersOf(
  trials: readonly Valued[],
  points: readonly Point[],
  pause: Pause,
): Promise<Member[]> {
  return (await nonDominatedFronts(points, pause)).flatMap((front, rank) => {
    const crowding = crowdingDistances(front.map((i) => points[i]!));
    return front.map((i, place) => ({
      trial: trials[i]!,
      rank,
      crowding: crowding[place]!,
    }));
  });
}

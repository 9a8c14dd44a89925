// NSGA-II (Deb, Pratap, Agarwal & Meyarivan 2002): a population of which those survive that are dominated least, and of
// these the ones that are most alone.
import { isValued, objectiveValues, type Proposal, type Strategy, type Valued } from './contract.js';
import { chosenOptions } from './options.js';
import { crowdingDistances, minimised, nonDominatedFronts, type Point } from './pareto.js';

export interface Nsga2Options {
  readonly population?: number;
  /** Of a child to have two parents; else it is a mutant of one. */
  readonly crossoverProbability?: number;
}

/** Those of the paper. */
export const NSGA2_DEFAULTS = {
  population: 100,
  crossoverProbability: 0.9,
} as const satisfies Required<Nsga2Options>;

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
  const options = chosenOptions<Required<Nsga2Options>>('nsga2', NSGA2_DEFAULTS, given);
  const { population: size, crossoverProbability } = options;
  return {
    name: 'nsga2',
    options,
    async *propose({ candidates, random, objectives }) {
      // A child that was tried before comes as the trial of then, which may be in the population already.
      const ranked = (trials: readonly Valued[]): Member[] => {
        const unique = [...new Map(trials.map((trial) => [trial.index, trial])).values()];
        return membersOf(
          unique,
          unique.map((trial) => minimised(objectiveValues(trial), objectives)),
        ).sort(order);
      };
      const first = await candidates.pool(size, random);
      let population = ranked(
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
        population = ranked([...population.map(({ trial }) => trial), ...children]).slice(0, size);
      }
    },
  };
}

function membersOf(trials: readonly Valued[], points: readonly Point[]): Member[] {
  return nonDominatedFronts(points).flatMap((front, rank) => {
    const crowding = crowdingDistances(front.map((i) => points[i]!));
    return front.map((i, place) => ({
      trial: trials[i]!,
      rank,
      crowding: crowding[place]!,
    }));
  });
}

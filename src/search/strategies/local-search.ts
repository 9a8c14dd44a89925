// Local search (White, Nolen & Savani, UAI 2021; Ying et al. 2019 have it as hill climbing): from a random
// architecture to a better neighbour until there is none, then from another random architecture.
import * as z from 'zod';
import { bestTrial, isBetter, type Proposal, type Strategy, type Trial, type Valued } from '../contract.js';
import { chosenOptions, oneOf } from './options.js';

export const LOCAL_OPTIONS = z.object({
  /** `best`: all neighbours are evaluated, and the best is next. `first`: the first that is better is next. */
  move: oneOf(['best', 'first'], 'best'),
});
export type LocalSearchOptions = z.input<typeof LOCAL_OPTIONS>;

export function localSearch(given: LocalSearchOptions = {}): Strategy {
  const options = chosenOptions('local', LOCAL_OPTIONS, given);
  return {
    name: 'local',
    options,
    async *propose({ candidates, random, objectives }) {
      const { better } = objectives[0]!;
      for (let round = 0; ; round++) {
        const start: readonly Trial[] = yield [
          { arch: await candidates.sample(random), by: 'sample', round },
        ];
        let present: Valued | undefined = bestTrial(start, better);
        while (present !== undefined) {
          const at = present;
          const neighbours: Proposal[] = (await candidates.neighbours(at.arch, random)).map((arch) => ({
            arch,
            by: 'neighbour',
            parents: [at.index],
            round,
          }));
          let next: Valued | undefined;
          for (const batch of options.move === 'best' ? [neighbours] : neighbours.map((n) => [n])) {
            const trials: readonly Trial[] = yield batch;
            next = bestTrial(trials, better);
            if (next !== undefined && isBetter(next.value, at.value, better)) break;
            next = undefined;
          }
          present = next;
        }
      }
    },
  };
}

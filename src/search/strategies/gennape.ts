// The search of GENNAPE (Mills et al., AAAI 2023, supplementary material): local search in rounds. The best few of all that was
// seen are mutated, the mutants are evaluated, and all are ranked again by predicted performance and cost.
import * as z from 'zod';
import { isValued, objectiveValues, type Proposal, type Strategy, type Valued } from '../contract.js';
import { minimised, nonDominatedFronts } from '../pareto.js';
import { chosenOptions, count } from './options.js';

/** Six rounds as in the paper, which does not tell k or how many mutants each parent has. */
export const GENNAPE_OPTIONS = z.object({
  rounds: count(6),
  /** k of the paper: how many are mutated in a round. */
  top: count(10),
  /** Mutants of each of them. */
  mutants: count(10),
});
type GennapeOptions = z.input<typeof GENNAPE_OPTIONS>;

/**
 * Begins at the origin of the space, the network that its others are changes of, or at random architectures where there is
 * none or it is forbidden. With several objectives, such as accuracy and MACs, the Pareto front comes first, then the
 * front without it; within a front, the first objective decides. After the last round it begins anew with random
 * architectures, for budgets that are larger.
 */
export function gennapeSearch(given: GennapeOptions = {}): Strategy {
  const options = chosenOptions('gennape', GENNAPE_OPTIONS, given);
  const { rounds, top, mutants } = options;
  return {
    name: 'gennape',
    options,
    async *propose({ candidates, random, objectives, pause }) {
      const best = async (trials: readonly Valued[]): Promise<Valued[]> => {
        const points = trials.map((trial) => minimised(objectiveValues(trial), objectives));
        const fronts = await nonDominatedFronts(points, pause);
        const ordered = fronts.flatMap((front) =>
          [...front].sort((a, b) => points[a]![0]! - points[b]![0]! || a - b),
        );
        return ordered.slice(0, top).map((i) => trials[i]!);
      };
      const { origin, format } = candidates.space;
      const first = origin === undefined ? undefined : format(origin);
      for (let round = 0; ; ) {
        const isAtOrigin = round === 0 && first !== undefined && (await candidates.allows(first));
        const starts = isAtOrigin ? [first] : await candidates.pool(top, random);
        const begun = yield starts.map((arch) => ({ arch, by: isAtOrigin ? 'origin' : 'sample', round }));
        const seen = new Map(begun.filter(isValued).map((trial) => [trial.index, trial]));
        const last = round + rounds;
        while (round++ < last && seen.size > 0) {
          const proposals: Proposal[] = [];
          for (const parent of await best([...seen.values()])) {
            const found = await candidates.distinct(mutants, () => candidates.mutate(parent.arch, random));
            for (const arch of found) proposals.push({ arch, by: 'mutate', parents: [parent.index], round });
          }
          for (const trial of yield proposals) if (isValued(trial)) seen.set(trial.index, trial);
        }
      }
    },
  };
}

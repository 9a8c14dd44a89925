// ETAS (Evolutionary Transformer Architecture Search): a zero-cost score chooses, out of many candidates, the few that
// are worth an evaluation. First of a random pool, then of mutants of the best that were evaluated.
import * as z from 'zod';
import {
  bestTrial,
  isBetter,
  type Proposal,
  ranked,
  type Scorer,
  type Strategy,
  type Trial,
} from '../contract.js';
import { bestFirst } from '../scorers.js';
import { chosenOptions, count, probability } from './options.js';

/** The settings of the paper's two experiments (appendix A.4). */
export const ETAS_PRESETS = {
  'etas-vit': { pool: 500, candidates: 100, top: 3, mutationProbability: 0.4, rounds: 10, patience: 5 },
  'etas-gpt': { pool: 300, candidates: 100, top: 3, mutationProbability: 0.3, rounds: 10, patience: 5 },
} as const;

/** The options, with the defaults of an experiment. */
export function etasOptions(preset: keyof typeof ETAS_PRESETS) {
  const normal = ETAS_PRESETS[preset];
  return z.object({
    /** N₀: architectures of the random pool. */
    pool: count(normal.pool),
    /** N_m: mutants of a round. */
    candidates: count(normal.candidates),
    /** n₀ and n_m: how many are evaluated of the pool and of every round, and how many are parents. */
    top: count(normal.top),
    /** Of each choice of a parent to be made differently. */
    mutationProbability: probability(normal.mutationProbability),
    /** M: rounds after the pool. */
    rounds: count(normal.rounds),
    /** Rounds in a row without a better architecture that end the search. */
    patience: count(normal.patience),
  });
}
export type EtasOptions = z.input<ReturnType<typeof etasOptions>>;

/**
 * Algorithm 1 of the paper. Where it leaves a choice: parents of mutants are drawn, all equally likely; architectures
 * that were tried are no candidates; every choice of a parent is made differently with `mutationProbability`, one of
 * them at least (`Candidates.mutateEach`); equal scores are taken in the random order of the pool.
 *
 * @param scorer without one, candidates are taken as they come, which shows what a score is worth
 */
export function etas(scorer: Scorer | undefined, given: EtasOptions = {}): Strategy {
  const options = chosenOptions('etas', etasOptions('etas-vit'), given);
  const { top, mutationProbability, rounds, patience } = options;
  return {
    name: 'etas',
    options: { scorer: scorer?.name ?? null, ...options },
    async *propose({ candidates, random, objectives, scores }) {
      const { better } = objectives[0]!;
      const observed: Trial[] = [];
      const tried = new Set<string>();
      const chosen = async (pool: readonly Proposal[]): Promise<Proposal[]> => {
        const architectures = pool.map(({ arch }) => arch);
        const order = scorer
          ? bestFirst(await scores(scorer, architectures), scorer.better)
          : pool.map((_, i) => i);
        return order.slice(0, top).map((i) => pool[i]!);
      };
      const observe = (trials: readonly Trial[]): void => {
        for (const trial of trials) {
          observed.push(trial);
          tried.add(candidates.key(trial.arch));
        }
      };
      const pool = await candidates.pool(options.pool, random);
      observe(yield await chosen(pool.map((arch) => ({ arch, by: 'sample', round: 0 }))));
      let best = bestTrial(observed, better)?.value;
      for (let round = 1, without = 0; round <= rounds && without < patience; round++) {
        const parents = ranked(observed, better).slice(0, top);
        const made = new Map<string, Proposal>();
        const architectures = await candidates.distinct(
          options.candidates,
          async () => {
            if (parents.length === 0) {
              const arch = await candidates.sample(random);
              made.set(arch, { arch, by: 'sample', round });
              return arch;
            }
            const parent = random.pick(parents);
            const arch = await candidates.mutateEach(parent.arch, mutationProbability, random);
            if (arch !== undefined && !made.has(arch)) {
              made.set(arch, { arch, by: 'mutate', parents: [parent.index], round });
            }
            return arch;
          },
          tried,
        );
        // All that can be reached was tried.
        if (architectures.length === 0) return;
        observe(yield await chosen(architectures.map((arch) => made.get(arch)!)));
        const now = bestTrial(observed, better)?.value;
        without = now !== undefined && (best === undefined || isBetter(now, best, better)) ? 0 : without + 1;
        best = now;
      }
    },
  };
}

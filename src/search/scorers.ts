// Guesses of values, combined by rank: what counts is the place in the list that is scored.
import { rankMean, ranksOf } from '../metrics/ranks.js';
import type { Network } from '../networks/index.js';
import { AuspexError } from '../util/errors.js';
import type { Direction, Scorer } from './contract.js';

/** The indices of scores, best first; equal ones stay in order, NaN comes last. */
export function bestFirst(scores: Float64Array, better: Direction): number[] {
  const ranks = ranksOf(scores, better);
  return Array.from(scores, (_, i) => i).sort((a, b) => ranks[b]! - ranks[a]!);
}

/**
 * The mean of the ranks within the list that is scored: NTSR of ETAS is `rankCombined([ntkt, sept])`. A network that
 * lacks a score ranks last by it. The scores of one list cannot be compared with those of another.
 */
export function rankCombined(scorers: readonly Scorer[]): Scorer {
  if (scorers.length === 0) throw new AuspexError('SCORERS_MISSING', 'no scores were given to combine');
  return {
    name: scorers.map(({ name }) => name).join('+'),
    better: 'higher',
    async score(networks, signal) {
      const scores: Float64Array[] = [];
      for (const scorer of scorers) scores.push(await scored(scorer, networks, signal));
      return rankMean(
        scores,
        scorers.map(({ better }) => better),
      );
    },
  };
}

/** The scores of a list, as many as it has. */
export async function scored(
  scorer: Scorer,
  networks: readonly Network[],
  signal?: AbortSignal,
): Promise<Float64Array> {
  const scores = await scorer.score(networks, signal);
  if (scores.length === networks.length) return scores;
  throw new Error(`${scorer.name} gave ${scores.length} scores for ${networks.length} networks`);
}

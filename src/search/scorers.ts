// Guesses of values, put together by rank: what counts is the place in the list that is scored.
import { averageRanks } from '../metrics/order.js';
import { ArchNetwork } from '../networks/arch-network.js';
import { listOf } from '../networks/networks.js';
import { predictionsOf } from '../predictors/predictions.js';
import type { Predictor } from '../predictors/predictor.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import type { Direction, Scorer } from './contract.js';

/** Ranks from 1, the worst, to n, the best; equal scores share their average rank, and NaN is worse than all. (n) */
export function ranksOf(scores: Float64Array, better: Direction): Float64Array {
  // Places among the different values: they are finite and order like the scores, which may be neither.
  const values = [...new Set(scores)].filter((score) => !Number.isNaN(score)).sort((a, b) => a - b);
  if (better === 'lower') values.reverse();
  const places = new Map(values.map((value, i) => [value, i]));
  return averageRanks(Float64Array.from(scores, (score) => places.get(score) ?? -1));
}

/** The indices of scores, best first; equal ones stay in order, NaN comes last. */
export function bestFirst(scores: Float64Array, better: Direction): number[] {
  const ranks = ranksOf(scores, better);
  return Array.from(scores, (_, i) => i).sort((a, b) => ranks[b]! - ranks[a]!);
}

/**
 * The mean of the ranks within the list that is scored: NTSR of ETAS is `rankCombined([ntkt, sept])`. The scores of one
 * list say nothing of another.
 */
export function rankCombined(scorers: readonly Scorer[]): Scorer {
  if (scorers.length === 0) throw new AuspexError('SCORERS_MISSING', 'there is nothing to combine');
  return {
    name: scorers.map(({ name }) => name).join('+'),
    better: 'higher',
    async score(architectures, signal) {
      const mean = new Float64Array(architectures.length);
      for (const scorer of scorers) {
        const ranks = ranksOf(await scored(scorer, architectures, signal), scorer.better);
        for (let i = 0; i < mean.length; i++) mean[i]! += ranks[i]! / scorers.length;
      }
      return mean;
    },
  };
}

/** The scores of a list, as many as it has. */
export async function scored(
  scorer: Scorer,
  architectures: readonly string[],
  signal?: AbortSignal,
): Promise<Float64Array> {
  const scores = await scorer.score(architectures, signal);
  if (scores.length === architectures.length) return scores;
  throw new Error(`${scorer.name} gave ${scores.length} scores for ${architectures.length} architectures`);
}

/**
 * A label of a predictor.
 *
 * @param space whose texts are scored
 * @param file that the space is made from, if it is the neighbourhood of one
 */
export function predictorScorer(
  predictor: Predictor,
  label: string,
  better: Direction,
  space: AnySpace,
  file?: string,
): Scorer {
  const { labels } = predictor.info;
  const place = labels.findIndex(({ name }) => name === label);
  if (place < 0) {
    throw new AuspexError('LABEL_UNKNOWN', `the predictor does not predict '${label}'`, {
      hint: `it predicts ${labels.map(({ name }) => name).join(', ')}`,
    });
  }
  return {
    name: `predicted ${label}`,
    better,
    async score(architectures) {
      const networks = architectures.map((text) => new ArchNetwork(space, space.parse(text), {}, file));
      return (await predictionsOf(predictor, listOf(networks))).column(place).values;
    },
  };
}

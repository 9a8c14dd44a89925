// Combinations of proxies by rank: what a network scores depends on the pool it is compared in. NTSR of ETAS is one.
import { rankMean } from '../metrics/ranks.js';
import { AuspexError } from '../util/errors.js';

/** A score that can be compared. */
interface Ranked {
  readonly better: 'higher' | 'lower';
}

/**
 * Mean ranks of a pool: ½·(R(NTKT) + R(SEPT)) for NTSR; see `rankMean`. A network that lacks a score ranks last by it, and
 * one that has none of the scores has no mean.
 *
 * @param scores one list a proxy, each with one score a network: (proxies, n).
 *
 * @example
 * combineRanks([ntkt, sept], [[3.1, 8.2, 5.0], [10, 10, 40]]); // [1.25, 2.25, 2.5]
 */
export function combineRanks(
  proxies: readonly Ranked[],
  scores: readonly (readonly (number | undefined)[])[],
): (number | undefined)[] {
  const [first = []] = scores;
  if (proxies.length !== scores.length || scores.some((list) => list.length !== first.length)) {
    throw new AuspexError('PROXY_POOL', 'every proxy must have one score for every network of the pool');
  }
  // A member that scores nothing leaves the others' ranks, which are not the combination that was asked for.
  if (scores.some((list) => list.every((score) => !Number.isFinite(score ?? Number.NaN)))) {
    return new Array<undefined>(first.length).fill(undefined);
  }
  const better = proxies.map((proxy) => proxy.better);
  return Array.from(rankMean(scores, better), (rank) => (Number.isNaN(rank) ? undefined : rank));
}

// Combinations of proxies by rank: what a network scores depends on the pool it is compared in. NTSR of ETAS is one.
import { averageRanks } from '../metrics/order.js';
import { AuspexError } from '../util/errors.js';

/** A score that can be compared. */
export interface Ranked {
  readonly better: 'higher' | 'lower';
}

/**
 * Mean ranks of a pool: ½·(R(NTKT) + R(SEPT)) for NTSR. R runs from 1, the worst, to n, the best; equal scores share the
 * average of their ranks. A network that lacks a score has no rank, and the others are ranked without it.
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
  const isRanked = (i: number): boolean => scores.every((list) => Number.isFinite(list[i] ?? Number.NaN));
  const members = [...first.keys()].filter(isRanked);
  const sums = new Float64Array(members.length);
  scores.forEach((list, p) => {
    const sign = proxies[p]!.better === 'higher' ? 1 : -1;
    const ranks = averageRanks(Float64Array.from(members, (i) => sign * list[i]!));
    for (let m = 0; m < members.length; m++) sums[m]! += ranks[m]! / scores.length;
  });
  const combined = new Array<number | undefined>(first.length).fill(undefined);
  members.forEach((i, m) => {
    combined[i] = sums[m]!;
  });
  return combined;
}

// What networks cost, counted once for each: as scores and as limits.
import type { Network } from '../networks/index.js';
import type { NetworkDescription } from '../spaces/describe.js';
import type { AnySpace } from '../spaces/space.js';
import { pauses } from '../util/pauses.js';
import type { Direction, Scorer } from './contract.js';

/** Costs by the names that scores and limits have. */
export const COSTS = ['parameters', 'macs', 'flops', 'depth', 'nodes'] as const;
export type Cost = (typeof COSTS)[number] & keyof NetworkDescription;

export const isCost = (name: string): name is Cost => (COSTS as readonly string[]).includes(name);

/** Counts are small, networks with all their parts are not: the ones are kept, the others are not. */
const MOST_KEPT = 100_000;
const kept = new WeakMap<AnySpace, Map<string, NetworkDescription>>();

/** The counts of networks; of an architecture they are made once. */
export async function countsOf(
  networks: readonly Network[],
  signal?: AbortSignal,
): Promise<NetworkDescription[]> {
  const pause = pauses(signal);
  const found: NetworkDescription[] = [];
  for (const network of networks) {
    found.push(countsOfOne(network));
    await pause();
  }
  return found;
}

function countsOfOne(network: Network): NetworkDescription {
  const { arch, sizes } = network;
  if (arch === undefined) return network.counts();
  let known = kept.get(arch.space);
  if (known === undefined || known.size >= MOST_KEPT) {
    known = new Map();
    kept.set(arch.space, known);
  }
  const key = `${arch.text} ${JSON.stringify(sizes)}`;
  const counts = known.get(key) ?? network.at({}).counts();
  known.set(key, counts);
  return counts;
}

/** A cost as a score. More is taken for better by default, as larger networks mostly are. */
export function costScorer(what: Cost, better: Direction = 'higher'): Scorer {
  return {
    name: better === 'higher' ? what : `${what}:${better}`,
    better,
    score: async (networks, signal) =>
      Float64Array.from(await countsOf(networks, signal), (counts) => counts[what]),
  };
}

// Zero-cost proxies as searches take them: scores of lists of architectures.
import { listOf, type Network } from '../../networks/index.js';
import { COMBINATIONS, PROXIES } from '../../proxies/index.js';
import type { Scorer } from '../../search/contract.js';
import type { AnySpace } from '../../spaces/index.js';
import { AuspexError } from '../../util/errors.js';
import { problemText } from '../problem.js';
import type { NamedNetworks } from '../resolve.js';
import { columnsNamed, columnValues } from './columns.js';
import { planOf, type ScoringPlan } from './plan.js';
import type { NetworkResult, ScoredNetwork } from './record.js';

/** What the scores of proxies depend on, and how many networks are scored at once. */
export interface ProxySettings {
  readonly seed: number;
  readonly batch?: number | undefined;
  readonly workers: number;
}

/** Scores networks by a plan, several at once: results as they come. */
export type ScorePool = (
  networks: NamedNetworks,
  plan: ScoringPlan,
  options: { readonly workers: number; readonly signal?: AbortSignal | undefined },
) => AsyncIterable<ScoredNetwork>;

/** A zero-cost proxy by its name, for architectures of a space; undefined if there is none. */
export type ProxyScorers = (name: string, space?: AnySpace) => Scorer | undefined;

/** Networks for each worker from which on it pays to start them. */
const WORTH_WORKERS = 4;

/**
 * Proxies, their variants (`fisher:released`) and named combinations (`ntsr`, ranked within the list that is scored);
 * undefined for other names. Networks are scored once, however many lists they are in.
 */
export function proxyScorers({ seed, batch, workers }: ProxySettings, pool: ScorePool): ProxyScorers {
  return (name, space) => {
    const isKnown = Object.hasOwn(COMBINATIONS, name) || PROXIES.some((p) => p.name === name.split(':')[0]);
    if (!isKnown) return undefined;
    const columns = columnsNamed([name]);
    const sizes = batch === undefined ? {} : { batch };
    const plan = planOf({ space: space?.name, seed, sizes }, columns);
    const known = new Map<string, NetworkResult>();
    return {
      // Scores depend on the batch, so that a search is not resumed with another.
      name: batch === undefined ? name : `${name} (batch ${batch})`,
      better: columns[0]!.better,
      async score(networks, signal) {
        const fresh = new Map(networks.flatMap((n) => (known.has(n.ref) ? [] : [[n.ref, n] as const])));
        const used = fresh.size >= WORTH_WORKERS * workers ? workers : 1;
        const results = pool(named([...fresh.values()]), plan, { workers: used, signal });
        for await (const record of results) {
          known.set(record.network, record);
        }
        signal?.throwIfAborted();
        const scored = networks.map(({ ref }) => known.get(ref)!);
        const found = Float64Array.from(columnValues(columns, scored)[0]!, (value) => value ?? Number.NaN);
        if (networks.length > 0 && found.every(Number.isNaN)) throw withoutScores(name, scored[0]!);
        return found;
      },
    };
  };
}

function named(networks: readonly Network[]): NamedNetworks {
  return { ...listOf(networks), name: (row) => networks[row]!.ref };
}

/** A proxy that fails for every network cannot guide a search. */
function withoutScores(name: string, { error, errors = {} }: NetworkResult): AuspexError {
  const first = error ?? Object.values(errors)[0];
  return new AuspexError(
    'PROXY_WITHOUT_SCORES',
    `${name} scores none of the networks: ${problemText(first)}`,
    {
      hint: 'choose a proxy that fits the space; docs/reference/proxies.md lists their requirements',
    },
  );
}

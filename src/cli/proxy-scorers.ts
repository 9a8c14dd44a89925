// Zero-cost proxies as `auspex search` takes them: scores of lists of architectures.

import type { ProxySource } from '../app/search/scorers.js';
import { COMBINATIONS, PROXIES } from '../proxies/index.js';
import { AuspexError } from '../util/errors.js';
import { columnsNamed, columnValues, type ScoringPlan, threadsOf } from './proxy-plan.js';
import { scorePool } from './proxy-pool.js';
import type { NetworkResult } from './proxy-scoring.js';
import { errorText } from './proxy-text.js';

/** Networks for each worker from which on it pays to start them. */
const WORTH_WORKERS = 4;

/**
 * Proxies, their variants (`fisher:released`) and named combinations (`ntsr`, ranked within the list that is scored);
 * undefined for other names. Networks are scored once, however many lists they are in.
 */
export const proxyScorers: ProxySource =
  ({ seed, batch, workers }) =>
  (name, space) => {
    const isKnown = Object.hasOwn(COMBINATIONS, name) || PROXIES.some((p) => p.name === name.split(':')[0]);
    if (!isKnown) return undefined;
    const columns = columnsNamed([name]);
    const [{ members, better }] = columns as [(typeof columns)[number]];
    const size = batch === undefined ? {} : { batch };
    const plan: ScoringPlan = { space: space.name, proxies: members, seed, init: 'file', ...size };
    const known = new Map<string, NetworkResult>();
    return {
      // Scores depend on the batch, so that a search does not go on with another.
      name: batch === undefined ? name : `${name} (batch ${batch})`,
      better,
      async score(networks, signal) {
        const architectures = networks.map(({ arch, ref }) => arch?.text ?? ref);
        const fresh = [...new Set(architectures)].filter((arch) => !known.has(arch));
        const used = fresh.length >= WORTH_WORKERS * workers ? workers : 1;
        const threads = threadsOf({ workers: used });
        for (const record of await scorePool(fresh, { plan, workers: used, threads, signal })) {
          known.set(record.network, record);
        }
        signal?.throwIfAborted();
        const results = architectures.map((arch) => known.get(arch)!);
        const [values] = columnValues(
          columns,
          results.map(({ scores }) => scores),
        );
        const found = Float64Array.from(values!, (value) => value ?? Number.NaN);
        if (architectures.length > 0 && found.every(Number.isNaN)) throw withoutScores(name, results[0]!);
        return found;
      },
    };
  };

/** A proxy that says nothing of any of them does not guide a search. */
function withoutScores(name: string, { error, errors = {} }: NetworkResult): AuspexError {
  const first = error ?? Object.values(errors)[0];
  return new AuspexError('PROXY_WITHOUT_SCORES', `${name} scores none of the networks: ${errorText(first)}`, {
    hint: 'choose a proxy that fits the space: docs/proxies.md says what each needs',
  });
}

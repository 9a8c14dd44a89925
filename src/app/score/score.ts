// Scores networks for a command or a server: with a log that can be resumed, progress, an end when a signal asks for it.
import { availableParallelism } from 'node:os';
import { TrialLog } from '../../store/trial-log.js';
import type { NamedNetworks } from '../resolve.js';
import type { ProxyColumn } from './columns.js';
import { memoryLimits } from './memory-limit.js';
import type { ScoringPlan } from './plan.js';
import { scorePool } from './pool.js';
import type { ScoredNetwork } from './record.js';
import { GivenSamples } from './samples.js';
import type { ScorePool } from './scorers.js';
import { NetworkScorer, withExplanation } from './scoring.js';

export interface ScoreOptions {
  readonly plan: ScoringPlan;
  readonly columns: readonly ProxyColumn[];
  /** Also says what was found in networks. */
  readonly explains?: boolean | undefined;
  /** Where results are written as they come. */
  readonly log?: { readonly path: string; readonly resume?: boolean; readonly replace?: boolean } | undefined;
  /** Networks at once. */
  readonly workers?: number | undefined;
  /** Threads of each; all, or an even share. */
  readonly threads?: number | undefined;
  /** Networks are scored by processes of their own, so that one that is killed does not stop the others. */
  readonly isApart?: boolean | undefined;
  /** Seconds that a network may take. */
  readonly timeout?: number | undefined;
  /** Bytes that graphs of a network may take. By default 2.5 GB, and up to 60% of what there is where that is too little. */
  readonly memory?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** @param done networks; a part of one whose scores are not all there */
  readonly progress?: ((done: number, all: number) => void) | undefined;
}

/** What came of scoring networks. */
export interface ScoreFound {
  readonly plan: ScoringPlan;
  readonly columns: readonly ProxyColumn[];
  /** How many networks were given; fewer have a record if the work was stopped. */
  readonly given: number;
  /** In the order of the networks. */
  readonly records: readonly ScoredNetwork[];
  /** The path of the log. */
  readonly output: string | null;
}

/**
 * @throws AuspexError for samples that cannot be read and logs that cannot be written; what is wrong with a network is in
 * its record
 * @example
 * const columns = columnsNamed(['snip', 'synflow']);
 * const networks = await openReferences(['a.onnx', 'b.onnx']);
 * const { records } = await scoreNetworks(networks, { plan: planOf({ seed: 1 }, columns), columns });
 */
export async function scoreNetworks(networks: NamedNetworks, options: ScoreOptions): Promise<ScoreFound> {
  const { plan, columns, explains, workers = 1, signal, progress, isApart, timeout } = options;
  const limits = memoryLimits(options.memory, workers);
  // Samples that cannot be read are a mistake of the request, not of every network: they are read before anything else.
  const scorer = new NetworkScorer(
    plan,
    { threads: threadsOf(options), explains, ...limits },
    new GivenSamples(plan),
  );
  // There is nothing to resume where nothing is scored.
  const file = columns.length === 0 ? undefined : options.log;
  const log = file && TrialLog.open(file.path, { resume: file.resume, replace: file.replace });
  const records: ScoredNetwork[] = [];
  try {
    let scores = 0;
    const onScore = (): void => {
      scores++;
      progress?.(Math.min(scores / plan.proxies.length, networks.count), networks.count);
    };
    const pool = { workers, log, signal, isApart, timeout, onScore };
    for await (const record of scorePool(networks, scorer, pool)) {
      records.push(explains ? await explained(record, networks, scorer) : record);
      progress?.(records.length, networks.count);
    }
  } finally {
    log?.close();
  }
  records.sort((a, b) => a.index - b.index);
  return { plan, columns, given: networks.count, records, output: file?.path ?? null };
}

/** A result of a log has no explanation. */
async function explained(
  record: ScoredNetwork,
  networks: NamedNetworks,
  scorer: NetworkScorer,
): Promise<ScoredNetwork> {
  if (record.explanation || record.unexplained || record.error) return record;
  return withExplanation(record, () => scorer.explainScored(networks.at(record.index)));
}

/** Threads of one of several workers; undefined: as many as ONNX Runtime takes. */
function threadsOf({ threads, workers = 1 }: Pick<ScoreOptions, 'threads' | 'workers'>): number | undefined {
  if (threads !== undefined || workers === 1) return threads;
  return Math.max(1, Math.floor(availableParallelism() / workers));
}

/** Scores by a plan in workers, each with an even share of the threads. */
export const scoreByPlan: ScorePool = (networks, plan, { workers, signal }) =>
  scorePool(
    networks,
    new NetworkScorer(plan, { threads: threadsOf({ workers }), ...memoryLimits(undefined, workers ?? 1) }),
    { workers, signal },
  );

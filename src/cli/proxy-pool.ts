// Scores a pool of networks, several at once, each result written before the next network of its lane begins. A log in
// which some are is gone on with.
import type { TrialLog } from '../store/trial-log.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { openLanes } from './proxy-lanes.js';
import type { ScoringPlan } from './proxy-plan.js';
import type { NetworkResult } from './proxy-scoring.js';

/** The first line of a log: what scores depend on. */
interface PlanRecord extends ScoringPlan {
  readonly kind: 'proxy';
  readonly version: 1;
}

/** A network that was scored, or was tried to. */
export interface NetworkRecord extends NetworkResult {
  readonly kind: 'network';
  /** Its place among the networks that were given, from 0. */
  readonly index: number;
  readonly network: string;
}

export interface PoolOptions {
  readonly plan: ScoringPlan;
  readonly workers?: number | undefined;
  readonly threads?: number | undefined;
  readonly log?: Pick<TrialLog, 'records' | 'append'> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onScored?: ((done: number, record: NetworkRecord) => void) | undefined;
}

/**
 * Results in the order of the networks; fewer if a signal stops it.
 *
 * @param networks paths, or texts of the plan's space
 */
export async function scorePool(networks: readonly string[], options: PoolOptions): Promise<NetworkRecord[]> {
  const { plan, workers = 1, threads, log, signal, onScored } = options;
  const found = begun(networks, plan, log);
  const left = networks.flatMap((network, index) => (found.has(index) ? [] : [{ network, index }]));
  const lanes = left.length === 0 ? [] : await openLanes(plan, Math.min(workers, left.length), threads);
  let next = 0;
  try {
    await Promise.all(
      lanes.map(async (lane) => {
        while (next < left.length && !signal?.aborted) {
          const { network, index } = left[next++]!;
          // What has begun is ended first: the runtime aborts the process if its thread is taken away.
          const result = await lane.score(network);
          const record: NetworkRecord = { kind: 'network', index, network, ...result };
          log?.append(record);
          found.set(index, record);
          onScored?.(found.size, record);
        }
      }),
    );
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
  return [...found.values()].sort((a, b) => a.index - b.index);
}

/** What a log already has of these networks, by index. Codes: PROXY_LOG, PROXY_LOG_OTHER. */
function begun(
  networks: readonly string[],
  plan: ScoringPlan,
  log: PoolOptions['log'],
): Map<number, NetworkRecord> {
  const start: PlanRecord = { kind: 'proxy', version: 1, ...plan };
  const [first, ...records] = (log?.records ?? []) as [PlanRecord?, ...NetworkRecord[]];
  if (first === undefined) log?.append(start);
  else expectSame(first, start);
  return new Map(
    records.map((record, i) => {
      if (record.kind !== 'network' || typeof record.index !== 'number' || !record.scores) {
        throw new AuspexError('PROXY_LOG', `line ${i + 2} of the log is no result of a network`);
      }
      if (networks[record.index] !== record.network) {
        throw other(`has '${printableStart(record.network, 80)}' as network ${record.index}`);
      }
      return [record.index, record];
    }),
  );
}

function expectSame(before: PlanRecord, now: PlanRecord): void {
  if (before.kind !== 'proxy' || before.version !== 1) {
    throw new AuspexError('PROXY_LOG', 'the file is no log of `auspex proxy`', {
      hint: 'write to another file',
    });
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)] as (keyof PlanRecord)[])) {
    const [old, wanted] = [before[name], now[name]].map((value) => JSON.stringify(value) ?? 'nothing');
    if (old !== wanted) {
      throw other(`has ${name} ${printableStart(old!, 200)}, not ${printableStart(wanted!, 200)}`);
    }
  }
}

function other(what: string): AuspexError {
  return new AuspexError('PROXY_LOG_OTHER', `the log ${what}`, {
    hint: 'give what it began with (more networks may follow at the end), or write to another file',
  });
}

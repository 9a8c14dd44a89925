// Scores a pool of networks, several at once, each result in the log before the next network of its lane begins. What a
// log already has is not scored again.
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import type { TrialLog } from '../../store/trial-log.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import { problemOf } from '../problem.js';
import type { NamedNetworks } from '../resolve.js';
import { type Lane, type LaneOptions, openLanes } from './lanes.js';
import { type ScoringPlan, scoringPlan } from './plan.js';
import { type NetworkRecord, networkRecord, type ScoredNetwork } from './record.js';
import type { NetworkScorer, ScoreReport } from './scoring.js';

/** The first line of a log: what scores depend on. In version 1, `flops` are multiply-accumulates. */
const planRecord = scoringPlan.extend({
  kind: z.literal('proxy'),
  version: z.union([z.literal(1), z.literal(2)]),
});

interface PoolOptions extends Pick<LaneOptions, 'isApart' | 'timeout'> {
  readonly workers?: number | undefined;
  /** Called with every score of every network. */
  readonly onScore?: ScoreReport | undefined;
  readonly log?: Pick<TrialLog, 'records' | 'append'> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** So long may go by without a look at what else happens, such as Ctrl-C. */
const YIELD_MS = 50;

/**
 * Results as they come, those of the log first; fewer than networks if a signal stops it.
 *
 * @throws AuspexError PROXY_LOG, PROXY_LOG_OTHER, and what writing a log throws
 */
export async function* scorePool(
  networks: NamedNetworks,
  scorer: NetworkScorer,
  { workers = 1, log, signal, isApart, timeout, onScore }: PoolOptions = {},
): AsyncGenerator<ScoredNetwork> {
  const known = begun(networks, scorer.plan, log);
  yield* known.values();
  const left: number[] = [];
  for (let row = 0; row < networks.count; row++) if (!known.has(row)) left.push(row);
  const own = { workers: Math.min(workers, left.length), isApart, timeout };
  const lanes = left.length === 0 ? [] : await openLanes(scorer, own);
  const running = new Map<Lane, Promise<{ lane: Lane; record: ScoredNetwork }>>();
  let next = 0;
  const begin = (lane: Lane): void => {
    running.delete(lane);
    if (next === left.length || signal?.aborted) return;
    const scored = scoredNetwork(networks, left[next++]!, lane, onScore);
    running.set(
      lane,
      scored.then((record) => ({ lane, record })),
    );
  };
  try {
    for (const lane of lanes) begin(lane);
    let yielded = performance.now();
    while (running.size > 0) {
      const { lane, record } = await Promise.race(running.values());
      if (performance.now() - yielded > YIELD_MS) {
        await setImmediate();
        yielded = performance.now();
      }
      const { explanation: _, unexplained: __, sizes: ___, ...kept } = record;
      log?.append(kept satisfies NetworkRecord);
      yield record;
      begin(lane);
    }
  } finally {
    // What has begun is ended first: the runtime aborts the process if its thread is taken away.
    await Promise.allSettled(running.values());
    await Promise.all(lanes.map((lane) => lane.close()));
  }
}

/** A reference that is wrong is as much a result as a network that is. */
async function scoredNetwork(
  networks: NamedNetworks,
  index: number,
  lane: Lane,
  onScore: ScoreReport | undefined,
): Promise<ScoredNetwork> {
  const about = { kind: 'network', index, network: networks.name(index) } as const;
  try {
    return { ...about, ...(await lane.score(networks.at(index), onScore)) };
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return { ...about, scores: {}, error: problemOf(error) };
  }
}

/** What a log already has of these networks, by index. */
function begun(
  networks: NamedNetworks,
  plan: ScoringPlan,
  log: PoolOptions['log'],
): Map<number, NetworkRecord> {
  const start = { kind: 'proxy', version: 2, ...plan } as const;
  const [first, ...records] = log?.records ?? [];
  if (first === undefined) log?.append(start);
  else expectSame(first, start);
  return new Map(
    records.map((line, i) => {
      const { success, data: record } = networkRecord.safeParse(line);
      if (!success) {
        throw new AuspexError('PROXY_LOG', `line ${i + 2} of the log is not a valid result`);
      }
      if (record.index >= networks.count || networks.name(record.index) !== record.network) {
        throw other(`has '${printableStart(record.network, 80)}' as network ${record.index}`);
      }
      return [record.index, record];
    }),
  );
}

function expectSame(before: unknown, now: z.infer<typeof planRecord>): void {
  const read = planRecord.safeParse(before);
  if (!read.success) {
    throw new AuspexError('PROXY_LOG', 'the file is not a log of this version of `auspex proxy`', {
      hint: 'write to another file',
    });
  }
  if (read.data.version === 1 && now.proxies.includes('flops')) {
    throw other('was written by an earlier version, which called MACs flops');
  }
  const names = new Set([...Object.keys(read.data), ...Object.keys(now)] as (keyof typeof now)[]);
  names.delete('version');
  for (const name of names) {
    const [old, wanted] = [(before as typeof now)[name], now[name]].map(
      (value) => JSON.stringify(value) ?? 'nothing',
    );
    if (old !== wanted) {
      throw other(`has ${name} ${printableStart(old!, 200)}, not ${printableStart(wanted!, 200)}`);
    }
  }
}

function other(what: string): AuspexError {
  return new AuspexError('PROXY_LOG_OTHER', `the log ${what}`, {
    hint: 'give the same options and networks (more networks may follow), or write to another file',
  });
}

// Zero-cost scores of untrained networks.
import * as z from 'zod';
import { correlationsOf, rowsToCorrelate } from '../app/correlations.js';
import type { Problem } from '../app/problem.js';
import { columnsNamed, columnValues, type ProxyColumn } from '../app/score/columns.js';
import { planOf, type ScoringPlan, type ScoringRequest } from '../app/score/plan.js';
import type { ScoredNetwork } from '../app/score/record.js';
import { NetworkScorer } from '../app/score/scoring.js';
import { Table } from '../datasets/table.js';
import type { Sizes } from '../networks/index.js';
import { type Explanation, PROXIES, type ZeroCostProxy } from '../proxies/index.js';
import type { Correlation } from '../report/index.js';
import { AuspexError } from '../util/errors.js';
import { here } from './environment.js';
import { type NetworkLike, type NetworksLike, namedNetworks, network } from './networks.js';
import { callback, checkedOptions, count, expectText, given, SIZES, signal, texts } from './options.js';

/** How networks are prepared, and what they are scored on. */
export interface ScoringOptions extends Sizes, Omit<ScoringRequest, 'space' | 'sizes' | 'seed'> {
  /** Networks at once. Default 1. */
  readonly workers?: number;
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, all: number) => void;
  /** Networks that cannot be scored at all are left out and given here; without it, the first one is thrown. */
  readonly onError?: (ref: string, error: AuspexError) => void;
}

export interface NetworkScores {
  readonly ref: string;
  /** By proxy. */
  readonly scores: Readonly<Record<string, number>>;
  /** Why others are missing, by proxy. */
  readonly errors: Readonly<Record<string, Problem>>;
}

const numbers = z.array(z.number());
const SCORE = {
  ...SIZES,
  init: z.enum(['file', 'seeded']).optional(),
  inputs: z.array(z.looseObject({ file: z.string() })).optional(),
  targets: z.string().optional(),
  images: z.string().optional(),
  mean: numbers.optional(),
  std: numbers.optional(),
  weights: texts.optional(),
  features: z.string().optional(),
  logits: z.string().optional(),
  vocabulary: count.optional(),
  statistics: z.enum(['batch', 'frozen']).optional(),
  workers: count.optional(),
  signal: signal.optional(),
  progress: callback.optional(),
  onError: callback.optional(),
};

/**
 * Scores untrained networks with zero-cost proxies. Combinations such as `ntsr` or `snip+params` rank the networks against
 * each other. A proxy that does not apply to a network is listed in its `errors`.
 *
 * @param proxies names, `all` for all of them
 * @throws AuspexError PROXY_UNKNOWN, BAD_OPTION, and what is wrong with a network
 * @example
 * const [net] = await score('resnet8.onnx', ['params', 'synflow', 'sept'], { batch: 4 });
 * net.scores; // { params: 77946, synflow: 18.576 }
 * net.errors.sept?.code; // 'PROXY_NO_BLOCKS'
 */
export async function score(
  networks: NetworksLike,
  proxies: readonly string[],
  options?: ScoringOptions,
): Promise<NetworkScores[]> {
  const columns = columnsOf('score', proxies);
  const { plan, run } = planFrom('score', columns, options);
  return scoredColumns(columns, await scoredBy(networks, plan, run));
}

/**
 * Says what was found in a network, and so what its scores are made of: weights that count, attention blocks, logits, the
 * output of the last block.
 *
 * @throws AuspexError what is wrong with the network
 * @example
 * const { logits, tensors } = explain('resnet8.onnx');
 * logits.classes; // 10
 * tensors.filter(({ counts }) => counts).length; // 10
 */
export function explain(ref: NetworkLike, options?: ScoringOptions): Explanation {
  const { plan } = planFrom('explain', [], options);
  return new NetworkScorer(plan, {}, here().samples(plan)).explain(network(ref));
}

/**
 * All zero-cost proxies, those of plugins last.
 *
 * @example
 * proxies().find(({ name }) => name === 'snip')?.title; // 'SNIP'
 */
export function proxies(): readonly ZeroCostProxy[] {
  return PROXIES;
}

export interface CorrelationOptions extends Omit<ScoringOptions, 'onError'> {
  /** So many rows, drawn by the seed; all by default. */
  readonly sample?: number;
  /** Of the bootstrap. Default 1000. */
  readonly resamples?: number;
}

/**
 * Correlates zero-cost scores with a label of a table: Kendall's τ-b and Spearman's ρ with bootstrap intervals, strongest
 * first.
 *
 * @throws AuspexError TABLE_NO_LABEL, TABLE_TOO_SMALL, PROXY_UNKNOWN, BAD_OPTION
 * @example
 * const table = await readTable('cells.csv');
 * const [best] = await correlate(table, 'accuracy', ['params', 'sept'], { sample: 20, resamples: 100 });
 * best.name; // 'params'
 * best.tau; // { estimate: 1, low: …, high: …, … }
 * best.rows; // 20
 */
export async function correlate(
  table: Table,
  label: string,
  proxies: readonly string[],
  options?: CorrelationOptions,
): Promise<Correlation[]> {
  if (!(table instanceof Table))
    throw new AuspexError('BAD_OPTION', 'correlate takes a Table; readTable reads one');
  expectText('correlate', 'the name of a label', label);
  const { sample, resamples = 1000, ...scoring } = options ?? {};
  checkedOptions(
    'correlate',
    { sample: count.optional(), resamples: count.optional() },
    given({ sample, resamples }),
  );
  const columns = columnsOf('correlate', proxies);
  const { plan, run } = planFrom('correlate', columns, scoring);
  const rows = rowsToCorrelate(table, label, { sample, seed: plan.seed });
  const records = await scoredBy(table.take(rows), plan, { ...run, onError: () => undefined });
  const truths = table.column(label);
  const { better } = table.label(label);
  return correlationsOf(
    columns,
    records,
    records.map(({ index }) => truths[rows[index]!]!),
    {
      better,
      resamples,
      seed: plan.seed,
    },
  );
}

type Run = Pick<ScoringOptions, 'workers' | 'signal' | 'progress' | 'onError'>;

function columnsOf(of: string, proxies: readonly string[]): ProxyColumn[] {
  if (!Array.isArray(proxies)) throw new AuspexError('BAD_OPTION', `${of} takes a list of names of proxies`);
  return columnsNamed(proxies);
}

function planFrom(
  of: string,
  columns: readonly ProxyColumn[],
  options: ScoringOptions | undefined,
): { plan: ScoringPlan; run: Run } {
  const {
    workers,
    signal: stop,
    progress,
    onError,
    ...rest
  } = checkedOptions<ScoringOptions>(of, SCORE, options);
  const { batch, resolution, width, classes, dims, shapes, ...request } = rest;
  const sizes = given({ batch, resolution, width, classes, dims, shapes }) as Sizes;
  return {
    plan: planOf({ ...request, sizes }, columns),
    run: given({ workers, signal: stop, progress, onError }),
  };
}

/** In the order of the networks. */
async function scoredBy(networks: NetworksLike, plan: ScoringPlan, run: Run): Promise<ScoredNetwork[]> {
  const { workers = 1, progress, onError } = run;
  const list = namedNetworks(networks);
  const found: ScoredNetwork[] = [];
  for await (const record of here().scorePool(list, plan, { workers, signal: run.signal })) {
    if (record.error === undefined) found.push(record);
    else if (onError !== undefined) onError(record.network, errorOf(record.error));
    else throw errorOf(record.error);
    progress?.(found.length, list.count);
  }
  run.signal?.throwIfAborted();
  return found.sort((a, b) => a.index - b.index);
}

function scoredColumns(columns: readonly ProxyColumn[], records: readonly ScoredNetwork[]): NetworkScores[] {
  const values = columnValues(columns, records);
  return records.map(({ network: ref, errors = {} }, row) => {
    const scores = columns.map(({ name }, c) => [name, values[c]![row]] as const);
    return {
      ref,
      scores: Object.fromEntries(scores.filter(([, value]) => value !== undefined)),
      errors,
    } as NetworkScores;
  });
}

function errorOf({ code, message, where, hint, isFailure }: Problem): AuspexError {
  return new AuspexError(code, message, {
    ...(where ? { where: { ...where } } : {}),
    ...(hint === undefined ? {} : { hint }),
    ...(isFailure ? { kind: 'failure' } : {}),
  });
}

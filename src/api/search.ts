// Searches for good networks of a space.
import * as z from 'zod';
import { proxyScorers } from '../app/score/scorers.js';
import { ArchNetwork, type Sizes } from '../networks/index.js';
import type { Predictor } from '../predictors/predictor.js';
import { costWithin } from '../search/constraints.js';
import type { Constraint, Embedding, Evaluator, Scorer, Strategy, Trial } from '../search/contract.js';
import { COSTS, type Cost } from '../search/costs.js';
import type { SearchLog } from '../search/log.js';
import { predictorEmbedding } from '../search/predicted.js';
import { type SearchOptions as RunOptions, search as run, type SearchEnd } from '../search/run.js';
import { rankCombined } from '../search/scorers.js';
import {
  STRATEGIES,
  type StrategyEntry,
  type StrategyOptions,
  strategyNamed,
} from '../search/strategies/registry.js';
import { isTableSpace } from '../search/table-space.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { here } from './environment.js';
import { checkedOptions, given, having, SIZES, signal, whole } from './options.js';
import { anySpace } from './spaces.js';

export interface SearchOptions {
  /** A space or its name; by default the rows of the evaluator's table. */
  readonly space?: string | AnySpace;
  /** What tells the value of a network; see `fromTable`, `fromPredictor`, `fromProxy`, `fromCommand`. */
  readonly evaluator: Evaluator & { readonly space?: AnySpace };
  /** Evaluations, including those in the log. */
  readonly budget: number;
  /** A strategy or its name. Default `evolution`. */
  readonly strategy?: string | Strategy;
  /** Of a strategy that is named. */
  readonly options?: StrategyOptions;
  /** What chooses candidates before they are evaluated, for strategies that take it: `ntsr`, `snip+params`, or a scorer. */
  readonly guide?: string | Scorer;
  /** Where strategies in latent space search (`bo`, `reinforce`): a predictor that embeds, or an embedding. */
  readonly embedding?: Embedding | Predictor;
  /** Most of a cost: `{ parameters: 5e6 }`. */
  readonly max?: Readonly<Partial<Record<Cost, number>>>;
  /** Least of a cost. */
  readonly min?: Readonly<Partial<Record<Cost, number>>>;
  readonly constraints?: readonly Constraint[];
  /** Sizes of networks; those of the space by default. */
  readonly sizes?: Sizes;
  /** Default 0. */
  readonly seed?: number;
  /** A path, or a log that records are kept in. In memory by default. */
  readonly log?: string | SearchLog;
  /** Continues the search of the log that `log` names. */
  readonly resume?: boolean;
  readonly signal?: AbortSignal;
}

const costs = z.partialRecord(z.enum(COSTS), z.number());
const SEARCH = {
  space: z.union([z.string(), having<AnySpace>('a space', 'sample', 'parse')]).optional(),
  evaluator: having<Evaluator>('an evaluator', 'evaluate', 'objectives'),
  budget: whole,
  strategy: z.union([z.string(), having<Strategy>('a strategy', 'propose')]).optional(),
  options: z.record(z.string(), z.union([z.number(), z.string()])).optional(),
  guide: z.union([z.string(), having<Scorer>('a scorer', 'score')]).optional(),
  embedding: z
    .union([having<Embedding>('an embedding', 'embed'), having<Predictor>('a predictor', 'covers')])
    .optional(),
  max: costs.optional(),
  min: costs.optional(),
  constraints: z.array(having<Constraint>('a constraint', 'allows')).optional(),
  sizes: z.strictObject(SIZES).optional(),
  seed: whole.optional(),
  log: z.union([z.string(), having<SearchLog>('a log', 'append', 'records')]).optional(),
  resume: z.boolean().optional(),
  signal: signal.optional(),
};

/**
 * Searches a space for good networks: gives every evaluated architecture as a trial, and returns why the search ended. A
 * log in a file can be resumed after the process was killed.
 *
 * @throws AuspexError BAD_OPTION, STRATEGY_…, SPACE_UNKNOWN, CONSTRAINT_TOO_TIGHT, SEARCH_LOG_…
 * @example
 * const table = await readTable('cells.csv');
 * const evaluator = fromTable(table, ['accuracy']);
 * let best = 0;
 * for await (const { value = 0 } of search({ evaluator, budget: 80, seed: 1 })) best = Math.max(best, value);
 * best === Math.max(...table.column('accuracy')); // true
 */
export async function* search(options: SearchOptions): AsyncGenerator<Trial, SearchEnd> {
  const checked = checkedOptions('search', SEARCH, options);
  const { evaluator, budget, sizes, seed = 0, log, resume = false, constraints = [] } = checked;
  const inside = checked.space ?? evaluator.space;
  if (inside === undefined)
    throw new AuspexError('BAD_OPTION', "search requires a 'space'", { hint: 'spaces() lists them' });
  const space = anySpace(inside);
  if (resume && typeof log !== 'string')
    throw new AuspexError('BAD_OPTION', "search: 'resume' requires the path of a 'log'");
  const limits = [...limited('most', checked.max), ...limited('least', checked.min), ...constraints];
  const base: AnySpace = isTableSpace(space) ? space.base : space;
  const course: RunOptions = {
    space,
    evaluator,
    strategy: strategyFrom(checked, space, seed),
    budget,
    seed,
    constraints: limits,
    ...(sizes === undefined
      ? {}
      : { sizes: { ...sizes }, network: (text) => new ArchNetwork(base, base.parse(text), sizes) }),
    ...given({ signal: checked.signal }),
  };
  if (typeof log !== 'string') return yield* run({ ...course, ...given({ log }) });
  const file = here().searchLog(log, resume);
  try {
    return yield* run({ ...course, log: file });
  } finally {
    file.close();
  }
}

function strategyFrom(
  { strategy = 'evolution', options, guide, embedding }: Omit<SearchOptions, 'evaluator'>,
  space: AnySpace,
  seed: number,
): Strategy {
  if (typeof strategy === 'string') {
    return strategyNamed(strategy, guideFrom(guide, space, seed), options, embeddingFrom(embedding));
  }
  if (options === undefined && guide === undefined && embedding === undefined) return strategy;
  throw new AuspexError(
    'BAD_OPTION',
    "search: 'options', 'guide' and 'embedding' are for strategies that are named",
  );
}

function embeddingFrom(embedding: SearchOptions['embedding']): Embedding | undefined {
  if (embedding === undefined || 'name' in embedding) return embedding;
  return predictorEmbedding(embedding, embedding.info.kind);
}

function guideFrom(guide: SearchOptions['guide'], space: AnySpace, seed: number): Scorer | undefined {
  if (typeof guide !== 'string') return guide;
  const scorers = guide.split('+').map((name) => proxyScorer(name.trim(), { seed, space }));
  return scorers.length === 1 ? scorers[0] : rankCombined(scorers);
}

/** A zero-cost proxy as a score. @throws AuspexError SCORE_UNKNOWN */
export function proxyScorer(
  name: string,
  {
    seed = 0,
    batch,
    workers = 1,
    space,
  }: {
    seed?: number | undefined;
    batch?: number | undefined;
    workers?: number | undefined;
    space?: AnySpace;
  },
): Scorer {
  const scorer = proxyScorers({ seed, batch, workers }, here().scorePool)(name, space);
  if (scorer !== undefined) return scorer;
  throw new AuspexError('SCORE_UNKNOWN', `unknown score '${name}'`, {
    hint: 'proxies() lists those that there are',
  });
}

function limited(side: 'most' | 'least', bounds: SearchOptions['max'] = {}): Constraint[] {
  return Object.entries(bounds).map(([what, value]) => costWithin(what as Cost, { [side]: value }));
}

/** A strategy, by the name that `search` takes. */
export interface NamedStrategy extends StrategyEntry {
  readonly name: string;
}

/**
 * All search strategies, those of plugins last.
 *
 * @example
 * strategies().some(({ name, takesScorer }) => name === 'etas' && takesScorer); // true
 */
export function strategies(): readonly NamedStrategy[] {
  return [...STRATEGIES].map(([name, entry]) => ({ ...entry, name }));
}

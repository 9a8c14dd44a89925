// All strategies by the names that commands take. Adding one is its file and a line here, or `registerStrategy`.
import { AuspexError } from '../../util/errors.js';
import type { Embedding, Scorer, Strategy } from '../contract.js';
import type { Cost } from '../costs.js';
import { AGING_OPTIONS, agingEvolution } from './aging-evolution.js';
import { BO_OPTIONS, bayesianOptimisation } from './bo.js';
import { type ETAS_PRESETS, etas, etasOptions } from './etas.js';
import { GENNAPE_OPTIONS, gennapeSearch } from './gennape.js';
import { LOCAL_OPTIONS, localSearch } from './local-search.js';
import { NSGA2_OPTIONS, nsga2 } from './nsga2.js';
import { chosenOptions, type OptionsSchema } from './options.js';
import { RANDOM_OPTIONS, randomSearch } from './random-search.js';
import { REINFORCE_OPTIONS, reinforce } from './reinforce.js';

/** Options as users give them, by name. */
export type StrategyOptions = Readonly<Record<string, number | string>>;

export interface StrategyEntry<S extends OptionsSchema = OptionsSchema> {
  readonly summary: string;
  /** The options it takes, each with a default and a description of its range. */
  readonly options: S;
  /** Whether it asks a proxy or a predictor. */
  readonly takesScorer: boolean;
  /** Whether it searches in the latent space of an embedding, and cannot do without. */
  readonly takesEmbedding?: true;
  /** A cost that is an objective as well, where the evaluator gives one objective only. */
  readonly alsoMinimises?: Cost;
  /** Evaluations after which it has done its work, for commands that are given no budget. */
  evaluations?(options: S['_output']): number;
  /** @param options as `options` gives them */
  make(scorer: Scorer | undefined, options: S['_output'], embedding: Embedding | undefined): Strategy;
}

const registered = new Map<string, StrategyEntry>();

/** All strategies by name. */
export const STRATEGIES: ReadonlyMap<string, StrategyEntry> = registered;

/**
 * Makes a strategy known by a name, to commands as well. `conformance.testing.ts` has what it must keep to.
 *
 * @throws AuspexError STRATEGY_TWICE
 * @example
 * import { z } from 'zod';
 * registerStrategy('plain-draws', {
 *   summary: 'architectures as they are drawn',
 *   options: z.object({}),
 *   takesScorer: false,
 *   make: () => ({
 *     name: 'plain-draws',
 *     options: {},
 *     async *propose({ candidates, random }) {
 *       for (;;) yield [{ arch: await candidates.sample(random), by: 'sample' }];
 *     },
 *   }),
 * });
 * const options = { space: 'nats-size', evaluator: fromProxy('params'), strategy: 'plain-draws', budget: 3 };
 * let trials = 0;
 * for await (const { by } of search(options)) trials += by === 'sample' ? 1 : 0;
 * trials; // 3
 */
export function registerStrategy<S extends OptionsSchema>(name: string, entry: StrategyEntry<S>): void {
  if (registered.has(name)) {
    throw new AuspexError('STRATEGY_TWICE', `a strategy called '${name}' already exists`);
  }
  registered.set(name, entry as unknown as StrategyEntry);
}

/**
 * The strategy of a name.
 *
 * @param scorer for those that take one; the others refuse it
 * @param embedding for those that search in latent space, which need one; the others refuse it
 * @throws AuspexError STRATEGY_UNKNOWN, STRATEGY_SCORER, STRATEGY_EMBEDDING, STRATEGY_OPTION
 */
export function strategyNamed(
  name: string,
  scorer?: Scorer,
  options: StrategyOptions = {},
  embedding?: Embedding,
): Strategy {
  const entry = registered.get(name);
  if (entry === undefined) {
    throw new AuspexError('STRATEGY_UNKNOWN', `there is no strategy called '${name}'`, {
      hint: `choose one of ${[...registered.keys()].join(', ')}`,
    });
  }
  if (scorer !== undefined && !entry.takesScorer) {
    throw new AuspexError('STRATEGY_SCORER', `the strategy '${name}' does not use a proxy or a predictor`, {
      hint: 'leave out --proxy, or use --strategy etas',
    });
  }
  const isLatent = entry.takesEmbedding === true;
  if (isLatent !== (embedding !== undefined)) {
    throw new AuspexError(
      'STRATEGY_EMBEDDING',
      `the strategy '${name}' ${isLatent ? 'needs' : 'does not use'} an embedding`,
      { hint: isLatent ? 'give --embedding FILE' : 'leave out --embedding, or use --strategy bo' },
    );
  }
  return entry.make(scorer, chosenOptions(name, entry.options, options), embedding);
}

function registerEtas(name: string, summary: string, preset: keyof typeof ETAS_PRESETS): void {
  registerStrategy(name, { summary, options: etasOptions(preset), takesScorer: true, make: etas });
}

registerEtas('etas', 'ETAS, with its settings for vision transformers', 'etas-vit');
registerEtas('etas-vit', 'ETAS as in its experiments on vision transformers', 'etas-vit');
registerEtas('etas-gpt', 'ETAS as in its experiments on GPT-2', 'etas-gpt');
registerStrategy('bo', {
  summary: 'Bayesian optimisation (DNGO) in the latent space of an embedding',
  options: BO_OPTIONS,
  takesScorer: false,
  takesEmbedding: true,
  make: (_, options, embedding) => bayesianOptimisation(embedding!, options),
});
registerStrategy('evolution', {
  summary: 'regularised (aging) evolution',
  options: AGING_OPTIONS,
  takesScorer: false,
  make: (_, options) => agingEvolution(options),
});
registerStrategy('gennape', {
  summary: 'rounds of mutating the best by prediction and cost (GENNAPE)',
  options: GENNAPE_OPTIONS,
  takesScorer: false,
  alsoMinimises: 'macs',
  evaluations: ({ rounds, top, mutants }) => 1 + mutants + (rounds - 1) * top * mutants,
  make: (_, options) => gennapeSearch(options),
});
registerStrategy('local', {
  summary: 'local search with restarts',
  options: LOCAL_OPTIONS,
  takesScorer: false,
  make: (_, options) => localSearch(options),
});
registerStrategy('nsga2', {
  summary: 'NSGA-II, for several objectives',
  options: NSGA2_OPTIONS,
  takesScorer: false,
  make: (_, options) => nsga2(options),
});
registerStrategy('random', {
  summary: 'random search',
  options: RANDOM_OPTIONS,
  takesScorer: false,
  make: () => randomSearch(),
});
registerStrategy('reinforce', {
  summary: 'REINFORCE with a recurrent policy in the latent space of an embedding',
  options: REINFORCE_OPTIONS,
  takesScorer: false,
  takesEmbedding: true,
  make: (_, options, embedding) => reinforce(embedding!, options),
});

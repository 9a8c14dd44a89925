// All strategies by the names that commands take. Adding one is its file and a line here.
import { AuspexError } from '../util/errors.js';
import { AGING_DEFAULTS, type AgingOptions, agingEvolution } from './aging-evolution.js';
import type { Scorer, Strategy } from './contract.js';
import { ETAS_PRESETS, type EtasOptions, etas } from './etas.js';
import { LOCAL_DEFAULTS, type LocalSearchOptions, localSearch } from './local-search.js';
import { NSGA2_DEFAULTS, type Nsga2Options, nsga2 } from './nsga2.js';
import { randomSearch } from './random-search.js';

/** The options of all strategies; each takes its own. */
export interface StrategyOptions extends AgingOptions, EtasOptions, LocalSearchOptions, Nsga2Options {}

export interface StrategyEntry {
  readonly summary: string;
  /** The options it takes, as they are unless told. */
  readonly defaults: Readonly<Record<string, number | string>>;
  /** Whether it asks a proxy or a predictor. */
  readonly takesScorer: boolean;
  make(scorer: Scorer | undefined, options: StrategyOptions): Strategy;
}

const etasEntry = (summary: string, defaults: Required<EtasOptions>): StrategyEntry => ({
  summary,
  defaults,
  takesScorer: true,
  make: (scorer, options) => etas(scorer, { ...defaults, ...options }),
});

export const STRATEGIES = {
  etas: etasEntry('ETAS, with the settings for vision transformers', ETAS_PRESETS['etas-vit']),
  'etas-vit': etasEntry('ETAS as in its experiments on vision transformers', ETAS_PRESETS['etas-vit']),
  'etas-gpt': etasEntry('ETAS as in its experiments on GPT-2', ETAS_PRESETS['etas-gpt']),
  evolution: {
    summary: 'regularised (aging) evolution',
    defaults: AGING_DEFAULTS,
    takesScorer: false,
    make: (_, options) => agingEvolution(options),
  },
  local: {
    summary: 'local search with restarts',
    defaults: LOCAL_DEFAULTS,
    takesScorer: false,
    make: (_, options) => localSearch(options),
  },
  nsga2: {
    summary: 'NSGA-II, for several objectives',
    defaults: NSGA2_DEFAULTS,
    takesScorer: false,
    make: (_, options) => nsga2(options),
  },
  random: { summary: 'random search', defaults: {}, takesScorer: false, make: () => randomSearch() },
} as const satisfies Readonly<Record<string, StrategyEntry>>;

export type StrategyName = keyof typeof STRATEGIES;

/**
 * The strategy of a name.
 *
 * @param scorer for those that take one; the others refuse it
 */
export function strategyNamed(name: string, scorer?: Scorer, options: StrategyOptions = {}): Strategy {
  const entry = Object.hasOwn(STRATEGIES, name)
    ? (STRATEGIES[name as StrategyName] as StrategyEntry)
    : undefined;
  if (entry === undefined) {
    throw new AuspexError('STRATEGY_UNKNOWN', `there is no strategy called '${name}'`, {
      hint: `there are ${Object.keys(STRATEGIES).join(', ')}`,
    });
  }
  if (scorer !== undefined && !entry.takesScorer) {
    throw new AuspexError('STRATEGY_SCORER', `the strategy '${name}' asks no proxy or predictor`, {
      hint: 'leave it out, or choose etas',
    });
  }
  const foreign = Object.keys(options).find((option) => !Object.hasOwn(entry.defaults, option));
  if (foreign !== undefined) {
    throw new AuspexError('STRATEGY_OPTION', `the strategy '${name}' has no option '${foreign}'`, {
      hint: `it has ${Object.keys(entry.defaults).join(', ') || 'none'}`,
    });
  }
  return entry.make(scorer, options);
}

// What a search is made of: what evaluates networks, what scores them beforehand, what is allowed, and what proposes.
// Evaluators, scorers and constraints get lists of networks; strategies, trials and logs have architectures as texts.
import type { Network } from '../networks/index.js';
import type { Matrix } from '../predictors/predictor.js';
import type { Random } from '../util/random.js';
import type { Candidates } from './candidates.js';

export type Direction = 'higher' | 'lower';

/** One number that an evaluator gives. */
export interface Objective {
  readonly name: string;
  readonly better: Direction;
  /** `%`, `ms`; absent for a number without one. */
  readonly unit?: string;
}

/** What came of an evaluation: a number for every objective, or why there is none. */
export type Outcome = { readonly values: readonly number[] } | { readonly error: EvaluationError };

export interface EvaluationError {
  readonly code: string;
  readonly message: string;
}

export interface Evaluated {
  /** Which network of the list, from 0. */
  readonly place: number;
  readonly outcome: Outcome;
  /** How long it took; of a batch its share. */
  readonly seconds: number;
}

/** The true value of a network: it costs something, and a budget limits how many are evaluated. */
export interface Evaluator {
  readonly name: string;
  /** What its numbers are, one at least; the first is the value of a trial. */
  readonly objectives: readonly Objective[];
  /**
   * Evaluates a list. Outcomes come in groups, in any order, as they are known; each group is in the log before the next
   * one is asked for. `inBatches` and `oneByOne` make such functions. What it throws becomes the error of the networks
   * that have no outcome yet, and the search continues.
   */
  evaluate(networks: readonly Network[], signal: AbortSignal): AsyncIterable<readonly Evaluated[]>;
}

/** A cheap guess, such as a zero-cost proxy or a predictor. Only how it orders the list it is given counts. */
export interface Scorer {
  readonly name: string;
  readonly better: Direction;
  /** A number for each network; NaN where there is none, which ranks last. */
  score(networks: readonly Network[], signal?: AbortSignal): Promise<Float64Array>;
}

/** Networks as points: near each other where networks are alike. Strategies in latent space search among them. */
export interface Embedding {
  readonly name: string;
  /** A row for each network, all equally long; NaN where there is none. */
  embed(networks: readonly Network[], signal?: AbortSignal): Promise<Matrix>;
}

/** What architectures must be like to be proposed. */
export interface Constraint {
  /** Says all of it, such as `parameters <= 9000000`: a search is only resumed under the constraints it began with. */
  readonly name: string;
  /** Whether each network is allowed. */
  allows(networks: readonly Network[], signal?: AbortSignal): Promise<readonly boolean[]>;
}

/** An architecture that a strategy wants to be evaluated. */
export interface Proposal {
  readonly arch: string;
  /** How it was made: `sample`, `mutate`, … */
  readonly by: string;
  /** The trials it was made from, by index. */
  readonly parents?: readonly number[] | undefined;
  /** The strategy's own count of rounds, generations, restarts. */
  readonly round?: number | undefined;
}

/** A proposal that was evaluated. */
export interface Trial extends Proposal {
  /** In the order of proposals, from 0. */
  readonly index: number;
  /** The first objective; absent if the evaluation failed. */
  readonly value?: number | undefined;
  /** All of them, where there are several. */
  readonly objectives?: readonly number[] | undefined;
  readonly seconds: number;
  readonly error?: EvaluationError | undefined;
}

/** What a strategy may use: all else would be lost when a search is killed. */
export interface SearchContext {
  readonly candidates: Candidates;
  /** The only randomness; its numbers depend on the seed alone. */
  readonly random: Random;
  readonly objectives: readonly Objective[];
  /** Scores a list once: a resumed search has the scores from its log. */
  scores(scorer: Scorer, architectures: readonly string[]): Promise<Float64Array>;
  /** Embeds a list, in batches. The same list has the same rows on the same machine, so that none are in the log. */
  embed(embedding: Embedding, architectures: readonly string[]): Promise<Matrix>;
  /** To be awaited in long loops: lets others run now and then, and throws when the search is stopped. */
  pause(): Promise<void>;
}

/**
 * Proposes lists of architectures and is given their trials, in the order of the list. What it proposes depends on
 * nothing but its options, the context and the trials it was given: a search is resumed by running the strategy again
 * with the trials of the log. A list is evaluated at once; the longer it is, the better for evaluators with batches.
 *
 * An architecture that was tried before is not evaluated again: its earlier trial is given.
 */
export interface Strategy {
  readonly name: string;
  /** All that its course depends on, as JSON. */
  readonly options: Readonly<Record<string, number | string | null>>;
  propose(context: SearchContext): AsyncGenerator<readonly Proposal[], void, readonly Trial[]>;
}

/** A trial with a value. */
export type Valued = Trial & { readonly value: number };

export function isValued(trial: Trial): trial is Valued {
  return trial.value !== undefined;
}

/** Whether a is strictly better than b. */
export function isBetter(a: number, b: number, better: Direction): boolean {
  return better === 'higher' ? a > b : a < b;
}

/** The trials with a value, best first; equal ones in the order they have. */
export function ranked(trials: readonly Trial[], better: Direction): Valued[] {
  const sign = better === 'higher' ? -1 : 1;
  return trials.filter(isValued).sort((a, b) => sign * (a.value - b.value));
}

/** The best trial, the earliest of equal ones; undefined if none has a value. */
export function bestTrial(trials: readonly Trial[], better: Direction): Valued | undefined {
  let best: Valued | undefined;
  for (const trial of trials) {
    if (isValued(trial) && (best === undefined || isBetter(trial.value, best.value, better))) best = trial;
  }
  return best;
}

/** The objectives of a trial with a value. */
export function objectiveValues(trial: Valued): readonly number[] {
  return trial.objectives ?? [trial.value];
}

// What a search is made of: who values an architecture, who guesses that value beforehand, what is allowed, and what
// proposes. Architectures are texts of a space here, so that none of the parts needs to know its type.
import type { Random } from '../util/random.js';
import type { Candidates } from './candidates.js';

export type Direction = 'higher' | 'lower';

/** One number that an evaluator gives. */
export interface Objective {
  readonly name: string;
  readonly better: Direction;
}

/** The true value of an architecture: it costs something, and a budget says how often it may be asked. */
export interface Evaluator {
  readonly name: string;
  /** Of the value; with several objectives, of the first of them. */
  readonly better: Direction;
  /** What the numbers of `objectives` are, in their order; the first is the trial's value. One named `name` unless given. */
  readonly objectives?: readonly Objective[];
  /** Whatever it throws becomes the error of the trial, and the search goes on. */
  evaluate(arch: string, signal: AbortSignal): Promise<number | { readonly objectives: readonly number[] }>;
}

/** A cheap guess, such as a zero-cost proxy or a predictor. Only how it orders the list it is given counts. */
export interface Scorer {
  readonly name: string;
  readonly better: Direction;
  /** A number for each; NaN where there is none, which ranks last. */
  score(architectures: readonly string[], signal?: AbortSignal): Promise<Float64Array>;
}

/** What architectures must be like to be proposed. */
export interface Constraint {
  /** Says all of it, such as `parameters <= 9000000`: a search goes on only under the constraints it began with. */
  readonly name: string;
  allows(arch: string): boolean | Promise<boolean>;
}

/** An architecture that a strategy wants to be evaluated. */
export interface Proposal {
  readonly arch: string;
  /** How it was made: `sample`, `mutate`, … */
  readonly by: string;
  /** The trials it was made from, by index. */
  readonly parents?: readonly number[];
  /** The strategy's own count of rounds, generations, restarts. */
  readonly round?: number;
}

/** A proposal that was evaluated. */
export interface Trial extends Proposal {
  /** In the order of proposals, from 0. */
  readonly index: number;
  /** The first objective; absent if the evaluation failed. */
  readonly value?: number;
  /** All of them, where there are several. */
  readonly objectives?: readonly number[];
  readonly seconds: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** What a strategy may use: all else would be lost when a search is killed. */
export interface SearchContext {
  readonly candidates: Candidates;
  /** The only randomness; its numbers depend on the seed alone. */
  readonly random: Random;
  readonly objectives: readonly Objective[];
  /** Scores a list once: a search that goes on has them from its log. */
  scores(scorer: Scorer, architectures: readonly string[]): Promise<Float64Array>;
}

/**
 * Proposes lists of architectures and is given their trials, in the order of the list. What it proposes depends on
 * nothing but its options, the context and the trials it was given: a search goes on from its log by running the
 * strategy again with the trials of the log.
 *
 * An architecture that was tried before is not evaluated again: its trial of then is given.
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

/** The objectives of an evaluator, one at least. */
export function objectivesOf({ name, better, objectives }: Evaluator): readonly Objective[] {
  return objectives ?? [{ name, better }];
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

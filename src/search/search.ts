// Runs a strategy within a budget. Every trial is in the log before anything follows from it; a log that is cut off
// anywhere leads to the same trials again.
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';
import { Candidates } from './candidates.js';
import {
  bestTrial,
  type Constraint,
  type Evaluator,
  objectivesOf,
  type Proposal,
  type SearchContext,
  type Strategy,
  type Trial,
  type Valued,
} from './contract.js';
import {
  decodeScores,
  encodeScores,
  expectSame,
  memoryLog,
  type ReadLog,
  readLog,
  type SearchLog,
  type SearchRecord,
} from './log.js';
import { scored } from './scorers.js';

export interface SearchOptions {
  readonly space: AnySpace;
  readonly evaluator: Evaluator;
  readonly strategy: Strategy;
  /** Evaluations, those in the log included. */
  readonly budget: number;
  readonly seed: number;
  readonly constraints?: readonly Constraint[];
  /** Digests of the files that values and scores come from, by name: another file under a name is another search. */
  readonly files?: Readonly<Record<string, string>>;
  /** In memory unless given. What is in it already is not evaluated again. */
  readonly log?: SearchLog;
  /** Evaluations at once, as far as the strategy proposes several; the trials are the same. 1 unless given. */
  readonly parallel?: number;
  /** Ends the search; evaluations that are under way are lost. */
  readonly signal?: AbortSignal;
}

/**
 * Why a search ended: its budget is spent, its strategy finished, nothing new is found any more, or its signal came.
 */
export type SearchEnd = 'budget' | 'finished' | 'exhausted' | 'stopped';

/** Proposals in a row that were tried before, after which nothing new is to be expected. */
const REPEATS = 10_000;

/**
 * Trials in the order in which they were proposed, those of the log first.
 *
 * @example
 * for await (const trial of search({ space, evaluator, strategy: randomSearch(), budget: 100, seed: 0 })) …
 */
export async function* search(options: SearchOptions): AsyncGenerator<Trial, SearchEnd> {
  const { space, evaluator, strategy, budget, seed, constraints = [] } = options;
  const { log = memoryLog(), parallel = 1 } = options;
  if (!Number.isSafeInteger(budget) || budget < 0) {
    throw new AuspexError('BUDGET', `a budget must be a whole number of evaluations, not ${budget}`);
  }
  const before = readLog(log.records);
  const objectives = objectivesOf(evaluator);
  const start: SearchRecord = {
    kind: 'search',
    version: 1,
    space: space.name,
    strategy: strategy.name,
    options: strategy.options,
    seed,
    evaluator: evaluator.name,
    objectives,
    constraints: constraints.map(({ name }) => name),
    ...(options.files ? { files: options.files } : {}),
  };
  if (before.start) expectSame(before.start, start);
  else await log.append(start);

  // Whoever stops listening stops the evaluations, too.
  const stopped = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopped.signal]) : stopped.signal;
  const candidates = new Candidates(space, constraints);
  const context: SearchContext = {
    candidates,
    random: Random.seeded(seed),
    objectives,
    scores: scoresOnce(log, before, signal),
  };
  const byKey = new Map<string, Promise<Trial>>();
  let [proposed, repeats] = [0, 0];
  const proposals = strategy.propose(context);
  const begin = (proposal: Proposal & { readonly index: number }, turns: Turns): Promise<Trial> => {
    const trial = turns.take(async () => {
      const known = before.trials.get(proposal.index);
      if (known) return replayed(known, proposal);
      const made = await evaluated(evaluator, objectives.length, proposal, signal);
      await log.append({ kind: 'trial', ...made });
      return made;
    });
    // It may fail before its turn to be awaited comes.
    trial.catch(() => undefined);
    return trial;
  };
  const end = (): SearchEnd | undefined => {
    if (signal.aborted) return 'stopped';
    if (proposed === budget) return 'budget';
    const isAll = space.size !== undefined && BigInt(proposed) >= space.size;
    return isAll || repeats >= REPEATS ? 'exhausted' : undefined;
  };
  try {
    let given: readonly Trial[] | undefined;
    for (;;) {
      const early = end();
      if (early !== undefined) return early;
      const next = given === undefined ? await proposals.next() : await proposals.next(given);
      if (next.done) return 'finished';
      const batch = next.value;
      if (batch.length === 0) repeats++;
      const turns = new Turns(parallel);
      const trials: Promise<Trial>[] = [];
      const fresh: Promise<Trial>[] = [];
      for (const proposal of batch) {
        const key = candidates.key(proposal.arch);
        const known = byKey.get(key);
        if (known === undefined && proposed === budget) break;
        const trial = known ?? begin({ ...proposal, index: proposed++ }, turns);
        if (known === undefined) {
          byKey.set(key, trial);
          fresh.push(trial);
          repeats = 0;
        } else {
          repeats++;
        }
        trials.push(trial);
      }
      for (const trial of fresh) yield await trial;
      if (trials.length < batch.length) return 'budget';
      given = await Promise.all(trials);
    }
  } catch (error) {
    if (signal.aborted) return 'stopped';
    throw error;
  } finally {
    stopped.abort();
    await Promise.allSettled(byKey.values());
    await proposals.return();
  }
}

export interface SearchResult {
  readonly trials: readonly Trial[];
  /** By the first objective; undefined if every evaluation failed. */
  readonly best: Valued | undefined;
  readonly end: SearchEnd;
}

/** A whole search. */
export async function runSearch(
  options: SearchOptions,
  onTrial?: (trial: Trial) => void,
): Promise<SearchResult> {
  const trials: Trial[] = [];
  const running = search(options);
  for (;;) {
    const next = await running.next();
    if (next.done) return { trials, best: bestTrial(trials, options.evaluator.better), end: next.value };
    trials.push(next.value);
    onTrial?.(next.value);
  }
}

/** Gives lists of scores that are in the log from there; the others are written to it. */
function scoresOnce(log: SearchLog, before: ReadLog, signal: AbortSignal): SearchContext['scores'] {
  let lists = 0;
  return async (scorer, architectures) => {
    const index = lists++;
    const known = before.scores.get(index);
    if (known) {
      if (known.scores.length !== architectures.length) throw diverged(`list ${index} of scores`);
      return decodeScores(known);
    }
    const scores = await scored(scorer, architectures, signal);
    signal.throwIfAborted();
    await log.append({ kind: 'scores', index, scorer: scorer.name, scores: encodeScores(scores) });
    return scores;
  };
}

function replayed(trial: Trial, { arch }: Proposal): Trial {
  if (trial.arch === arch) return trial;
  throw diverged(`trial ${trial.index}`);
}

function diverged(what: string): AuspexError {
  return new AuspexError('SEARCH_LOG_DIVERGED', `${what} in the log is not what the search leads to`, {
    hint: 'the space, its constraints or auspex have changed since the search began: begin a new one',
  });
}

async function evaluated(
  evaluator: Evaluator,
  count: number,
  proposal: Proposal & { readonly index: number },
  signal: AbortSignal,
): Promise<Trial> {
  signal.throwIfAborted();
  const begin = performance.now();
  const seconds = (): number => (performance.now() - begin) / 1000;
  const { index, ...rest } = proposal;
  try {
    const given = await evaluator.evaluate(proposal.arch, signal);
    const values = typeof given === 'number' ? [given] : given.objectives;
    if (values.length !== count) {
      throw new AuspexError('EVALUATION_OBJECTIVES', `${count} numbers were expected, ${values.length} came`);
    }
    if (!values.every(Number.isFinite)) {
      throw new AuspexError('EVALUATION_NOT_FINITE', `the evaluation gave ${values.join(', ')}`);
    }
    const value = { value: values[0]!, ...(count > 1 ? { objectives: [...values] } : {}) };
    return { index, ...rest, ...value, seconds: seconds() };
  } catch (error) {
    // An evaluation that was broken off says nothing of its architecture.
    if (signal.aborted) throw error;
    const code = error instanceof AuspexError ? error.code : 'EVALUATION_FAILED';
    const message = error instanceof Error ? error.message : String(error);
    return { index, ...rest, seconds: seconds(), error: { code, message } };
  }
}

/** Lets a number of tasks run at once, in the order in which they came. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = Math.max(1, count);
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#free--;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

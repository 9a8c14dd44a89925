// Runs a strategy within a budget. Every trial is in the log before anything follows from it; a log that is cut off
// anywhere leads to the same trials again.
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { pauses } from '../util/pauses.js';
import { Random } from '../util/random.js';
import { Candidates } from './candidates.js';
import {
  bestTrial,
  type Constraint,
  type Evaluator,
  type SearchContext,
  type Strategy,
  type Trial,
  type Valued,
} from './contract.js';
import { embedded } from './latent/embedded.js';
import {
  decodeScores,
  encodeScores,
  expectSame,
  LOG_VERSION,
  memoryLog,
  type ReadLog,
  readLog,
  type SearchLog,
  type SearchRecord,
} from './log.js';
import { scored } from './scorers.js';
import { type MakeNetwork, networksOf, Subjects } from './subjects.js';
import { diverged, type Numbered, Trials } from './trials.js';

export interface SearchOptions {
  readonly space: AnySpace;
  readonly evaluator: Evaluator;
  readonly strategy: Strategy;
  /** Evaluations, including those in the log. */
  readonly budget: number;
  readonly seed: number;
  readonly constraints?: readonly Constraint[];
  /** Makes the network of a text; at the space's own sizes by default. */
  readonly network?: MakeNetwork;
  /** Sizes that `network` gives networks, for the log. */
  readonly sizes?: Readonly<Record<string, unknown>>;
  /** Digests of the files that values and scores come from, by name: another file under a name is another search. */
  readonly files?: Readonly<Record<string, string>>;
  /** In memory by default. What is in it already is not evaluated again. */
  readonly log?: SearchLog;
  /** Ends the search; evaluations that are under way are lost. */
  readonly signal?: AbortSignal;
}

/**
 * Why a search ended: its budget is spent, its strategy finished, nothing new is found any more, or its signal came.
 */
export type SearchEnd = 'budget' | 'finished' | 'exhausted' | 'stopped';

/** Proposals in a row that were tried before, after which nothing new is to be expected. */
const REPEATS = 10_000;

/** Lists in a row without anything new, between two pauses. */
const PAUSED = 16;

/**
 * Trials in the order in which they were proposed, those of the log first.
 *
 * @example
 * for await (const trial of search({ space, evaluator, strategy: randomSearch(), budget: 100, seed: 0 })) …
 */
export async function* search(options: SearchOptions): AsyncGenerator<Trial, SearchEnd> {
  const { space, evaluator, strategy, budget, seed, constraints = [], log = memoryLog() } = options;
  if (!Number.isSafeInteger(budget) || budget < 0) {
    throw new AuspexError('BUDGET', `a budget must be a whole number of evaluations, not ${budget}`);
  }
  if (evaluator.objectives.length === 0) {
    throw new AuspexError('OBJECTIVE_MISSING', `${evaluator.name} has no objective`);
  }
  const before = readLog(log.records);
  const start = startOf(options);
  if (before.start) expectSame(before.start, start);
  else await log.append(start);

  // Whoever stops listening stops the evaluations, too.
  const stopped = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopped.signal]) : stopped.signal;
  const subjects = new Subjects(options.network ?? networksOf(space));
  const pause = pauses(signal);
  const candidates = new Candidates(space, subjects.limits(constraints, signal), pause);
  const context: SearchContext = {
    candidates,
    random: Random.seeded(seed),
    objectives: evaluator.objectives,
    scores: scoresOnce(log, before, subjects, signal),
    embed: (embedding, architectures) => embedded(embedding, architectures, subjects, signal),
    pause,
  };
  const trials = new Trials({ evaluator, log, known: before.trials, subjects, signal });
  const byKey = new Map<string, Trial>();
  let [proposed, repeats, idle] = [0, 0, 0];
  const proposals = strategy.propose(context);
  const end = (): SearchEnd | undefined => {
    if (signal.aborted) return 'stopped';
    if (proposed === budget) return 'budget';
    const isAll = space.size !== undefined && BigInt(proposed) >= space.size;
    return isAll || repeats >= REPEATS ? 'exhausted' : undefined;
  };
  try {
    let given: readonly Trial[] | undefined;
    for (;;) {
      // Looking at the clock takes longer than a list without anything new.
      if (idle % PAUSED === 0) await pause();
      const early = end();
      if (early !== undefined) return early;
      const next = given === undefined ? await proposals.next() : await proposals.next(given);
      if (next.done) return 'finished';
      const list = next.value;
      if (list.length === 0) repeats++;
      const keys: string[] = [];
      const fresh = new Map<string, Numbered>();
      for (const proposal of list) {
        const key = candidates.key(proposal.arch);
        const isKnown = byKey.has(key) || fresh.has(key);
        if (!isKnown && proposed === budget) break;
        if (!isKnown) fresh.set(key, { ...proposal, index: proposed++ });
        repeats = isKnown ? repeats + 1 : 0;
        keys.push(key);
      }
      idle = fresh.size === 0 ? idle + 1 : 0;
      const begun = trials.begin([...fresh.values()]);
      for (const [i, key] of [...fresh.keys()].entries()) {
        const trial = await begun[i]!;
        byKey.set(key, trial);
        yield trial;
      }
      if (keys.length < list.length) return 'budget';
      given = keys.map((key) => byKey.get(key)!);
    }
  } catch (error) {
    if (signal.aborted) return 'stopped';
    throw error;
  } finally {
    stopped.abort();
    await trials.ended();
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
    if (next.done) {
      const { better } = options.evaluator.objectives[0]!;
      return { trials, best: bestTrial(trials, better), end: next.value };
    }
    trials.push(next.value);
    onTrial?.(next.value);
  }
}

function startOf(options: SearchOptions): SearchRecord {
  const { space, sizes, evaluator, strategy, seed, constraints = [], files = {} } = options;
  return {
    kind: 'search',
    version: LOG_VERSION,
    space: space.name,
    ...(sizes === undefined || Object.keys(sizes).length === 0 ? {} : { sizes }),
    strategy: strategy.name,
    options: strategy.options,
    seed,
    evaluator: evaluator.name,
    objectives: [...evaluator.objectives],
    constraints: constraints.map(({ name }) => name),
    files,
  };
}

/** Gives lists of scores that are in the log from there; the others are written to it. */
function scoresOnce(
  log: SearchLog,
  before: ReadLog,
  subjects: Subjects,
  signal: AbortSignal,
): SearchContext['scores'] {
  let lists = 0;
  return async (scorer, architectures) => {
    const index = lists++;
    const known = before.scores.get(index);
    if (known) {
      if (known.scores.length !== architectures.length) throw diverged(`list ${index} of scores`);
      return decodeScores(known);
    }
    const scores = await scored(scorer, subjects.networks(architectures), signal);
    signal.throwIfAborted();
    await log.append({ kind: 'scores', index, scorer: scorer.name, scores: encodeScores(scores) });
    return scores;
  };
}

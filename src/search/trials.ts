// From proposals to trials: those of the log as they are, the others evaluated, each in the log before it is given.
import { AuspexError } from '../util/errors.js';
import type { EvaluationError, Evaluator, Outcome, Proposal, Trial } from './contract.js';
import { evaluationError } from './evaluating.js';
import type { SearchLog } from './log.js';
import type { Subjects } from './subjects.js';

export interface Numbered extends Proposal {
  readonly index: number;
}

interface Waiting {
  readonly proposal: Numbered;
  readonly trial: Promise<Trial>;
  resolve(trial: Trial): void;
  reject(error: unknown): void;
}

interface TrialsOptions {
  readonly evaluator: Evaluator;
  readonly log: SearchLog;
  /** Of the log, by index. */
  readonly known: ReadonlyMap<number, Trial>;
  readonly subjects: Subjects;
  readonly signal: AbortSignal;
}

export class Trials {
  readonly #options: TrialsOptions;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: TrialsOptions) {
    this.#options = options;
  }

  /** Begins the evaluation of a list, of which the evaluator is asked once. Trials come in any order. */
  begin(proposals: readonly Numbered[]): Promise<Trial>[] {
    const waiting: Waiting[] = [];
    const trials = proposals.map((proposal) => {
      const known = this.#options.known.get(proposal.index);
      if (known !== undefined) return replayed(known, proposal);
      const one = waitingFor(proposal);
      waiting.push(one);
      return one.trial;
    });
    if (waiting.length > 0) this.#running = this.#evaluate(waiting);
    return trials;
  }

  /** When nothing is evaluated any more. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #evaluate(waiting: readonly Waiting[]): Promise<void> {
    const left = new Set(waiting);
    try {
      await this.#evaluateAll(waiting, left);
    } catch (error) {
      for (const one of left) one.reject(error);
    }
  }

  async #evaluateAll(waiting: readonly Waiting[], left: Set<Waiting>): Promise<void> {
    const { evaluator, log, subjects, signal } = this.#options;
    const { length } = evaluator.objectives;
    const keep = async (ended: readonly { one: Waiting; trial: Trial }[]): Promise<void> => {
      if (ended.length === 0) return;
      await log.append(...ended.map(({ trial }) => ({ kind: 'trial' as const, ...trial })));
      for (const { one, trial } of ended) {
        left.delete(one);
        one.resolve(trial);
      }
    };
    let failure: EvaluationError = {
      code: 'EVALUATION_FAILED',
      message: 'the evaluator gave neither a value nor an error',
    };
    signal.throwIfAborted();
    const groups = evaluator.evaluate(
      subjects.networks(waiting.map(({ proposal }) => proposal.arch)),
      signal,
    );
    const iterator = groups[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await iterator.next().catch((error: unknown) => {
          if (signal.aborted) throw error;
          failure = evaluationError(error);
          return { done: true } as const;
        });
        if (next.done) break;
        const ended = next.value.map(({ place, outcome, seconds }) => {
          const one = waiting[place];
          if (one === undefined || !left.has(one)) throw new Error(`${evaluator.name} gave ${place} twice`);
          // An evaluation that was broken off says nothing of its architecture.
          if ('error' in outcome) signal.throwIfAborted();
          return { one, trial: trialOf(one.proposal, checked(outcome, length), seconds) };
        });
        await keep(ended);
      }
    } finally {
      await iterator.return?.();
    }
    await keep([...left].map((one) => ({ one, trial: trialOf(one.proposal, { error: failure }, 0) })));
  }
}

function waitingFor(proposal: Numbered): Waiting {
  let [resolve, reject]: [Waiting['resolve'], Waiting['reject']] = [() => undefined, () => undefined];
  const trial = new Promise<Trial>((...settle) => {
    [resolve, reject] = settle;
  });
  // It may fail before its turn to be awaited comes.
  trial.catch(() => undefined);
  return { proposal, trial, resolve, reject };
}

async function replayed(trial: Trial, { arch }: Proposal): Promise<Trial> {
  if (trial.arch === arch) return trial;
  throw diverged(`trial ${trial.index}`);
}

export function diverged(what: string): AuspexError {
  return new AuspexError('SEARCH_LOG_DIVERGED', `${what} in the log does not match the replayed search`, {
    hint: 'the space, the limits or auspex have changed since the search began; start a new search',
  });
}

/** Values that are as many as expected, and finite. */
function checked(outcome: Outcome, count: number): Outcome {
  if ('error' in outcome) return outcome;
  const { values } = outcome;
  if (values.length !== count) {
    const message = `${count} numbers were expected, ${values.length} came`;
    return { error: { code: 'EVALUATION_OBJECTIVES', message } };
  }
  if (values.every(Number.isFinite)) return outcome;
  return {
    error: { code: 'EVALUATION_NOT_FINITE', message: `the evaluation gave ${values.join(', ')}` },
  };
}

function trialOf({ index, arch, by, parents, round }: Numbered, outcome: Outcome, seconds: number): Trial {
  const how = {
    ...(parents === undefined ? {} : { parents }),
    ...(round === undefined ? {} : { round }),
  };
  const about = { index, arch, by, ...how };
  if ('error' in outcome) return { ...about, seconds, error: outcome.error };
  const { values } = outcome;
  const all = values.length > 1 ? { objectives: [...values] } : {};
  return { ...about, value: values[0]!, ...all, seconds };
}

// What a search writes down: how it began, every list of scores, every trial. Plain JSON; whoever keeps it writes one
// record after another and gives them back.
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { Objective, Trial } from './contract.js';

/** All that the course of a search depends on, but for its evaluator and scorers, of which it has the names. */
export interface SearchRecord {
  readonly kind: 'search';
  readonly version: 1;
  readonly space: string;
  readonly strategy: string;
  readonly options: Readonly<Record<string, number | string | null>>;
  readonly seed: number;
  readonly evaluator: string;
  readonly objectives: readonly Objective[];
  readonly constraints: readonly string[];
  /** Digests of files by name; logs of earlier versions have none. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface ScoresRecord {
  readonly kind: 'scores';
  /** Which list, from 0. */
  readonly index: number;
  readonly scorer: string;
  /** Numbers; those that JSON does not have are texts: `NaN`, `Infinity`, `-Infinity`. */
  readonly scores: readonly (number | string)[];
}

export type TrialRecord = { readonly kind: 'trial' } & Trial;
export type LogRecord = SearchRecord | ScoresRecord | TrialRecord;

/** Where records are kept. */
export interface SearchLog {
  /** What was there when it was opened. */
  readonly records: readonly unknown[];
  /** Once it is done, the record outlives the process. */
  append(record: LogRecord): void | Promise<void>;
}

/** A log that is gone when the process ends. */
export function memoryLog(records: readonly unknown[] = []): SearchLog & { readonly records: unknown[] } {
  const kept = [...records];
  return { records: kept, append: (record) => void kept.push(record) };
}

export interface ReadLog {
  readonly start: SearchRecord | undefined;
  readonly scores: ReadonlyMap<number, ScoresRecord>;
  readonly trials: ReadonlyMap<number, Trial>;
}

/** The records by what they are. */
export function readLog(records: readonly unknown[]): ReadLog {
  const scores = new Map<number, ScoresRecord>();
  const trials = new Map<number, Trial>();
  let start: SearchRecord | undefined;
  records.forEach((record, i) => {
    const known = record as LogRecord | null;
    if (known?.kind === 'search' && i === 0 && known.version === 1) start = known;
    else if (known?.kind === 'scores' && i > 0 && Array.isArray(known.scores)) scores.set(known.index, known);
    else if (known?.kind === 'trial' && i > 0 && typeof known.arch === 'string') {
      const { kind, ...trial } = known;
      trials.set(trial.index, trial);
    } else {
      throw new AuspexError('SEARCH_LOG_DAMAGED', `record ${i + 1} of the search's log is none of a search`, {
        hint: 'begin a new search, or remove what follows the record before it',
      });
    }
  });
  return { start, scores, trials };
}

/** Throws if a log is of a search that takes another course. */
export function expectSame(before: SearchRecord, now: SearchRecord): void {
  for (const name of Object.keys(now) as (keyof SearchRecord)[]) {
    if (name === 'files') continue;
    const [old, wanted] = [JSON.stringify(before[name]), JSON.stringify(now[name])];
    if (old === wanted) continue;
    const shown = [old ?? 'nothing', wanted!].map((text) => printableStart(text, 200));
    throw new AuspexError(
      'SEARCH_LOG_OTHER',
      `the log is of a search with ${name} ${shown[0]}, not ${shown[1]}`,
      {
        hint: 'give what the search began with (only the budget may change), or write to another place',
      },
    );
  }
  expectSameFiles(before, now);
}

/** Throws if a file has another content than when the search began. */
function expectSameFiles(before: SearchRecord, now: SearchRecord): void {
  if (before.files === undefined) return;
  const files = { ...before.files, ...now.files };
  const other = Object.keys(files).find((name) => before.files?.[name] !== now.files?.[name]);
  if (other === undefined) return;
  throw new AuspexError('SEARCH_LOG_OTHER', `${other} is another file than when the search began`, {
    hint: 'give the file that the search began with, or write to another place',
  });
}

export function encodeScores(scores: Float64Array): (number | string)[] {
  return Array.from(scores, (score) => (Number.isFinite(score) ? score : String(score)));
}

export function decodeScores({ scores }: ScoresRecord): Float64Array {
  return Float64Array.from(scores, Number);
}

// What a search writes down: how it began, every list of scores, every trial. Plain JSON; whoever keeps it writes records
// one after another and gives them back.
import * as z from 'zod';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { Trial } from './contract.js';

/** Raised when the same settings lead to other trials, as version 2 did with another use of random numbers. */
export const LOG_VERSION = 2;

const count = z.int().min(0);

/** All that the course of a search depends on. */
const searchRecord = z.object({
  kind: z.literal('search'),
  version: z.literal(LOG_VERSION),
  space: z.string(),
  /** Of networks, where they are not the space's own. */
  sizes: z.record(z.string(), z.unknown()).optional(),
  strategy: z.string(),
  options: z.record(z.string(), z.union([z.number(), z.string(), z.null()])),
  seed: z.number(),
  evaluator: z.string(),
  objectives: z.array(
    z.object({ name: z.string(), better: z.enum(['higher', 'lower']), unit: z.string().optional() }),
  ),
  constraints: z.array(z.string()),
  /** Digests of the files that values and scores come from, by what names them: `--evaluator`, `p.onnx`. */
  files: z.record(z.string(), z.string()),
});

const scoresRecord = z.object({
  kind: z.literal('scores'),
  /** Which list, from 0. */
  index: count,
  scorer: z.string(),
  /** Numbers; those that JSON does not have are texts. */
  scores: z.array(z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])])),
});

const trialRecord = z.object({
  kind: z.literal('trial'),
  index: count,
  arch: z.string(),
  by: z.string(),
  parents: z.array(count).optional(),
  round: count.optional(),
  value: z.number().optional(),
  objectives: z.array(z.number()).optional(),
  seconds: z.number(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

const logRecord = z.discriminatedUnion('kind', [searchRecord, scoresRecord, trialRecord]);

export type SearchRecord = z.infer<typeof searchRecord>;
type ScoresRecord = z.infer<typeof scoresRecord>;
type TrialRecord = { readonly kind: 'trial' } & Trial;
export type LogRecord = SearchRecord | ScoresRecord | TrialRecord;

/** Where records are kept. */
export interface SearchLog {
  /** What was there when it was opened. */
  readonly records: readonly unknown[];
  /** Once it is done, the records outlive the process: all of them, or the first ones. */
  append(...records: readonly LogRecord[]): void | Promise<void>;
}

/** A log that is gone when the process ends. */
export function memoryLog(records: readonly unknown[] = []): SearchLog & { readonly records: unknown[] } {
  const kept = [...records];
  return { records: kept, append: (...more) => void kept.push(...more) };
}

export interface ReadLog {
  readonly start: SearchRecord | undefined;
  readonly scores: ReadonlyMap<number, ScoresRecord>;
  readonly trials: ReadonlyMap<number, Trial>;
}

/**
 * The records by what they are.
 *
 * @throws AuspexError SEARCH_LOG_VERSION, SEARCH_LOG_DAMAGED
 */
export function readLog(records: readonly unknown[]): ReadLog {
  const scores = new Map<number, ScoresRecord>();
  const trials = new Map<number, Trial>();
  let start: SearchRecord | undefined;
  expectVersion(records[0]);
  records.forEach((record, i) => {
    const { data } = logRecord.safeParse(record);
    if (data === undefined || (data.kind === 'search') !== (i === 0)) {
      throw new AuspexError('SEARCH_LOG_DAMAGED', `record ${i + 1} of the search log is invalid`, {
        hint: 'remove it and all that follow, or start a new search in another folder',
      });
    }
    if (data.kind === 'search') start = data;
    else if (data.kind === 'scores') scores.set(data.index, data);
    else {
      const { kind: _, ...trial } = data;
      trials.set(trial.index, trial);
    }
  });
  return { start, scores, trials };
}

/**
 * Refuses the first record of a log of another version.
 *
 * @throws AuspexError SEARCH_LOG_VERSION
 */
export function expectVersion(first: unknown): void {
  const { data } = z.object({ kind: z.literal('search'), version: z.number() }).safeParse(first);
  if (data === undefined || data.version === LOG_VERSION) return;
  const which = data.version < LOG_VERSION ? 'an earlier' : 'a later';
  throw new AuspexError('SEARCH_LOG_VERSION', `the search log was written by ${which} version of auspex`, {
    hint: 'finish it with that version or start a new search in another folder',
  });
}

/** Throws if a log is of a search that takes another course. */
export function expectSame(before: SearchRecord, now: SearchRecord): void {
  const names = Object.keys(searchRecord.shape) as (keyof SearchRecord)[];
  for (const name of names) {
    if (name === 'files') continue;
    const [old, wanted] = [before[name], now[name]].map((value) => JSON.stringify(value) ?? 'nothing');
    if (old === wanted) continue;
    const shown = [old, wanted].map((text) => printableStart(text!, 200));
    throw new AuspexError(
      'SEARCH_LOG_OTHER',
      `the log belongs to a search with ${name} ${shown[0]}, not ${shown[1]}`,
      { hint: 'repeat the settings of that search (only the budget may change), or use another folder' },
    );
  }
  expectSameFiles(before.files, now.files);
}

/** Throws if a file has another content than when the search began. */
function expectSameFiles(before: SearchRecord['files'], now: SearchRecord['files']): void {
  const other = Object.keys({ ...before, ...now }).find((name) => before[name] !== now[name]);
  if (other === undefined) return;
  throw new AuspexError('SEARCH_LOG_OTHER', `the file of ${other} has changed since the search began`, {
    hint: 'restore the original file, or start a new search in another folder',
  });
}

export function encodeScores(scores: Float64Array): ScoresRecord['scores'] {
  return Array.from(scores, (score) =>
    Number.isFinite(score) ? score : (String(score) as 'NaN' | 'Infinity' | '-Infinity'),
  );
}

export function decodeScores({ scores }: ScoresRecord): Float64Array {
  return Float64Array.from(scores, Number);
}

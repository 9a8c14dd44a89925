// The list of models that are known to stay unknown, with the reason for each. Inference may not get worse
// than the list, and the list may not stay behind inference.
import { readFileSync } from 'node:fs';
import type { Verdict } from './compare.js';

/** One entry of the file: models that stay unknown for the same reason. */
export interface UnknownEntry {
  readonly reason: string;
  /** Such as `node/test_nonmaxsuppression_limit_output_size`. */
  readonly models: readonly string[];
}

export function readUnknowns(path: string): readonly UnknownEntry[] {
  return JSON.parse(readFileSync(path, 'utf8')) as readonly UnknownEntry[];
}

export interface UnknownChanges {
  /** Unknown now, but not on the list. */
  readonly unlisted: readonly string[];
  /** On the list, but not unknown any more. */
  readonly outdated: readonly string[];
}

/** Compares verdicts by model with the list; models that did not run are left alone. */
export function compareUnknowns(
  verdicts: ReadonlyMap<string, Verdict>,
  entries: readonly UnknownEntry[],
): UnknownChanges {
  const listed = new Set(entries.flatMap(({ models }) => models));
  const found = [...verdicts];
  return {
    unlisted: found.filter(([id, v]) => v === 'unknown' && !listed.has(id)).map(([id]) => id),
    outdated: found.filter(([id, v]) => v !== 'unknown' && listed.has(id)).map(([id]) => id),
  };
}

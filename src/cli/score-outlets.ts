// Where commands that score networks write, and what they say beside the result.

import { problemText } from '../app/problem.js';
import { isScored } from '../app/score/record.js';
import type { ScoreFound, ScoreOptions } from '../app/score/score.js';
import { printable } from '../util/printable.js';
import { print } from './command.js';
import { progressLine } from './progress.js';
import { terminalWidth, wrapLines } from './text/format.js';

/** Where the commands write: others in tests. */
export interface Outlets {
  readonly write: (text: string) => void;
  /** What is said beside the result. */
  readonly note: (text: string) => void;
  readonly exit: (code: number) => void;
  /** Of the terminal. */
  readonly width?: number;
}

export const OUTLETS: Outlets = {
  write: print,
  note: (text) => void process.stderr.write(`${wrapLines(text)}\n`),
  exit: (code) => {
    process.exitCode = code;
  },
};

/** How wide what a command writes may be. */
export function widthOf({ width = terminalWidth() }: Outlets): number {
  return width;
}

/** Runs work that reports how many networks are done. */
export async function withProgress<T>(
  title: string,
  work: (progress: NonNullable<ScoreOptions['progress']>) => Promise<T>,
): Promise<T> {
  const line = progressLine(title.length > 40 ? 'proxy' : title);
  try {
    return await work((done, all) => {
      if (all > 1) line.report(done / all, `${Math.floor(done)} of ${all}`);
      else if (process.stderr.isTTY) line.report(done, '');
    });
  } finally {
    line.end();
  }
}

/** Says which networks failed and whether the work was stopped. */
export function noteProblems({ records, given, output, columns }: ScoreFound, { note }: Outlets): void {
  const isDone = (record: (typeof records)[number]): boolean =>
    columns.length === 0 ? record.explanation !== undefined : isScored(record);
  const failed = records.filter((record) => !isDone(record));
  const [first] = failed;
  if (first !== undefined) {
    const problem = first.error ?? Object.values(first.errors ?? {})[0];
    const what = columns.length === 0 ? 'explained' : 'scored';
    const count =
      given === 1 ? '' : `${failed.length} of ${records.length} networks could not be ${what}; first error: `;
    const hint = problem?.hint === undefined ? '' : `\n  try: ${problem.hint}`;
    note(`${count}${printable(first.network)}: ${printable(problemText(problem))}${hint}`);
  }
  if (records.length < given) {
    const hint = output === null ? '' : `; the same command with --resume continues ${output}`;
    note(`stopped after ${records.length} of ${given} networks${hint}`);
  }
}

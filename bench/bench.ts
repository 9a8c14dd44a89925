// What a benchmark is: rows to compare, and our side of them, which runs in a process of its own.
import type { ParseArgsConfig } from 'node:util';
import type { Command } from './answerer.js';
import type { Row } from './blocks.js';

export type Given = Readonly<Record<string, string | undefined>>;

export interface Options {
  readonly values: Given;
  readonly files: readonly string[];
}

export interface Bench {
  /** Of the command line, beside those of all benchmarks; all are texts. */
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  /** Said when files are missing. */
  readonly usage?: string;
  /**
   * @param side the command that starts our side with these options
   * @param folder for files that both sides read; it is removed in the end
   */
  rows(options: Options, side: Command, folder: string): Promise<readonly Row[]>;
  /** Our side: what a line is answered with, in milliseconds. */
  side(options: Options): Promise<(line: string) => Promise<number>>;
}

/** Milliseconds of something. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** A problem for both sides: numbers from 0 to 1 by a generator that is quickly written in any language. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

// Shared by commands that choose rows of a table, and by those that train: options, and what they say.
import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EQUALITIES } from '../app/arch-keys.js';
import type { RecipeChanges } from '../predictors/kind.js';
import { positive, threadCount, wholeNumber } from './command.js';

/** Which rows of a table stay together. */
export function withTogether(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--equal <what>',
        'keep architectures together that have the same text, or compute the same function',
      )
        .choices([...EQUALITIES])
        .default('text'),
    )
    .option('--group <column>', 'keep rows with the same value of this column together');
}

/** What a training is told of its steps. */
export interface StepFlags {
  steps?: number;
  members?: number;
  batch?: number;
  rate?: number;
  seed: number;
  threads: number;
  resume?: true;
  json?: true;
}

export function withSteps(
  command: Command,
  seeded: string,
  defaults: Pick<RecipeChanges, 'steps' | 'rate'> = {},
): Command {
  return command
    .option('--steps <n>', 'optimiser steps', wholeNumber, defaults.steps)
    .option('--rate <number>', 'learning rate', positive, defaults.rate)
    .option('--batch <n>', 'rows per step', wholeNumber)
    .option('--members <n>', 'ensemble members; the prediction is their mean', wholeNumber)
    .option('--seed <n>', seeded, wholeNumber, 0)
    .option('--threads <n>', 'number of threads', threadCount, Math.min(availableParallelism(), 8))
    .option('--resume', 'continue an interrupted training')
    .option('--json', 'print JSON');
}

/** Those of the flags that were given, as changes of a recipe. */
export function changesOf({ steps, members, batch, rate }: Partial<StepFlags>): RecipeChanges {
  return Object.fromEntries(
    Object.entries({ steps, members, batch, rate }).filter(([, value]) => value !== undefined),
  );
}

export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The error is thrown below.
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}

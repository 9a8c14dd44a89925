// Shared by all commands: numeric options, and printing.
import { type Command, InvalidArgumentError } from 'commander';

/** A count or a seed. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 2 ** 32 - 1) return value;
  throw new InvalidArgumentError('It must be a whole number below 2^32.');
}

/** Threads or workers: more than a few times the cores only slow down. */
export function threadCount(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= MOST_THREADS) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_THREADS}.`);
}

const MOST_THREADS = 256;

/** For every command that writes files; see `checkOutputs`. */
export function withForce(command: Command): Command {
  return command.option('--force', 'overwrite existing files of any kind');
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A rate, a weight: any number above 0. */
export function positive(text: string): number {
  const value = Number(text);
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

/** Names separated by commas. */
export function names(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

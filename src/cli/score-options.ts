// The options of everything that scores networks, what they say, and where the commands write.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GivenInput, ScoringRequest } from '../app/score/plan.js';
import { isScored, problemText } from '../app/score/record.js';
import type { ScoreFound, ScoreOptions } from '../app/score/score.js';
import { LOSS_KINDS } from '../proxies/index.js';
import type { PlannedOutput } from '../store/outputs.js';
import { AuspexError } from '../util/errors.js';
import { printable } from '../util/printable.js';
import { names, print, wholeNumber, withForce } from './command.js';
import { progressLine } from './progress.js';
import { atLeastOne, type SizeFlags, sizesFrom, withSizes } from './size-options.js';
import { terminalWidth, wrapLines } from './text/format.js';

export interface ScoringFlags extends SizeFlags {
  proxies?: string[];
  seed: number;
  init: 'file' | 'seeded';
  inputs?: GivenInput[];
  targets?: string;
  images?: string;
  mean?: number[];
  std?: number[];
  weights?: string[];
  features?: string;
  logits?: string;
  loss?: ScoringRequest['loss'];
  vocabulary?: number;
  statistics?: 'batch' | 'frozen';
  output?: string;
  resume?: true;
  force?: true;
  workers: number;
  threads?: number;
  memory?: number;
  timeout?: number;
  json?: true;
}

export function withScoring(command: Command): Command {
  command.option('--seed <n>', 'random seed for weights, inputs and labels', wholeNumber, 0);
  withSizes(command, "batch size (16, or the file's own if it is fixed)")
    .addOption(
      new Option('--init <how>', "use the file's weights, or draw new ones")
        .choices(['file', 'seeded'])
        .default('file'),
    )
    .option('--inputs <[name=]file>', '.npy array of input samples (repeatable; default: random)', input)
    .option('--targets <file>', '.npy array of the classes of the samples')
    .option('--images <folder>', 'use images as inputs; subfolders are classes')
    .option('--mean <numbers>', 'mean to subtract from images (0.485,0.456,0.406)', perColour)
    .option('--std <numbers>', 'standard deviation to divide images by (0.229,0.224,0.225)', perColour)
    .option('--weights <names>', 'weights to score (default: found automatically)', names)
    .option('--features <value>', 'output of the last block (default: found automatically)')
    .option('--logits <output>', 'score this output only, as logits (default: all float outputs)')
    .addOption(
      new Option('--loss <which>', 'loss of the outputs (default: auto, what fits each output)').choices([
        'auto',
        ...LOSS_KINDS,
      ]),
    )
    .option('--vocabulary <n>', 'vocabulary size, if the model has no embedding', atLeastOne)
    .addOption(
      new Option('--statistics <which>', 'statistics for batch normalisation (batch)').choices([
        'batch',
        'frozen',
      ]),
    )
    .option('-o, --output <file>', 'write scores to a log, one JSON line per network')
    .option('--resume', 'continue the log of an interrupted run')
    .option('--workers <n>', 'networks to score in parallel', atLeastOne, 1)
    .option('--memory <size>', 'memory that scoring may take: 8GB (60% of what there is)', bytes)
    .option('--timeout <seconds>', 'give up on a network after this time', positive)
    .option('--threads <n>', 'threads per network (default: all, divided among workers)', atLeastOne)
    .option('--json', 'print JSON');
  return withForce(command);
}

/** What the flags ask for. @throws AuspexError BAD_OPTION */
export function requestFrom(flags: ScoringFlags): ScoringRequest {
  if (flags.resume && flags.output === undefined) {
    throw new AuspexError('BAD_OPTION', '--resume requires -o FILE');
  }
  const { seed, init, inputs, targets, images, mean, std, weights, features, logits } = flags;
  const { loss, vocabulary, statistics } = flags;
  return {
    ...{ seed, init, sizes: sizesFrom(flags), inputs, targets, images, mean, std },
    ...{ weights, features, logits, loss, vocabulary, statistics },
  };
}

/** How the flags want it done: beside the plan, the networks and the signal. */
export function runOptions(
  flags: ScoringFlags,
): Pick<ScoreOptions, 'log' | 'workers' | 'threads' | 'memory' | 'timeout'> {
  const { output, resume = false, force = false, workers, threads, memory, timeout } = flags;
  const log = output === undefined ? undefined : { path: output, resume, replace: force && !resume };
  return { log, workers, threads, memory, timeout };
}

/** The log, if there is to be one. */
export function logOutput({ output, resume }: ScoringFlags): PlannedOutput[] {
  return output === undefined ? [] : [{ path: output, kind: 'log', isContinued: resume }];
}

/** Files that scores depend on, other than networks. */
export function sampleFiles({ inputs = [], targets }: ScoringFlags): (string | undefined)[] {
  return [...inputs.map(({ file }) => file), targets];
}

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

function input(text: string, before: GivenInput[] = []): GivenInput[] {
  const at = text.lastIndexOf('=');
  return [...before, at > 0 ? { name: text.slice(0, at), file: text.slice(at + 1) } : { file: text }];
}

function perColour(text: string): number[] {
  const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if ([1, 3].includes(values.length) && values.every(Number.isFinite)) return values;
  throw new InvalidArgumentError('It must be one number, or three numbers separated by commas.');
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** `8GB`, `500 MB`, or a number of bytes. */
function bytes(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?$/i.exec(text.trim()) ?? [];
  if (number === '') throw new InvalidArgumentError('It must be a size such as 8GB or 500MB.');
  return Math.round(Number(number) * UNITS[unit.toUpperCase()]!);
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

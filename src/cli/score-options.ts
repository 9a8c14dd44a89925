// The options of everything that scores networks, and what they say.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GivenInput, ScoringRequest } from '../app/score/plan.js';
import type { ScoreOptions } from '../app/score/score.js';
import { LOSS_KINDS } from '../proxies/index.js';
import type { PlannedOutput } from '../store/outputs.js';
import { AuspexError } from '../util/errors.js';
import { names, threadCount, wholeNumber, withForce } from './command.js';
import { atLeastOne, type SizeFlags, sizesFrom, withSizes } from './size-options.js';

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
    .option('--workers <n>', 'networks to score in parallel', threadCount, 1)
    .option('--memory <size>', 'memory that scoring may take: 8GB (2.5 GB, more if needed)', bytes)
    .option('--timeout <seconds>', 'give up on a network after this time', positive)
    .option('--threads <n>', 'threads per network (default: all, divided among workers)', threadCount)
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
export function bytes(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?$/i.exec(text.trim()) ?? [];
  if (number === '') throw new InvalidArgumentError('It must be a size such as 8GB or 500MB.');
  return Math.round(Number(number) * UNITS[unit.toUpperCase()]!);
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

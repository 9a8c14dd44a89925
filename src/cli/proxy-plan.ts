// What `auspex proxy` and its parts are asked for: which proxies, how networks are built and what they are scored on. A
// plan is plain data: it goes to workers and into logs.
import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { COMBINATIONS, combinationNamed, PROXIES, requestNamed } from '../proxies/index.js';
import type { PlannedOutput } from '../store/outputs.js';
import { AuspexError } from '../util/errors.js';
import { print, wholeNumber, withForce } from './command.js';
import { names } from './data-options.js';
import { wrapLines } from './format.js';
import { parseDimension, parseShape } from './size-options.js';

/** A file with values of an input; of the first one where no name is given. */
export interface GivenInput {
  readonly name?: string;
  readonly file: string;
}

/** Images to score on, and how their samples of 0..1 are normalised: numbers for all colours, or one each. */
export interface GivenImages {
  readonly folder: string;
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/** Of ImageNet, in red, green and blue: what networks for photographs are mostly trained with. */
const IMAGENET = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] } as const;

/** Samples at once of networks that a space builds, as of files that leave it open. */
export const BATCH = 16;

/** All that scores depend on. */
export interface ScoringPlan {
  /** Null: networks are paths of ONNX files. */
  readonly space: string | null;
  /** As `requestNamed` takes them. */
  readonly proxies: readonly string[];
  readonly seed: number;
  readonly init: 'file' | 'seeded';
  readonly batch?: number;
  readonly resolution?: number;
  readonly width?: number;
  readonly classes?: number;
  readonly dims?: Readonly<Record<string, number>>;
  readonly shapes?: Readonly<Record<string, readonly (number | string)[]>>;
  readonly inputs?: readonly GivenInput[];
  readonly targets?: string;
  readonly images?: GivenImages;
  readonly weights?: readonly string[];
  readonly features?: string;
  readonly logits?: string;
  readonly vocabulary?: number;
  readonly statistics?: 'batch' | 'frozen';
}

/** A proxy or a combination, as a column of numbers. */
export interface ProxyColumn {
  readonly name: string;
  readonly title: string;
  readonly better: 'higher' | 'lower';
  /** The scores it is made of, by the names of plans. */
  readonly members: readonly string[];
  /** Of a combination: from one list of scores a member. */
  readonly combine?: (scores: readonly (readonly (number | undefined)[])[]) => (number | undefined)[];
}

/** What names stand for; `all` for all proxies and named combinations. */
export function columnsNamed(texts: readonly string[]): ProxyColumn[] {
  const all = [...PROXIES.map((proxy) => proxy.name), ...Object.keys(COMBINATIONS)];
  const wanted = texts.flatMap((text) => (text === 'all' ? all : [text]));
  return [...new Set(wanted)].map(columnNamed);
}

function columnNamed(name: string): ProxyColumn {
  if (!name.includes('+') && !Object.hasOwn(COMBINATIONS, name)) {
    const { title, better } = requestNamed(name).proxy;
    return { name, title, better, members: [name] };
  }
  const { members, combine } = combinationNamed(name);
  return {
    name,
    title: name.includes('+') ? 'mean rank' : name.toUpperCase(),
    better: 'higher',
    members: members.map(({ proxy, variant }) => (variant ? `${proxy.name}:${variant}` : proxy.name)),
    combine,
  };
}

/** The scores that columns are made of, each once. */
export function partsOf(columns: readonly ProxyColumn[]): string[] {
  return [...new Set(columns.flatMap(({ members }) => members))];
}

/** One number a network for every column. */
export function columnValues(
  columns: readonly ProxyColumn[],
  scores: readonly Readonly<Record<string, number>>[],
): (number | undefined)[][] {
  return columns.map(({ members, combine }) => {
    const lists = members.map((member) => scores.map((of) => of[member]));
    return combine ? combine(lists) : lists[0]!;
  });
}

/** Flags of everything that scores networks. */
export interface ScoringFlags {
  proxies?: string[];
  seed: number;
  init: 'file' | 'seeded';
  batch?: number;
  resolution?: number;
  width?: number;
  classes?: number;
  dim?: Record<string, number>;
  shape?: Record<string, (number | string)[]>;
  inputs?: GivenInput[];
  targets?: string;
  images?: string;
  mean?: number[];
  std?: number[];
  weights?: string[];
  features?: string;
  logits?: string;
  vocabulary?: number;
  statistics?: 'batch' | 'frozen';
  output?: string;
  resume?: true;
  force?: true;
  workers: number;
  threads?: number;
  json?: true;
}

export function withScoring(command: Command): Command {
  return withForce(command)
    .option('--seed <n>', 'of weights, inputs and labels that are drawn', wholeNumber, 0)
    .option('--batch <n>', 'samples at once (16; a file with a fixed one: its own)', atLeastOne)
    .addOption(
      new Option('--init <how>', 'weights as they are, or drawn anew')
        .choices(['file', 'seeded'])
        .default('file'),
    )
    .option('--inputs <[name=]file>', 'an .npy array of samples instead of drawn ones (repeatable)', input)
    .option('--targets <file>', 'an .npy array of their classes')
    .option('--images <folder>', 'images instead of drawn inputs; subfolders are classes')
    .option('--mean <numbers>', 'of images: what is subtracted (0.485,0.456,0.406)', perColour)
    .option('--std <numbers>', 'of images: what they are divided by (0.229,0.224,0.225)', perColour)
    .option('--resolution <n>', 'of a space: side of images, or tokens', atLeastOne)
    .option('--width <factor>', 'of a space: widths of hidden layers, times the paper’s', factor)
    .option('--classes <n>', 'of a space: classes, or size of the vocabulary', atLeastOne)
    .option('--dim <name=size>', 'a symbolic dimension of files (repeatable)', parseDimension)
    .option('--shape <input=dims>', 'the shape of an input of files (repeatable)', parseShape)
    .option('--weights <names>', 'the weights that count, instead of those found', names)
    .option('--features <value>', 'the output of the last block, instead of the one found')
    .option('--logits <output>', 'the output that is logits (the first of floats)')
    .option('--vocabulary <n>', 'tokens, where no embedding tells', atLeastOne)
    .addOption(
      new Option('--statistics <which>', "batch normalisation by the batch's own, or frozen").choices([
        'batch',
        'frozen',
      ]),
    )
    .option('-o, --output <file>', 'write scores as they come, one JSON line a network')
    .option('--resume', 'go on with that file')
    .option('--workers <n>', 'networks at once', atLeastOne, 1)
    .option('--threads <n>', 'threads of each (all, or an even share)', atLeastOne)
    .option('--json', 'print JSON');
}

/** @param space null for ONNX files. */
export function planOf(
  flags: ScoringFlags,
  space: string | null,
  columns: readonly ProxyColumn[],
): ScoringPlan {
  const { seed, init, batch, resolution, width, classes, dim, shape, inputs, targets } = flags;
  const { weights, features, logits, vocabulary, statistics } = flags;
  if (flags.resume && flags.output === undefined) {
    throw new AuspexError('BAD_OPTION', '--resume goes on with a file, which -o names');
  }
  if (targets !== undefined && inputs === undefined) {
    throw new AuspexError('BAD_OPTION', '--targets are the classes of samples, which --inputs gives');
  }
  const images = imagesOf(flags);
  const ofSpace = { resolution, width, classes };
  const ofFiles = { dim, shape };
  for (const [name, value] of Object.entries(space === null ? ofSpace : ofFiles)) {
    if (value === undefined) continue;
    const what = space === null ? 'networks of a space' : 'ONNX files';
    throw new AuspexError('BAD_OPTION', `--${name} is for ${what}`);
  }
  const optional = { batch, ...ofSpace, dims: dim, shapes: shape, inputs, targets, images };
  const all = { ...optional, weights, features, logits, vocabulary, statistics };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return { space, proxies: partsOf(columns), seed, init, ...given };
}

function imagesOf({ images, mean, std, inputs }: ScoringFlags): GivenImages | undefined {
  if (images === undefined) {
    if (mean === undefined && std === undefined) return undefined;
    throw new AuspexError('BAD_OPTION', '--mean and --std are of images, which --images gives');
  }
  if (inputs !== undefined) {
    throw new AuspexError('BAD_OPTION', '--images and --inputs both give samples; choose one');
  }
  if (std?.some((value) => value <= 0)) throw new AuspexError('BAD_OPTION', '--std must be above 0');
  return { folder: images, mean: mean ?? IMAGENET.mean, std: std ?? IMAGENET.std };
}

/** The log, if there is to be one. */
export function logOutput({ output, resume }: ScoringFlags): PlannedOutput[] {
  return output === undefined ? [] : [{ path: output, kind: 'log', isContinued: resume }];
}

/** Files that scores depend on, other than networks. */
export function sampleFiles({ inputs = [], targets }: ScoringFlags): (string | undefined)[] {
  return [...inputs.map(({ file }) => file), targets];
}

/** Threads of one of several workers; undefined: as many as ONNX Runtime takes. */
export function threadsOf({
  threads,
  workers,
}: Pick<ScoringFlags, 'threads' | 'workers'>): number | undefined {
  if (threads !== undefined || workers === 1) return threads;
  return Math.max(1, Math.floor(availableParallelism() / workers));
}

/** Where the commands write: others in tests. */
export interface Outlets {
  readonly write: (text: string) => void;
  /** What is said beside the result. */
  readonly note: (text: string) => void;
  readonly exit: (code: number) => void;
}

export const OUTLETS: Outlets = {
  write: print,
  note: (text) => void process.stderr.write(`${wrapLines(text)}\n`),
  exit: (code) => {
    process.exitCode = code;
  },
};

function input(text: string, before: GivenInput[] = []): GivenInput[] {
  const at = text.lastIndexOf('=');
  return [...before, at > 0 ? { name: text.slice(0, at), file: text.slice(at + 1) } : { file: text }];
}

function perColour(text: string): number[] {
  const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if ([1, 3].includes(values.length) && values.every(Number.isFinite)) return values;
  throw new InvalidArgumentError('It must be one number, or three with commas between.');
}

function atLeastOne(text: string): number {
  const value = wholeNumber(text);
  if (value >= 1 && value <= 65_536) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 to 65536.');
}

function factor(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 64) return value;
  throw new InvalidArgumentError('It must be a number above 0, up to 64.');
}

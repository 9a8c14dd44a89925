// Options of `auspex measure`: lists that make a grid, and when to stop.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { MeasureRequest } from '../app/measure/measure.js';
import type { GridOptions } from '../measure/grid.js';
import type { Optimization } from '../measure/protocol.js';
import type { Clock } from '../measure/regression.js';
import { FEWEST, STOPPING } from '../measure/stopping.js';
import { AuspexError } from '../util/errors.js';
import { names, positive, threadCount, wholeNumber } from './command.js';
import { bytes } from './score-options.js';
import { atLeastOne, parseDimension, parseShape, type SizeFlags, sizesFrom } from './size-options.js';

export interface MeasureFlags extends Pick<SizeFlags, 'resolution' | 'width' | 'classes'> {
  batch?: number[];
  shape?: Record<string, (number | string)[][]>;
  dim?: Record<string, number[]>;
  threads?: number[];
  provider?: string[];
  graphOptimization?: Optimization[];
  feed?: Record<string, string>;
  seed: number;
  precision: number;
  runs?: number;
  maxTime: number;
  processes?: number;
  timeout: number;
  memory?: number;
  profile?: true;
  fusions?: true;
  runner?: string;
  baseline?: string;
  failIfSlower?: number;
  clock: Clock;
  input?: string;
  space?: string;
  db?: string | false;
  json?: true;
}

const OPTIMIZATIONS: readonly Optimization[] = ['disabled', 'basic', 'extended', 'all'];
const COMPARED_PROCESSES = 5;

export function withMeasuring(command: Command): Command {
  return command
    .option('--batch <sizes>', 'batch sizes: 1,8,32', listOf(atLeastOne))
    .option('--shape <input=shapes>', 'shapes of an input: x=1x3x224x224,1x3x384x384', shapes)
    .option('--dim <name=sizes>', 'sizes of a symbolic dimension: seq=64,128', dims)
    .option('--resolution <n>', 'side of input images, or number of tokens', atLeastOne)
    .option('--threads <numbers>', 'threads of ONNX Runtime: 1,2 (default: 1)', listOf(threadCount))
    .option('--provider <names>', 'execution providers (default: cpu)', names)
    .option('--graph-optimization <levels>', `${OPTIMIZATIONS.join(', ')} (default: all)`, levels)
    .option('--feed <input=file>', 'take an input from a .npy file (repeatable)', feed)
    .option('--seed <n>', 'random seed of the other inputs', wholeNumber, 0)
    .option('--precision <share>', 'run until the median is known this well', share, STOPPING.precision)
    .option('--max-time <seconds>', 'or until this time has passed', positive, STOPPING.seconds)
    .option('--runs <n>', 'run exactly so often instead', atLeastOne)
    .option('--processes <n>', 'processes per measurement (default: 1; 5 with --baseline)', threadCount)
    .option('--timeout <seconds>', 'stop a process after this time', positive, 300)
    .option('--memory <size>', 'memory that a process may take: 8GB (90% of what is free)', bytes)
    .option('--profile', 'time per operator, block and node')
    .option('--fusions', 'list which nodes run as one kernel; implies --profile')
    .option('--runner <command>', "measure elsewhere: './on-phone.sh {onnx} {runs}'")
    .option('--baseline <file>', 'JSON of an earlier run, or a network, to compare with')
    .option('--fail-if-slower <share>', 'exit with 1 if slower by more: 5%', share)
    .addOption(
      new Option('--clock <clock>', 'time that is compared with the baseline')
        .choices(['wall', 'cpu'])
        .default('wall'),
    )
    .option('--input <file>', 'networks, one per line; - for standard input')
    .option('--space <name>', 'search space, where the architecture fits several')
    .option('--db <file>', 'database that measurements are added to (AUSPEX_DB, or in ~/.local/share)')
    .option('--no-db', 'do not store measurements')
    .option('--json', 'print JSON');
}

/** What the flags ask for. @throws AuspexError BAD_OPTION */
export function measureRequestFrom(refs: readonly string[], flags: MeasureFlags): MeasureRequest {
  const { runs, precision, maxTime, runner, baseline, failIfSlower, clock, memory } = flags;
  if (failIfSlower !== undefined && baseline === undefined) {
    throw new AuspexError('BAD_OPTION', '--fail-if-slower needs something to compare with', {
      hint: 'add --baseline run.json, or --baseline other.onnx',
    });
  }
  if (runner !== undefined && (flags.profile || flags.fusions)) {
    throw new AuspexError('BAD_OPTION', 'a runner prints times only, so there is nothing to profile', {
      hint: 'leave out --profile, or --runner',
    });
  }
  const exactly = runs === undefined ? {} : { leastRuns: runs, mostRuns: runs, seconds: flags.timeout };
  return {
    refs,
    input: flags.input,
    space: flags.space,
    grid: gridFrom(flags),
    rule: { ...STOPPING, precision, seconds: maxTime, ...exactly },
    processes: flags.processes ?? (baseline === undefined ? 1 : COMPARED_PROCESSES),
    seed: flags.seed,
    feeds: flags.feed ?? {},
    timeoutSeconds: flags.timeout,
    memoryBytes: memory,
    isProfiled: flags.profile === true || flags.fusions === true,
    runner:
      runner === undefined
        ? undefined
        : { command: runner, runs: runs ?? Math.max(FEWEST, STOPPING.leastRuns) },
    baseline: baseline === undefined ? undefined : { ref: baseline, limit: failIfSlower ?? 0, clock },
  };
}

function gridFrom(flags: MeasureFlags): GridOptions {
  const { batch, shape, dim, threads, provider, graphOptimization } = flags;
  const { resolution, width, classes } = flags;
  return {
    ...(batch ? { batches: batch } : {}),
    ...(shape ? { shapes: shape } : {}),
    ...(dim ? { dims: dim } : {}),
    ...(threads ? { threads } : {}),
    ...(provider ? { providers: provider } : {}),
    ...(graphOptimization ? { optimizations: graphOptimization } : {}),
    sizes: sizesFrom({
      ...(resolution === undefined ? {} : { resolution }),
      ...(width === undefined ? {} : { width }),
      ...(classes === undefined ? {} : { classes }),
    }),
  };
}

function listOf<T>(parse: (text: string) => T): (text: string) => T[] {
  return (text) => names(text).map(parse);
}

/** `5%` or `0.05`. */
function share(text: string): number {
  const [, digits, sign] = /^([\d.]+)(%?)$/.exec(text) ?? [];
  const value = Number(digits) / (sign === '%' ? 100 : 1);
  if (digits !== undefined && value > 0 && value < 10) return value;
  throw new InvalidArgumentError('It must be a share above 0, such as 5% or 0.05.');
}

function levels(text: string): Optimization[] {
  return names(text).map((name) => {
    const level = OPTIMIZATIONS.find((known) => known === name);
    if (level !== undefined) return level;
    throw new InvalidArgumentError(`It must be of ${OPTIMIZATIONS.join(', ')}.`);
  });
}

/** `x=1x3x224x224,1x3x384x384`; a single `x=1,3,224,224` is one shape, as in other commands. */
function shapes(text: string, before: MeasureFlags['shape'] = {}): Required<MeasureFlags>['shape'] {
  const at = text.lastIndexOf('=');
  const list = text.slice(at + 1).split(',');
  const isList = at > 0 && list.length > 1 && list.every((part) => /^\d+(x\d+)+$/.test(part));
  const parts = isList ? list.map((part) => `${text.slice(0, at + 1)}${part}`) : [text];
  const all = parts.map((part) => Object.entries(parseShape(part, undefined))[0]!);
  return { ...before, [all[0]![0]]: all.map(([, shape]) => shape) };
}

function dims(text: string, before: MeasureFlags['dim'] = {}): Required<MeasureFlags>['dim'] {
  const at = text.lastIndexOf('=');
  const parts = at > 0 ? names(text.slice(at + 1)).map((size) => `${text.slice(0, at + 1)}${size}`) : [text];
  const all = parts.map((part) => Object.entries(parseDimension(part, undefined))[0]!);
  return { ...before, [all[0]![0]]: all.map(([, size]) => size) };
}

function feed(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at > 0) return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  throw new AuspexError('BAD_OPTION', `--feed ${text} has no '='`, {
    hint: 'write it as in --feed image=images.npy',
  });
}

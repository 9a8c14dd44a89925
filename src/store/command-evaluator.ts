// A user's own command as evaluator: it gets a network as an ONNX file and prints numbers.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model } from '../graph/graph.js';
import type { Network } from '../networks/index.js';
import { writeModel } from '../onnx/file.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';

interface CommandObjective {
  readonly name: string;
  readonly better: 'higher' | 'lower';
  readonly unit?: string;
}

/** What evaluates one network at a time; several can run at once, each with files of its own. */
interface CommandEvaluator {
  /** The command. */
  readonly name: string;
  readonly objectives: readonly CommandObjective[];
  /** A number for every objective. */
  evaluate(network: Network, signal: AbortSignal): Promise<readonly number[]>;
}

export interface CommandOptions {
  /**
   * Run by `/bin/sh`. In it, `{onnx}` is the path of the network and `{arch}` its text, both quoted. The environment
   * has them as `AUSPEX_ONNX` and `AUSPEX_ARCH`.
   */
  readonly command: string;
  /** What its numbers are, in the order in which they are printed: the last that it prints are taken. */
  readonly objectives: readonly CommandObjective[];
  /** What is written for a network; its model by default. */
  readonly model?: (network: Network) => Model;
  /** After this it is ended, with all that it started. An hour by default. */
  readonly timeoutSeconds?: number;
  /** How often it is tried again after it failed; not after it took too long. 0 by default. */
  readonly retries?: number;
  /** Where networks are written while the command runs; the system's folder for temporary files by default. */
  readonly folder?: string;
}

const DEFAULTS = { timeoutSeconds: 3600, retries: 0, folder: tmpdir() } as const;

/** How long a command has to end itself when it is told to. */
const GRACE_MS = 2000;

/** The end of what a command prints, of which numbers and complaints are read. */
const KEPT_CHARACTERS = 65_536;
const SHOWN_CHARACTERS = 300;

/** A timer takes no more milliseconds than 32 bits hold. */
const MAX_TIMEOUT_SECONDS = 2_147_483;

const NUMBER = /(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|nan|inf(?:inity)?)(?![\w.])/gi;

/** The numbers of a text, `nan` and `inf` among them, in order. A number in a word such as `layer3` is none. */
export function numbersOf(text: string): number[] {
  return (text.match(NUMBER) ?? []).map((found) => {
    const [, sign, name] = /^([-+]?)(nan|inf)/i.exec(found) ?? [];
    if (name === undefined) return Number(found);
    if (name.toLowerCase() === 'nan') return Number.NaN;
    return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  });
}

/**
 * What runs a command for a network; `oneByOne` makes it the evaluator of a search.
 *
 * @example
 * const objectives = [{ name: 'accuracy', better: 'higher' }];
 * const command = commandEvaluator({ command: './train.sh {onnx}', objectives });
 * oneByOne(command, command.evaluate, 4);
 */
export function commandEvaluator(options: CommandOptions): CommandEvaluator {
  const { command, objectives, model = (network) => network.model() } = options;
  const { timeoutSeconds = DEFAULTS.timeoutSeconds, retries = DEFAULTS.retries } = options;
  const { folder = DEFAULTS.folder } = options;
  if (objectives.length === 0)
    throw new AuspexError(
      'OBJECTIVE_MISSING',
      'give at least one label for the numbers that the command prints',
    );
  if (!(timeoutSeconds > 0 && timeoutSeconds <= MAX_TIMEOUT_SECONDS)) {
    throw new AuspexError('TIMEOUT', `the time limit cannot be ${timeoutSeconds} seconds`, {
      hint: `it must be above 0 and at most ${MAX_TIMEOUT_SECONDS}`,
    });
  }
  const once = async (arch: string, onnx: string, signal: AbortSignal): Promise<number[]> => {
    const outcome = await run(filled(command, { onnx, arch }), { onnx, arch, timeoutSeconds, signal });
    const numbers = numbersOf(outcome).slice(-objectives.length);
    if (numbers.length < objectives.length) {
      throw new AuspexError(
        'COMMAND_NO_NUMBER',
        `the command printed ${numbers.length} of ${objectives.length} numbers: ${shown(outcome)}`,
        { hint: 'print the result last, on standard output' },
      );
    }
    if (!numbers.every(Number.isFinite)) {
      throw new AuspexError('COMMAND_NOT_FINITE', `the command printed ${numbers.join(', ')}`);
    }
    return numbers;
  };
  return {
    name: command,
    objectives,
    async evaluate(network, signal) {
      const arch = network.arch?.text ?? network.ref;
      const own = mkdtempSync(join(folder, 'auspex-'));
      try {
        const onnx = join(own, 'network.onnx');
        // A command that has no place for a file needs none.
        if (command.includes('{onnx}') || command.includes('AUSPEX_ONNX')) writeModel(model(network), onnx);
        for (let tries = 0; ; tries++) {
          try {
            return await once(arch, onnx, signal);
          } catch (error) {
            const isFinal = error instanceof AuspexError && error.code === 'COMMAND_TIMEOUT';
            if (isFinal || signal.aborted || tries >= retries) throw error;
          }
        }
      } finally {
        rmSync(own, { recursive: true, force: true });
      }
    },
  };
}

interface RunOptions {
  readonly onnx: string;
  readonly arch: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** What a command prints, its end at least. It is the first of a process group, so that all it starts ends with it. */
async function run(command: string, { onnx, arch, timeoutSeconds, signal }: RunOptions): Promise<string> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', command], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, AUSPEX_ONNX: onnx, AUSPEX_ARCH: arch },
  });
  const output = tail(child.stdout);
  const complaints = tail(child.stderr);
  let isLate = false;
  let grace: NodeJS.Timeout | undefined;
  const end = (): void => {
    killGroup(child, 'SIGTERM');
    grace ??= setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS);
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutSeconds * 1000);
  signal.addEventListener('abort', end, { once: true });
  try {
    const [status, killedBy] = await new Promise<[number | null, NodeJS.Signals | null]>(
      (resolve, reject) => {
        child.once('error', reject);
        child.once('exit', () => {
          // Whatever it left behind would hold its output open.
          if (!isLate && !signal.aborted) killGroup(child, 'SIGKILL');
        });
        child.once('close', (...ended) => resolve(ended));
      },
    );
    signal.throwIfAborted();
    if (isLate) {
      throw new AuspexError('COMMAND_TIMEOUT', `the command took longer than ${timeoutSeconds} seconds`);
    }
    if (status !== 0) {
      const how = status === null ? `was ended by ${killedBy}` : `ended with status ${status}`;
      throw new AuspexError('COMMAND_FAILED', `the command ${how}: ${shown(complaints() || output())}`);
    }
    return output();
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal.removeEventListener('abort', end);
    // What closed its output and did not end when told to.
    killGroup(child, 'SIGKILL');
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch (error) {
    // It has ended already; macOS says EPERM of processes that nobody has waited for yet.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** The last characters of a stream. */
function tail(stream: NodeJS.ReadableStream): () => string {
  let kept = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-KEPT_CHARACTERS);
  });
  return () => kept;
}

function shown(text: string): string {
  const end = text.trim().slice(-SHOWN_CHARACTERS);
  return end === '' ? 'it printed nothing' : printableStart(end, SHOWN_CHARACTERS);
}

function filled(command: string, values: Readonly<Record<'onnx' | 'arch', string>>): string {
  return command.replace(/\{(onnx|arch)\}/g, (_, name: 'onnx' | 'arch') => quoted(values[name]));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

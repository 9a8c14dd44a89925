// A user's own command as evaluator: it gets a network as an ONNX file and prints numbers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model } from '../graph/graph.js';
import type { Network } from '../networks/index.js';
import { writeModel } from '../onnx/file.js';
import { AuspexError } from '../util/errors.js';
import { filledCommand, MAX_TIMEOUT_SECONDS, runCommand, shownEnd } from './command.js';

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
    const environment = { AUSPEX_ONNX: onnx, AUSPEX_ARCH: arch };
    const outcome = await runCommand(filledCommand(command, { onnx, arch }), {
      environment,
      timeoutSeconds,
      signal,
    });
    const numbers = numbersOf(outcome).slice(-objectives.length);
    if (numbers.length < objectives.length) {
      throw new AuspexError(
        'COMMAND_NO_NUMBER',
        `the command printed ${numbers.length} of ${objectives.length} numbers: ${shownEnd(outcome)}`,
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

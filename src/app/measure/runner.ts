// Measures on another machine: a user's command gets the network and prints the milliseconds of its runs, one a line.

import type { PreparedNetwork } from '../../measure/prepare.js';
import type { ProcessRecord } from '../../measure/process.js';
import type { RunSettings } from '../../measure/protocol.js';
import { filledCommand, runCommand, shownEnd } from '../../store/command.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';

export interface RunnerOptions {
  readonly command: string;
  /** How many runs it is asked for. */
  readonly runs: number;
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Of a line for every run, and some words. */
const KEPT_CHARACTERS = 1 << 24;

/**
 * One block of runs on another machine.
 *
 * @throws AuspexError COMMAND_FAILED, COMMAND_TIMEOUT, RUNNER_OUTPUT if it prints anything else than times
 */
export async function runElsewhere(
  { file }: PreparedNetwork,
  { threads }: RunSettings,
  { command, runs, timeoutSeconds, signal }: RunnerOptions,
): Promise<ProcessRecord> {
  const values = { onnx: file, runs: String(runs), threads: String(threads) };
  const output = await runCommand(filledCommand(command, values), {
    environment: { AUSPEX_ONNX: file, AUSPEX_RUNS: String(runs), AUSPEX_THREADS: String(threads) },
    timeoutSeconds,
    signal,
    keptCharacters: KEPT_CHARACTERS,
  });
  const { wallMs, runtime } = timesIn(output);
  return {
    runtime,
    created: undefined,
    first: undefined,
    memory: undefined,
    warmupRuns: 0,
    wallMs,
    cpuMs: [],
    stopped: undefined,
  };
}

/** The protocol: numbers are milliseconds, `# runtime: NAME` says what ran it, other lines with # are remarks. */
export function timesIn(output: string): { wallMs: number[]; runtime: string | undefined } {
  const wallMs: number[] = [];
  let runtime: string | undefined;
  for (const line of output.split('\n').map((text) => text.trim())) {
    if (line === '') continue;
    if (line.startsWith('#')) {
      runtime ??= /^#\s*runtime:\s*(\S.*)$/.exec(line)?.[1];
      continue;
    }
    const value = Number(line);
    if (!/^[\d.+eE-]+$/.test(line) || !Number.isFinite(value)) {
      throw wrong(`it printed '${printableStart(line, 80)}', which is not a number of milliseconds`);
    }
    if (value <= 0) throw wrong(`it printed ${line}: a run cannot take 0 ms or less`);
    wallMs.push(value);
  }
  if (wallMs.length === 0) throw wrong(`it printed no times: ${shownEnd(output)}`);
  return { wallMs, runtime };
}

function wrong(message: string): AuspexError {
  return new AuspexError('RUNNER_OUTPUT', `the runner's output is not understood: ${message}`, {
    hint: 'print the milliseconds of each run on a line of its own; other lines begin with #',
  });
}

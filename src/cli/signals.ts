// What Ctrl-C and SIGTERM do: work gets an AbortSignal and ends with what it has; the exit code is then 130 or 143,
// however the work ended. A second signal ends the process at once.
import { constants } from 'node:os';
import { AuspexError } from '../util/errors.js';

const NAMES = ['SIGINT', 'SIGTERM'] as const;

/** The signal that stopped the work of this process. */
let received: (typeof NAMES)[number] | undefined;

/** Of a process that was told to stop; undefined if it was not. */
export function stoppedExitCode(): number | undefined {
  return received && 128 + constants.signals[received];
}

/** Not by `process.exit`, which ends the threads of the runtime in a way that aborts the process (exit code 134). */
function endAtOnce(): never {
  // Locks and unfinished files are removed.
  process.emit('exit', stoppedExitCode()!);
  for (const name of NAMES) process.removeAllListeners(name);
  process.kill(process.pid, received);
  // The first process of a container does not die of signals.
  process.exit(stoppedExitCode());
}

/**
 * Runs work with a signal that is given when the process is told to stop. When the work is over, nothing listens any
 * more. The reason of the signal is an AuspexError, for work to throw that has nothing to show.
 *
 * @param hint what is kept, and how to go on
 */
export async function untilStopped<T>(
  work: (signal: AbortSignal) => Promise<T>,
  hint = 'nothing was written; run the command again',
): Promise<T> {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) endAtOnce();
    received = name as (typeof NAMES)[number];
    controller.abort(new AuspexError('STOPPED', `stopped by ${name}`, { kind: 'failure', hint }));
    if (process.stderr.isTTY) process.stderr.write('\nStopping; Ctrl-C again to end at once.\n');
  };
  for (const name of NAMES) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of NAMES) process.off(name, onSignal);
  }
}

// Runs a user's command and takes what it prints. All that it starts ends with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';

/** How long a command has to end itself when it is told to. */
const GRACE_MS = 2000;

/** The end of what a command prints, of which numbers and complaints are read. */
const KEPT_CHARACTERS = 65_536;
const SHOWN_CHARACTERS = 300;

/** A timer takes no more milliseconds than 32 bits hold. */
export const MAX_TIMEOUT_SECONDS = 2_147_483;

export interface CommandRun {
  /** Variables that are added to the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal | undefined;
  /** Characters of its output that are kept: the last ones. */
  readonly keptCharacters?: number;
}

/**
 * What a command prints, its end at least. It is run by `/bin/sh` as the first of a process group, so that all it starts ends
 * with it.
 *
 * @throws AuspexError COMMAND_TIMEOUT, COMMAND_FAILED, and the signal's reason
 */
export async function runCommand(command: string, options: CommandRun): Promise<string> {
  const { environment, timeoutSeconds, signal, keptCharacters = KEPT_CHARACTERS } = options;
  signal?.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', command], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const output = tail(child.stdout, keptCharacters);
  const complaints = tail(child.stderr, KEPT_CHARACTERS);
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
  signal?.addEventListener('abort', end, { once: true });
  try {
    const [status, killedBy] = await new Promise<[number | null, NodeJS.Signals | null]>(
      (resolve, reject) => {
        child.once('error', reject);
        child.once('exit', () => {
          // Whatever it left behind would hold its output open.
          if (!isLate && !signal?.aborted) killGroup(child, 'SIGKILL');
        });
        child.once('close', (...ended) => resolve(ended));
      },
    );
    signal?.throwIfAborted();
    if (isLate) {
      throw new AuspexError('COMMAND_TIMEOUT', `the command took longer than ${timeoutSeconds} seconds`);
    }
    if (status !== 0) {
      const how = status === null ? `was ended by ${killedBy}` : `ended with status ${status}`;
      throw new AuspexError('COMMAND_FAILED', `the command ${how}: ${shownEnd(complaints() || output())}`);
    }
    return output();
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal?.removeEventListener('abort', end);
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
function tail(stream: NodeJS.ReadableStream, length: number): () => string {
  let kept = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-length);
  });
  return () => kept;
}

/** The end of a text, for messages. */
export function shownEnd(text: string): string {
  const end = text.trim().slice(-SHOWN_CHARACTERS);
  return end === '' ? 'it printed nothing' : printableStart(end, SHOWN_CHARACTERS);
}

/** A command with values in the places that name them, `{onnx}`, quoted for the shell. */
export function filledCommand(command: string, values: Readonly<Record<string, string>>): string {
  return command.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? quoted(values[name]!) : place,
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// A lock beside a file that only one process at a time may write: `FILE.lock` says which process has it. It goes with
// its process; one that was killed leaves a lock that the next process takes over.
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { outputTarget, unwritable } from '../onnx/output-file.js';
import { AuspexError } from '../util/errors.js';
import { mayBeRunning, type ProcessIdentity, processIdentity, thisProcess } from './process-identity.js';

export interface Lock {
  /** Gives the lock back. A second time does nothing. */
  release(): void;
}

/** Locks of this process, which go with it. */
const held = new Set<string>();

/** Nobody needs longer to write a lock; who was killed while doing so left an empty one behind. */
const TAKEOVER_MS = 10_000;

/**
 * Takes the lock of a file.
 *
 * @throws AuspexError LOCKED, with the code that was given instead, naming the process that has it
 * @example
 * const lock = lockFile('run.onnx');
 * try { … } finally { lock.release(); }
 */
export function lockFile(path: string, code = 'LOCKED'): Lock {
  let file: string;
  try {
    const target = outputTarget(path);
    // Devices and pipes see to themselves.
    if (target.kind !== 'file') return { release: () => undefined };
    file = `${resolve(target.path)}.lock`;
    if (!created(file)) takeOver(file, path, code);
  } catch (cause) {
    throw unwritable(path, cause);
  }
  if (held.size === 0) process.on('exit', releaseAll);
  held.add(file);
  return { release: () => release(file) };
}

function release(file: string): void {
  if (!held.delete(file)) return;
  rmSync(file, { force: true });
  if (held.size === 0) process.off('exit', releaseAll);
}

function releaseAll(): void {
  for (const file of held) rmSync(file, { force: true });
}

/**
 * False if the file is already there. It appears whole, by a link to a file of this process, so that being killed here leaves no
 * lock of nobody.
 */
function created(file: string): boolean {
  const own = `${file}.${process.pid}`;
  try {
    writeFileSync(own, `${JSON.stringify(thisProcess())}\n`);
    linkSync(own, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') return createdInPlace(file);
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Where there are no links: a process that is killed between the two steps leaves an empty file. */
function createdInPlace(file: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(descriptor, `${JSON.stringify(thisProcess())}\n`);
  } finally {
    closeSync(descriptor);
  }
  return true;
}

/** Replaces a lock whose process has ended; only one process at a time may do that. */
function takeOver(file: string, path: string, code: string): void {
  refuseIfHeld(file, path, code);
  const turn = `${file}.turn`;
  if (!created(turn)) {
    if (holderOf(turn) !== 'ended') throw inUse(path, code, undefined);
    rmSync(turn, { force: true });
    if (!created(turn)) throw inUse(path, code, undefined);
  }
  try {
    // Somebody else may have been first.
    refuseIfHeld(file, path, code);
    rmSync(file, { force: true });
    if (!created(file)) throw inUse(path, code, undefined);
  } finally {
    rmSync(turn, { force: true });
  }
}

function refuseIfHeld(file: string, path: string, code: string): void {
  const holder = holderOf(file);
  if (holder !== 'ended') throw inUse(path, code, holder);
}

/** The process that has the lock; undefined if that cannot be told yet. */
function holderOf(file: string): ProcessIdentity | 'ended' | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'ended';
    throw error;
  }
  const { data } = processIdentity.safeParse(jsonOf(text));
  if (data !== undefined) return mayBeRunning(data) ? data : 'ended';
  // Between its creation and its first byte, or cut off when the machine went down.
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return age < TAKEOVER_MS ? undefined : 'ended';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function inUse(path: string, code: string, holder: ProcessIdentity | undefined): AuspexError {
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid} on ${holder.host} (since ${holder.since})`;
  return new AuspexError(code, `${who} is writing this file`, {
    where: { file: path },
    hint: `wait until it ends, or write to another file; if no such process exists, delete ${path}.lock`,
  });
}

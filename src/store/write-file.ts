// The one way to write a whole output. A regular file is replaced at once when all of it is on the disk, so that a
// failure changes nothing; links are followed, permissions stay, devices and pipes are written through.
import { close, constants, fsync, open, readdirSync, rmSync, statSync, write } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  discardStaged,
  type OutputTarget,
  outputTarget,
  placeStaged,
  stageFile,
  THROUGH,
  unwritable,
} from '../onnx/output-file.js';
import { isAlive } from './process-identity.js';

type OutputContent = string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Ends the writing; a file is then as it was before. */
  readonly signal?: AbortSignal | undefined;
}

const [openFile, writeSome, flush, closeFile] = [
  promisify(open),
  promisify(write),
  promisify(fsync),
  promisify(close),
];

/**
 * Writes an output, large ones in pieces.
 *
 * @throws AuspexError FILE_UNWRITABLE, and what making the pieces throws
 * @example
 * await writeOutput('report.html', html);
 */
export async function writeOutput(
  path: string,
  content: OutputContent,
  { signal }: WriteOptions = {},
): Promise<void> {
  const pieces = typeof content === 'string' ? [Buffer.from(content)] : piecesOf(content);
  try {
    const target = outputTarget(path);
    if (target.kind === 'file') await replaceFile(target, pieces, signal);
    else await writeThrough(target, pieces, signal);
  } catch (cause) {
    // What makes the pieces may fail, too.
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    throw unwritable(path, cause);
  }
}

const piecesOf = (
  content: Exclude<OutputContent, string>,
): Iterable<Uint8Array> | AsyncIterable<Uint8Array> => (content instanceof Uint8Array ? [content] : content);

type Pieces = ReturnType<typeof piecesOf>;

async function replaceFile(
  target: OutputTarget & { kind: 'file' },
  pieces: Pieces,
  signal: AbortSignal | undefined,
): Promise<void> {
  const staged = stageFile(target);
  try {
    try {
      await writePieces(staged.descriptor, pieces, signal);
      await flush(staged.descriptor);
    } finally {
      await closeFile(staged.descriptor);
    }
    signal?.throwIfAborted();
    placeStaged(staged);
  } catch (error) {
    discardStaged(staged);
    throw error;
  }
}

async function writeThrough(
  target: Exclude<OutputTarget, { kind: 'file' }>,
  pieces: Pieces,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (target.kind === 'descriptor') return writePieces(target.descriptor, pieces, signal);
  const descriptor = await openThrough(target.path, signal);
  try {
    await writePieces(descriptor, pieces, signal);
  } finally {
    await closeFile(descriptor);
  }
}

/** Waits for the reader of a pipe, but not in `open`, which no signal could end. */
async function openThrough(path: string, signal: AbortSignal | undefined): Promise<number> {
  const isPipe = statSync(path).isFIFO();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await openFile(path, THROUGH | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      if (!isPipe || (error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      await setTimeout(20);
    }
  }
}

async function writePieces(descriptor: number, pieces: Pieces, signal?: AbortSignal): Promise<void> {
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    for (let done = 0; done < piece.length; ) {
      try {
        done += (await writeSome(descriptor, piece, done, piece.length - done)).bytesWritten;
      } catch (error) {
        // A pipe that does not block, and whose reader has not come this far.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        signal?.throwIfAborted();
        await setTimeout(5);
      }
    }
  }
}

/** Not so young that a process which only another machine or container can see may be at work on it. */
const STALE_MS = 10 * 60_000;

/** Removes what processes left beside an output when they were killed while they wrote it. */
export function removeStale(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(`${name}.`)) continue;
    const [, pid] = /^\.(\d+)\.tmp$/.exec(entry.slice(name.length)) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const file = join(folder, entry);
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > STALE_MS) rmSync(file, { force: true });
  }
}

// Where the bytes of an output go (Node only). A regular file is replaced whole: written beside, flushed, renamed. A
// symbolic link is followed; a device or a pipe is written through. Permissions stay.
import {
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AuspexError } from '../util/errors.js';

export type OutputTarget =
  /** A file that is replaced, or that is not there yet. */
  | { readonly kind: 'file'; readonly path: string; readonly before: Stats | undefined }
  /** A device or a pipe, opened and written through. */
  | { readonly kind: 'stream'; readonly path: string }
  /** What this process already has open, such as its standard output in a file. */
  | { readonly kind: 'descriptor'; readonly descriptor: number };

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/** What a path leads to. Throws what the file system does, and EISDIR for a folder. */
export function outputTarget(path: string): OutputTarget {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before === undefined) return { kind: 'file', path: endOfLinks(path), before };
  if (before.isDirectory()) throw refusal('EISDIR');
  if (before.isBlockDevice()) throw refusal('EBLOCK');
  const descriptor = descriptorOf(path);
  // Opening them again would begin at byte 0 of the file, and sockets cannot be opened.
  if (descriptor !== undefined && (before.isFile() || before.isSocket()))
    return { kind: 'descriptor', descriptor };
  if (before.isFile()) return { kind: 'file', path: realpathSync(path), before };
  return { kind: 'stream', path };
}

/** As the file system throws. */
function refusal(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code, syscall: 'open' });
}

function descriptorOf(path: string): number | undefined {
  if (path === '/dev/stdout') return 1;
  if (path === '/dev/stderr') return 2;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The file that a link to nothing would create. */
function endOfLinks(path: string): string {
  let end = path;
  for (let i = 0; i < MAX_LINKS; i++) {
    if (!lstatSync(end, { throwIfNoEntry: false })?.isSymbolicLink()) return end;
    end = resolve(dirname(end), readlinkSync(end));
  }
  throw refusal('ELOOP');
}

/** A file beside its target, open for writing. */
export interface StagedFile {
  readonly path: string;
  readonly temporary: string;
  readonly descriptor: number;
}

/** Files that are removed if the process ends before they are in their place. */
const unfinished = new Set<string>();

export function temporaryOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

/** Creates the file beside, with the permissions and the owner of the one that it will replace. */
export function stageFile({ path, before }: OutputTarget & { kind: 'file' }): StagedFile {
  const temporary = temporaryOf(path);
  if (unfinished.size === 0) process.on('exit', removeUnfinished);
  // One of a process that had the same number and was killed.
  rmSync(temporary, { force: true });
  const descriptor = openSync(temporary, 'wx');
  unfinished.add(temporary);
  try {
    if (before !== undefined) {
      keepOwner(temporary, before);
      fchmodSync(descriptor, before.mode & 0o7777);
    }
  } catch (error) {
    closeSync(descriptor);
    discardStaged({ temporary });
    throw error;
  }
  return { path, temporary, descriptor };
}

/** Only a superuser may give files away; everyone else's are their own already. */
function keepOwner(path: string, { uid, gid }: Stats): void {
  try {
    chownSync(path, uid, gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Puts a file that is complete and closed in its place. */
export function placeStaged({ path, temporary }: Pick<StagedFile, 'path' | 'temporary'>): void {
  renameSync(temporary, path);
  forget(temporary);
}

export function discardStaged({ temporary }: Pick<StagedFile, 'temporary'>): void {
  rmSync(temporary, { force: true });
  forget(temporary);
}

function forget(temporary: string): void {
  unfinished.delete(temporary);
  if (unfinished.size === 0) process.off('exit', removeUnfinished);
}

function removeUnfinished(): void {
  for (const path of unfinished) rmSync(path, { force: true });
}

/** A device or pipe, opened to be written through; nothing is created or cut off. */
export const THROUGH = constants.O_WRONLY;

/** What went wrong, and what helps, by the code of the file system. */
const REASONS: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  ENOENT: ['the folder does not exist', 'create the folder, or write to another'],
  ENOTDIR: ['the path leads through a file', 'write to another folder'],
  EISDIR: ['this is a folder', 'name a file'],
  EACCES: ['permission denied', 'write to another folder, or change the permissions'],
  EPERM: ['permission denied', 'write to another folder, or change the permissions'],
  EROFS: ['the file system is read-only', 'write to another folder'],
  ENOSPC: ['no space is left on the device', 'free some space, or write to another device'],
  EDQUOT: ['the disk quota is used up', 'free some space, or write to another device'],
  EFBIG: ['the file is too large for the file system', 'write to another device'],
  EPIPE: ['the reader has closed the pipe', 'keep the reader open until the end'],
  ENXIO: ['this is a socket or a device without a driver', 'write to a file or a pipe'],
  EBLOCK: ['this is a disk', 'name a file'],
  ELOOP: ['the symbolic links lead in a circle', 'write to another path'],
};

export function outputProblem(cause: unknown): { readonly reason: string; readonly hint?: string } {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const [reason, hint] = REASONS[code] ?? [message];
  return { reason, ...(hint === undefined ? {} : { hint }) };
}

/** The error of an output that cannot be written. An `AuspexError` only gets its file. */
export function unwritable(path: string, cause: unknown): AuspexError {
  if (cause instanceof AuspexError) return cause.within({ file: path });
  const { reason, hint } = outputProblem(cause);
  return new AuspexError('FILE_UNWRITABLE', `the file cannot be written: ${reason}`, {
    where: { file: path },
    kind: 'failure',
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

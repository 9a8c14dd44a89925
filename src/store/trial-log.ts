// The log of a search or other long work in a file: one JSON record a line, flushed to disk before the work goes on.
// However the process ends, the file holds every record that was appended, and at most a part of one more.
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { type OutputTarget, outputProblem, outputTarget, THROUGH } from '../onnx/output-file.js';
import { AuspexError } from '../util/errors.js';
import { type Lock, lockFile } from './lock.js';

export interface TrialLogOptions {
  /** Goes on with a log that is there; else there must be none. */
  readonly resume?: boolean | undefined;
  /** Begins a new log in the place of one that is there. */
  readonly replace?: boolean | undefined;
}

const NEWLINE = 0x0a;

/**
 * Only one process at a time has a log open. A device or a pipe can be written to as well, but not be resumed.
 *
 * @example
 * const log = TrialLog.open('run/trials.jsonl', { resume: true });
 * await runSearch({ …, log });
 * log.close();
 */
export class TrialLog {
  /** What was in the file when it was opened. */
  readonly records: readonly unknown[];
  readonly #path: string;
  readonly #file: number;
  /** Of a regular file, as is its size. */
  readonly #lock: Lock | undefined;
  #size: number | undefined;

  private constructor(
    path: string,
    file: number,
    lock: Lock | undefined,
    size: number | undefined,
    records: readonly unknown[],
  ) {
    this.#path = path;
    this.#file = file;
    this.#lock = lock;
    this.#size = size;
    this.records = records;
  }

  /** @throws AuspexError LOG_EXISTS, LOG_IN_USE, LOG_DAMAGED, FILE_UNREADABLE, BAD_OPTION */
  static open(path: string, options: TrialLogOptions = {}): TrialLog {
    try {
      const target = outputTarget(path);
      return target.kind === 'file'
        ? TrialLog.#openFile(path, target.before !== undefined, options)
        : TrialLog.#openStream(path, target, options);
    } catch (cause) {
      throw failure(path, cause, 'FILE_UNREADABLE', 'opened');
    }
  }

  static #openFile(path: string, isThere: boolean, { resume, replace }: TrialLogOptions): TrialLog {
    if (isThere && !resume && !replace) {
      throw new AuspexError('LOG_EXISTS', 'the log already exists', {
        hint: 'continue it (--resume), overwrite it (--force), or write to another place',
      });
    }
    const lock = lockFile(path, 'LOG_IN_USE');
    let file: number | undefined;
    try {
      const bytes = isThere && !replace ? readFileSync(path) : Buffer.alloc(0);
      // What follows the last newline was being written when the process was killed.
      const size = bytes.lastIndexOf(NEWLINE) + 1;
      const records = recordsOf(bytes.toString('utf8', 0, size));
      file = openSync(path, isThere ? 'r+' : 'w');
      ftruncateSync(file, size);
      return new TrialLog(path, file, lock, size, records);
    } catch (error) {
      if (file !== undefined) closeSync(file);
      lock.release();
      throw error;
    }
  }

  static #openStream(
    path: string,
    target: Exclude<OutputTarget, { kind: 'file' }>,
    { resume }: TrialLogOptions,
  ): TrialLog {
    if (resume) {
      throw new AuspexError('BAD_OPTION', '--resume needs a regular file; this is a device or a pipe');
    }
    const file = target.kind === 'stream' ? openSync(path, THROUGH) : target.descriptor;
    return new TrialLog(path, file, undefined, undefined, []);
  }

  /** Appends records, flushed to disk together: if the process is killed in between, the first ones may be there. */
  append(...records: readonly unknown[]): void {
    const line = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    try {
      const size = this.#size;
      if (size !== undefined && fstatSync(this.#file).size !== size) {
        throw new AuspexError('LOG_IN_USE', 'another process has written to the log', {
          hint: 'only one process may write to a log at a time',
        });
      }
      for (let at = 0; at < line.length; ) {
        at += writeSync(this.#file, line, at, line.length - at, size === undefined ? null : size + at);
      }
      if (size === undefined) return;
      fdatasyncSync(this.#file);
      this.#size = size + line.length;
    } catch (cause) {
      throw failure(this.#path, cause, 'FILE_UNWRITABLE', 'written');
    }
  }

  close(): void {
    // Standard output stays open.
    if (this.#file > 2) closeSync(this.#file);
    this.#lock?.release();
  }
}

function recordsOf(text: string): unknown[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, i) => {
      try {
        return JSON.parse(line);
      } catch (cause) {
        throw new AuspexError('LOG_DAMAGED', `line ${i + 1} of the log is not JSON`, {
          hint: 'delete this line and all lines after it to continue from there',
          cause,
        });
      }
    });
}

function failure(path: string, cause: unknown, code: string, what: string): unknown {
  if (cause instanceof AuspexError) return cause.within({ file: path });
  if ((cause as NodeJS.ErrnoException).syscall === undefined) return cause;
  const { reason, hint } = outputProblem(cause);
  return new AuspexError(code, `the log cannot be ${what}: ${reason}`, {
    where: { file: path },
    kind: 'failure',
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

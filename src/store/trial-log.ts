// The log of a search or other long work in a file: one JSON record a line, flushed to disk before the work goes on.
// However the process ends, the file holds every record that was appended, and at most a part of one more.
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { AuspexError } from '../util/errors.js';

export interface TrialLogOptions {
  /** Goes on with a log that is there; else there must be none. */
  readonly resume?: boolean;
}

const NEWLINE = 0x0a;

/**
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
  #size: number;

  private constructor(path: string, file: number, size: number, records: readonly unknown[]) {
    this.#path = path;
    this.#file = file;
    this.#size = size;
    this.records = records;
  }

  static open(path: string, { resume = false }: TrialLogOptions = {}): TrialLog {
    const isThere = existsSync(path);
    if (isThere && !resume) {
      throw new AuspexError('LOG_EXISTS', 'there is a log already', {
        where: { file: path },
        hint: 'go on with it (--resume), or write to another place',
      });
    }
    try {
      const bytes = isThere ? readFileSync(path) : Buffer.alloc(0);
      // What follows the last newline was being written when the process was killed.
      const size = bytes.lastIndexOf(NEWLINE) + 1;
      const records = recordsOf(bytes.toString('utf8', 0, size));
      // Not 'r+' for a new one: two searches that begin at once must not both believe that they made it.
      const file = openSync(path, isThere ? 'r+' : 'wx');
      if (size < bytes.length) ftruncateSync(file, size);
      return new TrialLog(path, file, size, records);
    } catch (cause) {
      throw failure(path, cause, 'FILE_UNREADABLE', 'opened');
    }
  }

  append(record: unknown): void {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    try {
      if (fstatSync(this.#file).size !== this.#size) {
        throw new AuspexError('LOG_IN_USE', 'something else has written to the log', {
          hint: 'let one process write to a log at a time',
        });
      }
      for (let at = 0; at < line.length; ) {
        at += writeSync(this.#file, line, at, line.length - at, this.#size + at);
      }
      fdatasyncSync(this.#file);
      this.#size += line.length;
    } catch (cause) {
      throw failure(this.#path, cause, 'FILE_UNWRITABLE', 'written');
    }
  }

  close(): void {
    closeSync(this.#file);
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
          hint: 'remove it and all that follows to go on from there',
          cause,
        });
      }
    });
}

function failure(path: string, cause: unknown, code: string, what: string): unknown {
  if (cause instanceof AuspexError) return cause.within({ file: path });
  if ((cause as NodeJS.ErrnoException).syscall === undefined) return cause;
  return new AuspexError(code, `the log cannot be ${what}: ${(cause as Error).message}`, {
    where: { file: path },
    kind: 'failure',
    cause,
  });
}

// Tables in files (Node only): any that auspex can read, and CSV or JSON lines to write.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { csvOf } from '../datasets/formats/csv.js';
import { damagedGzip, gzip, type Transform } from '../datasets/formats/gzip.js';
import { jsonlOf } from '../datasets/formats/jsonl.js';
import { isNatsArchitecture, natsRow, natsTable } from '../datasets/importers/nats-bench.js';
import { type ReadTableOptions, readPickleFile, readTable } from '../datasets/importers/read-table.js';
import { checkedTable } from '../datasets/rules.js';
import type { Table } from '../datasets/table.js';
import { FileSource } from '../onnx/file.js';
import { MemorySource } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import { type WriteOptions, writeOutput } from './write-file.js';

export const FORMATS = ['csv', 'jsonl'] as const;
export type TableFormat = (typeof FORMATS)[number];

const GUNZIP_CHUNK = 1 << 18;

/** Files of a NATS-Bench folder, one for each architecture. */
const NATS_FILE = /^\d{1,6}(?:-FULL)?\.(?:pickle\.pbz2|pickle|pkl|pth)$/;

export interface ReadTableFileOptions extends Omit<ReadTableOptions, 'gunzip'> {
  /** Called while a folder is read, which takes minutes. */
  readonly progress?: ((done: number, all: number) => void) | undefined;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a table from a file, or from a folder of NATS-Bench with a file for every architecture.
 *
 * @example
 * const table = await readTableFile('nasbench101.csv.gz');
 */
export async function readTableFile(path: string, options: ReadTableFileOptions = {}): Promise<Table> {
  return withFile(path, async () => {
    const { signal, progress, rules = {} } = options;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      return checkedTable(await readNatsFolder(path, { progress, signal }), rules);
    }
    const gunzip: Transform = (chunks) => untilAborted(zlibGunzip(chunks), signal);
    return readTable(new FileSource(path), { ...options, gunzip });
  });
}

/** Three times as fast as `DecompressionStream` in Node 20, whose chunks are 16 KB. */
const zlibGunzip: Transform = async function* (chunks) {
  const stream = createGunzip({ chunkSize: GUNZIP_CHUNK });
  const iterator = chunks[Symbol.iterator]();
  const feed = (): void => {
    try {
      for (;;) {
        const { value, done } = iterator.next();
        if (done) {
          stream.end();
          return;
        }
        if (!stream.write(value)) {
          stream.once('drain', feed);
          return;
        }
      }
    } catch (error) {
      stream.destroy(error as Error);
    }
  };
  feed();
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw damagedGzip(cause);
  }
};

async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  for await (const item of items) {
    signal?.throwIfAborted();
    yield item;
  }
}

async function readNatsFolder(
  path: string,
  { progress, signal }: Pick<ReadTableFileOptions, 'progress' | 'signal'>,
): Promise<Table> {
  const files = readdirSync(path)
    .filter((name) => NATS_FILE.test(name))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  if (files.length === 0) {
    throw new AuspexError('TABLE_UNKNOWN', 'the folder has no NATS-Bench files', {
      hint: 'give an unpacked NATS-Bench folder, such as NATS-tss-v1_0-3ffb9-simple, or a table file',
    });
  }
  const rows: ReturnType<typeof natsRow>[] = [];
  for (const [i, name] of files.entries()) {
    progress?.(i, files.length);
    // A signal can only come between two turns.
    if (i % 20 === 0) await setImmediate();
    signal?.throwIfAborted();
    const file = join(path, name);
    try {
      // Not as `FileSource`, which stays open: there are more files than a process may have open.
      const value = readPickleFile(new MemorySource(readFileSync(file)));
      if (!isNatsArchitecture(value)) {
        throw new AuspexError('NATS_LAYOUT', 'the file has no NATS-Bench results');
      }
      rows.push(natsRow(value));
    } catch (error) {
      throw error instanceof AuspexError ? error.within({ file }) : error;
    }
  }
  progress?.(files.length, files.length);
  return natsTable(rows);
}

/** The format and packing that a file's name asks for. */
export function formatOf(path: string): { format: TableFormat; isPacked: boolean } {
  const [, format, packed] = /\.(csv|jsonl)(\.gz)?$/i.exec(path) ?? [];
  if (format) return { format: format.toLowerCase() as TableFormat, isPacked: packed !== undefined };
  throw new AuspexError('TABLE_FORMAT', 'the format cannot be inferred from the file name', {
    where: { file: path },
    hint: 'use .csv, .csv.gz, .jsonl or .jsonl.gz, or give --format',
  });
}

/** Writes a table as `writeOutput` does, packed if the path ends with .gz. */
export async function writeTableFile(
  path: string,
  table: Table,
  format?: TableFormat,
  options?: WriteOptions,
): Promise<void> {
  const isPacked = format === undefined ? formatOf(path).isPacked : /\.gz$/i.test(path);
  const pieces = (format ?? formatOf(path).format) === 'csv' ? csvOf(table) : jsonlOf(table);
  await writeOutput(path, isPacked ? gzip(pieces) : pieces, options);
}

async function withFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file }) : error;
  }
}

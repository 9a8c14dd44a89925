// Tables of measured networks.
import * as z from 'zod';
import { EQUALITIES } from '../app/arch-keys.js';
import { explainedTable } from '../app/data/explained-table.js';
import { SPLIT_WAYS, type SplitWay, splitRows } from '../app/data/split-rows.js';
import { readTable as readBytes } from '../datasets/importers/read-table.js';
import { type LabelRequest, parseLabel } from '../datasets/label-options.js';
import type { Split } from '../datasets/splits/splits.js';
import { Table } from '../datasets/table.js';
import { AuspexError } from '../util/errors.js';
import { here } from './environment.js';
import { checkedOptions, count, given, signal, texts, whole } from './options.js';

export interface TableOptions {
  /** Of a plain file: the space of its architectures; `onnx` if they are paths of ONNX files. */
  readonly space?: string;
  /** Of a plain file: the column of the architectures. Default `arch`. */
  readonly arch?: string;
  /** Of a plain file: the columns that are labels, such as `latency:ms:lower`. */
  readonly labels?: readonly (string | LabelRequest)[];
  /** Columns of words to keep, for groups. */
  readonly texts?: readonly string[];
  readonly signal?: AbortSignal;
}

const TABLE = {
  space: z.string().optional(),
  arch: z.string().optional(),
  labels: z.array(z.union([z.string(), z.looseObject({ name: z.string() })])).optional(),
  texts: texts.optional(),
  signal: signal.optional(),
};

/**
 * Reads a table: a file of `auspex data`, a plain CSV or JSON lines file, or a benchmark's own file.
 *
 * @param source a path or, in pages too, bytes
 * @throws AuspexError FILE_UNREADABLE, TABLE_…, BAD_OPTION
 * @example
 * const cells = await readTable('cells.csv');
 * cells.rows; // 80
 * const mine = await readTable('mine.csv', { space: 'nasbench201', labels: ['latency_ms'] });
 * mine.label('latency_ms'); // { name: 'latency_ms', unit: 'ms', better: 'lower', … }
 */
export async function readTable(source: string | Uint8Array, options?: TableOptions): Promise<Table> {
  const { labels, signal: stop, ...plain } = checkedOptions<TableOptions>('readTable', TABLE, options);
  const requests = labels?.map((label) => (typeof label === 'string' ? parseLabel(label) : label));
  const isPath = typeof source === 'string';
  const { table } = await explainedTable(
    (of) =>
      isPath ? here().readTable(source, { ...of, ...given({ signal: stop }) }) : readBytes(source, of),
    isPath ? source : 'bytes',
    { ...plain, labels: requests },
    stop,
  );
  return table;
}

export interface SplitOptions extends Omit<SplitWay, 'by' | 'seed'> {
  /** Default `random`. */
  readonly by?: SplitWay['by'];
  /** Default 0. */
  readonly seed?: number;
}

const SPLIT = {
  by: z.enum(SPLIT_WAYS).optional(),
  train: whole.optional(),
  validation: whole.optional(),
  test: whole.optional(),
  testOnAll: z.boolean().optional(),
  seed: whole.optional(),
  present: texts.optional(),
  equal: z.enum(EQUALITIES).optional(),
  group: z.string().optional(),
  family: z.string().optional(),
  leave: z.string().optional(),
  folds: count.optional(),
  fold: count.optional(),
};

/**
 * Splits the rows of a table for training, validation and test. Equal architectures are never in two sets. The same seed
 * gives the same split on every machine.
 *
 * @throws AuspexError SPLIT_…, BAD_OPTION
 * @example
 * const table = await readTable('cells.csv');
 * const sets = await split(table, { train: 40, validation: 10, seed: 1 });
 * sets.train.length; // 40
 * table.take(sets.test).rows; // 30
 */
export async function split(table: Table, options: SplitOptions): Promise<Split> {
  if (!(table instanceof Table))
    throw new AuspexError('BAD_OPTION', 'split takes a Table; readTable reads one');
  const { by = 'random', seed = 0, ...sizes } = checkedOptions('split', SPLIT, options);
  return (await splitRows(table, { by, seed, ...sizes }, here().equalRows)).split;
}

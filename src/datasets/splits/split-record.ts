// PREFIX.split.json, as `auspex data split` writes it: which rows of which table are in which set.
import { z } from 'zod';
import { AuspexError } from '../../util/errors.js';
import type { Table } from '../table.js';
import { tableDigest } from './digests.js';
import type { Split } from './splits.js';

const rowIndices = z.array(z.int().nonnegative());

/** `auspex.data.split/1` in a file. Files of earlier versions lack what is optional. */
export const splitRecord = z.object({
  schema: z.literal('auspex.data.split/1'),
  /** The table that was split, as it was named. */
  file: z.string(),
  space: z.string(),
  by: z.string(),
  seed: z.number().nullable(),
  testOnAll: z.boolean(),
  /** What equal architectures are: those of one text, or of one function. */
  equal: z.enum(['text', 'function']).optional(),
  /** The column whose groups stay together; null where there is none. */
  group: z.string().nullable().optional(),
  /** Rows whose architecture an earlier row has. */
  duplicates: z.int().optional(),
  /** Rows in no set, because a set before has their architecture. */
  dropped: z.int().optional(),
  /** What tells the table from another one. */
  table: z.object({ rows: z.int(), digest: z.string() }).optional(),
  files: z.partialRecord(z.enum(['train', 'validation', 'test']), z.string()),
  rows: z.object({ train: rowIndices, validation: rowIndices, test: rowIndices }),
});

export type SplitRecord = z.infer<typeof splitRecord>;

/** A split that was read from a file. */
export interface ReadSplit extends Split {
  /** False for files of earlier versions, which do not tell their table from another one of as many rows. */
  readonly isVerified: boolean;
}

/**
 * Reads a split of this table.
 *
 * Code: SPLIT_FILE, for what is no split, or the split of another table.
 *
 * @example
 * const { train } = readSplit(await readFile('run.split.json'), table);
 */
export function readSplit(bytes: Uint8Array | string, table: Table): ReadSplit {
  const wrong = (message: string, hint: string, cause?: unknown): AuspexError =>
    new AuspexError('SPLIT_FILE', message, { hint, cause });
  const record = parsed(typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes));
  if (!record.success) {
    const [issue] = record.error.issues;
    const where =
      issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
    throw wrong(
      `the file is not a split${where}`,
      'give PREFIX.split.json as `auspex data split` writes it',
      record.error,
    );
  }
  const { rows, space, by, seed, testOnAll, table: of } = record.data;
  const other = 'give the table that was split, not one of its parts, or split this one';
  if (space !== table.space)
    throw wrong(`the split belongs to ${space}, but the table contains ${table.space}`, other);
  if (of !== undefined && of.rows !== table.rows) {
    throw wrong(`the split belongs to a table of ${of.rows} rows, but this one has ${table.rows}`, other);
  }
  const beyond = [rows.train, rows.validation, rows.test].flat().find((row) => row >= table.rows);
  if (beyond !== undefined) {
    throw wrong(`the split has row ${beyond}, and the table has ${table.rows} rows`, other);
  }
  if (of !== undefined && of.digest !== tableDigest(table)) {
    throw wrong('the split belongs to another table: the architectures or their order differ', other);
  }
  return {
    by,
    seed: seed ?? undefined,
    train: Uint32Array.from(rows.train),
    validation: Uint32Array.from(rows.validation),
    test: Uint32Array.from(rows.test),
    testOnAll,
    isVerified: of !== undefined,
  };
}

function parsed(text: string): ReturnType<typeof splitRecord.safeParse> {
  try {
    return splitRecord.safeParse(JSON.parse(text));
  } catch {
    return splitRecord.safeParse(undefined);
  }
}

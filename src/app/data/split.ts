// `auspex data split`: rows for training, validation and test, as three tables and a record that names the rows.
import { tableDigest } from '../../datasets/splits/digests.js';
import { type ReadSplit, readSplit, type SplitRecord } from '../../datasets/splits/split-record.js';
import type { Table } from '../../datasets/table.js';
import { readBytes } from '../../onnx/file.js';
import { checkOutputs, type PlannedOutput } from '../../store/outputs.js';
import { writeTableFile } from '../../store/table-file.js';
import { writeOutput } from '../../store/write-file.js';
import { AuspexError } from '../../util/errors.js';
import type { SplitDocument } from '../documents/data.js';
import { equalRows } from '../equal-rows.js';
import type { Work } from '../work.js';
import type { PlainOptions } from './explained-table.js';
import { openTable } from './open.js';
import { type SplitWay, splitRows } from './split-rows.js';

const SPLIT_PARTS = ['train', 'validation', 'test'] as const;

export interface SplitOptions extends PlainOptions, SplitWay {
  /** How the names of the files begin. */
  readonly output: string;
  readonly force?: boolean | undefined;
}

/** Splits a table and writes the sets; equal architectures are never in two of them. */
export async function splitTable(
  file: string,
  options: SplitOptions,
  work: Work = {},
): Promise<SplitDocument> {
  const { output, group, force } = options;
  checkOutputs({ outputs: outputsOf(output), inputs: [file], force });
  const texts = group === undefined ? [] : [group];
  const { table } = await openTable(file, { ...options, texts }, work);
  const { split, equal, dropped } = await splitRows(table, options, equalRows, work);
  const indices = perPart((part) => Array.from(split[part]));
  const files: SplitRecord['files'] = {};
  for (const part of SPLIT_PARTS) {
    if (split[part].length === 0) continue;
    work.signal?.throwIfAborted();
    files[part] = setPath(output, part);
    await writeTableFile(files[part]!, table.take(indices[part]), undefined, { signal: work.signal });
  }
  const description = {
    schema: 'auspex.data.split/1' as const,
    file,
    space: table.space,
    by: split.by,
    seed: split.seed ?? null,
    testOnAll: split.testOnAll,
    equal: options.equal ?? ('text' as const),
    group: group ?? null,
    duplicates: equal.duplicates,
    dropped,
    table: { rows: table.rows, digest: tableDigest(table) },
    files,
  };
  const record: SplitRecord = { ...description, rows: indices };
  await writeOutput(recordPath(output), `${JSON.stringify(record)}\n`);
  return { ...description, counts: perPart((part) => split[part].length) };
}

const setPath = (prefix: string, part: string): string => `${prefix}.${part}.csv.gz`;
const recordPath = (prefix: string): string => `${prefix}.split.json`;

function outputsOf(prefix: string): PlannedOutput[] {
  const sets = SPLIT_PARTS.map((part): PlannedOutput => ({ path: setPath(prefix, part), kind: 'table' }));
  return [...sets, { path: recordPath(prefix), kind: 'split' }];
}

/** Reads PREFIX.split.json, if it is of this table. Codes: FILE_UNREADABLE, SPLIT_FILE. */
export async function readSplitFile(path: string, table: Table): Promise<ReadSplit> {
  const bytes = readBytes(path);
  try {
    return readSplit(bytes, table);
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file: path }) : error;
  }
}

function perPart<T>(of: (part: (typeof SPLIT_PARTS)[number]) => T): Record<(typeof SPLIT_PARTS)[number], T> {
  return { train: of('train'), validation: of('validation'), test: of('test') };
}

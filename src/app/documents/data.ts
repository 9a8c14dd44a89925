// The JSON documents of `auspex data`, as docs/json/data.md describes them. Fields are added without a new version.
import { z } from 'zod';
import { splitRecord } from '../../datasets/splits/split-record.js';
import { ioDocument } from './io.js';

const direction = z.enum(['higher', 'lower']);
const transform = z.enum(['linear', 'log']);
const count = z.int().nonnegative();

export const labelDocument = z.object({
  name: z.string(),
  unit: z.string(),
  better: direction,
  /** The same as `better`, from before there was `better`. */
  higherIsBetter: z.boolean(),
  provenance: z.string(),
  transform: transform.optional(),
});

const tableFields = {
  space: z.string(),
  rows: count,
  labels: z.array(labelDocument),
};

/** What a label's name said of it. */
const inferredLabel = z.object({
  name: z.string(),
  inferred: z.array(z.enum(['unit', 'better', 'transform'])),
  from: z.array(z.string()),
});

export const importDocument = z.object({
  schema: z.literal('auspex.data.import/1'),
  file: z.string(),
  output: z.string(),
  ...tableFields,
  inferred: z.array(inferredLabel),
  duplicates: count,
  skipped: z.array(z.object({ at: z.string(), code: z.string(), message: z.string() })),
  pivot: z.object({ column: z.string(), values: z.array(z.string()), averaged: count }).nullable(),
  /** The column that this table should probably be pivoted by. */
  long: z.string().nullable(),
});

export const listDocument = z.object({
  schema: z.literal('auspex.data.list/1'),
  folder: z.string(),
  tables: z.array(
    z.object({ file: z.string(), space: z.string(), rows: count, labels: z.array(z.string()) }),
  ),
  others: z.array(z.object({ file: z.string(), code: z.string(), message: z.string() })),
});

const known = z.number().nullable();

export const showDocument = z.object({
  schema: z.literal('auspex.data.show/1'),
  file: z.string(),
  space: z.string(),
  rows: count,
  labels: z.array(labelDocument.extend({ count, missing: count, min: known, median: known, max: known })),
  texts: z.array(z.string()),
  first: z.array(z.object({ arch: z.string(), values: z.record(z.string(), known) })),
});

const parts = z.enum(['train', 'validation', 'test']);

export const splitDocument = splitRecord.omit({ rows: true }).extend({ counts: z.record(parts, count) });

export const exportDocument = z.object({
  schema: z.literal('auspex.data.export/1'),
  file: z.string(),
  output: z.string(),
  format: z.enum(['csv', 'jsonl']),
  ...tableFields,
});

/** All documents, by the name of their command. */
export const DATA_DOCUMENTS = {
  import: importDocument,
  list: listDocument,
  show: showDocument,
  split: splitDocument,
  export: exportDocument,
  io: ioDocument,
} as const;

export type ImportDocument = z.infer<typeof importDocument>;
export type ListDocument = z.infer<typeof listDocument>;
export type ShowDocument = z.infer<typeof showDocument>;
export type SplitDocument = z.infer<typeof splitDocument>;
export type ExportDocument = z.infer<typeof exportDocument>;

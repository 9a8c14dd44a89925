// Databases as text, to copy and to merge: a line of JSON for every row. The first line says what the file is.
import { z } from 'zod';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import type { Database, TableRow } from './database.js';
import { DATA_TABLES, type DataTable, SCHEMA_VERSION } from './schema.js';

const HEAD = 'auspex.db';
const text = z.string();
const ms = z.number().positive();
const count = z.number().int().nonnegative();

const row = z.discriminatedUnion('table', [
  z.strictObject({
    table: z.literal('networks'),
    row: z.strictObject({ hash: text, name: text, first_seen: text }),
  }),
  z.strictObject({
    table: z.literal('devices'),
    row: z.strictObject({
      id: text,
      name: text,
      cores: count.nullable(),
      memory_bytes: count.nullable(),
      platform: text.nullable(),
      first_seen: text,
    }),
  }),
  z.strictObject({
    table: z.literal('measurements'),
    row: z.strictObject({
      id: text,
      network_hash: text,
      device_id: text,
      measured_at: text,
      runtime: text.nullable(),
      provider: text,
      threads: count,
      optimization: text,
      inputs: text,
      median_ms: ms,
      cpu_median_ms: z.number().nonnegative().nullable(),
      runs: count,
      peak_bytes: count.nullable(),
      document: text,
    }),
  }),
  z.strictObject({
    table: z.literal('predictions'),
    row: z.strictObject({
      id: text,
      network_hash: text,
      device_name: text,
      predictor: text,
      inputs: text,
      median_ms: ms,
      low_ms: ms.nullable(),
      high_ms: ms.nullable(),
      predicted_at: text,
    }),
  }),
]);

export async function* exportLines(database: Database): AsyncGenerator<string> {
  yield JSON.stringify({ schema: `${HEAD}/${SCHEMA_VERSION}` });
  for await (const one of database.rows()) yield JSON.stringify(one);
}

/** Rows of a file, and how many of them were new, per table. */
export interface ImportedRows {
  readonly read: Record<DataTable, number>;
  readonly added: Record<DataTable, number>;
}

/**
 * Imports what `exportLines` wrote: all of it or nothing. Importing it twice changes nothing.
 *
 * @throws AuspexError DB_IMPORT with the line that is wrong, DB_NEWER, and what writing throws
 */
export async function importLines(
  database: Database,
  lines: AsyncIterable<string> | Iterable<string>,
  file: string,
): Promise<ImportedRows> {
  const rows: TableRow[] = [];
  const read = Object.fromEntries(DATA_TABLES.map((table) => [table, 0])) as Record<DataTable, number>;
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const value = parsed(line, number, file);
    if (number === 1) checkHead(value, file);
    else {
      const { success, data } = row.safeParse(value);
      if (!success) throw wrong(`line ${number} is not a row: ${printableStart(line, 80)}`, file);
      rows.push(data as TableRow);
      read[data.table]++;
    }
  }
  if (number === 0) throw wrong('the file is empty', file);
  const order = (table: DataTable): number => DATA_TABLES.indexOf(table);
  return { read, added: await database.add(rows.sort((a, b) => order(a.table) - order(b.table))) };
}

function parsed(line: string, number: number, file: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw wrong(`line ${number} is not JSON: ${printableStart(line, 80)}`, file);
  }
}

function checkHead(value: unknown, file: string): void {
  const { schema = '' } = (value ?? {}) as { schema?: string };
  const [, version] = /^auspex\.db\/(\d+)$/.exec(schema) ?? [];
  if (version === undefined) throw wrong('it does not begin as an export does', file);
  if (Number(version) > SCHEMA_VERSION) {
    throw new AuspexError(
      'DB_NEWER',
      `the export has version ${version}; this auspex knows up to ${SCHEMA_VERSION}`,
      {
        where: { file },
        hint: 'update auspex',
      },
    );
  }
}

function wrong(message: string, file: string): AuspexError {
  return new AuspexError('DB_IMPORT', `the file is not an export of a database: ${message}`, {
    where: { file },
    hint: 'write it with: auspex db export > measurements.jsonl',
  });
}

// What `auspex db` does: look into a database, write it as text, and add what others measured.
import {
  Database,
  defaultDatabase,
  exportLines,
  type ImportedRows,
  importLines,
} from '../store/database/index.js';
import type { DatabaseDocument } from './documents/database.js';
import { linesOf } from './lines.js';

async function withDatabase<T>(
  path: string | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await Database.open(path ?? defaultDatabase());
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** How much is in a database. */
export function databaseStats(path?: string): Promise<DatabaseDocument> {
  return withDatabase(path, async (database) => ({
    schema: 'auspex.db/1' as const,
    file: database.path,
    counts: await database.counts(),
    devices: [...(await database.devices())],
  }));
}

/** All rows as text, line by line. */
export async function* exportedLines(path?: string): AsyncGenerator<string> {
  const database = await Database.open(path ?? defaultDatabase());
  try {
    yield* exportLines(database);
  } finally {
    await database.close();
  }
}

/** Adds the rows of a file; `-` is standard input. */
export function importFile(file: string, path?: string): Promise<ImportedRows> {
  return withDatabase(path, (database) => importLines(database, linesOf(file), file));
}

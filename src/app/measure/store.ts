// Where `auspex measure` keeps what it measured: the user's database, or another.
import { Database, defaultDatabase } from '../../store/database/index.js';
import { AuspexError } from '../../util/errors.js';
import type { MeasureRow } from '../documents/measure.js';
import { type MeasuredOn, storedRows } from './stored-rows.js';

export interface MeasurementStore {
  readonly add: (row: MeasureRow, on: MeasuredOn) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the database, before anything is measured. A database that was asked for must open; without the usual one,
 * measurements are not stored, and that is said.
 *
 * @param given a path; false for none
 * @param note tells the user what could not be stored
 */
export async function openStore(
  given: string | false | undefined,
  note: (text: string) => void,
): Promise<MeasurementStore | undefined> {
  if (given === false) return undefined;
  let database: Database;
  try {
    database = await Database.open(given ?? defaultDatabase());
  } catch (error) {
    if (!(error instanceof AuspexError) || given !== undefined) throw error;
    note(`measurements are not stored: ${error.describe()}`);
    return undefined;
  }
  return {
    async add(row, on) {
      const rows = storedRows(row, on, new Date().toISOString());
      try {
        if (rows !== undefined) await database.add(rows);
      } catch (error) {
        if (!(error instanceof AuspexError)) throw error;
        note(`the measurement of ${row.network} was not stored: ${error.describe()}`);
      }
    },
    close: () => database.close(),
  };
}

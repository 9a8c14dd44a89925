// Opening the file of a table: one that says what it is, or a plain one that the user explains.
import { readTableFile } from '../../store/table-file.js';
import type { Work } from '../work.js';
import { explainedTable, type OpenedTable, type OpenOptions } from './explained-table.js';

/** Codes: those of `explainedTable` and of reading files. */
export function openTable(file: string, options: OpenOptions, work: Work = {}): Promise<OpenedTable> {
  const { progress, signal } = work;
  const read = (of: object) => readTableFile(file, { ...of, progress, signal });
  return explainedTable(read, file, options, signal);
}

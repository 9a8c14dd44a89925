// Long tables, one row for every architecture on every device, as wide ones: one row an architecture, with labels
// such as `latency@pixel2`.
import { AuspexError } from '../util/errors.js';
import { type Label, Table } from './table.js';

/** More values than this are no devices but numbers or names of rows. */
const MOST_VALUES = 100;

export interface Pivoted {
  readonly table: Table;
  /** What the column had, in order of their names. */
  readonly values: readonly string[];
  /** Values that were measured several times for an architecture, of which the mean was taken. */
  readonly averaged: number;
}

/**
 * The column of words that a long table repeats its architectures by; undefined for other tables. It has few values,
 * and no architecture has many rows with one of them.
 */
export function longBy(table: Table): string | undefined {
  const architectures = new Set(table.architectures).size;
  if (table.rows === 0 || architectures > 0.7 * table.rows) return undefined;
  return [...table.texts.keys()].find((name) => {
    const texts = table.text(name);
    const values = new Set(texts);
    if (values.size < 2 || values.size > Math.min(MOST_VALUES, table.rows / 2) || values.has(''))
      return false;
    const pairs = new Set(Array.from(texts, (value, row) => `${value}\0${table.arch(row)}`));
    return pairs.size >= 0.95 * table.rows;
  });
}

/**
 * One row for each architecture, in order of their first rows, and a label `name@value` for every label and every value
 * of the column.
 *
 * Codes: TABLE_NO_TEXT, TABLE_PIVOT.
 */
export function pivot(table: Table, column: string): Pivoted {
  const texts = table.text(column);
  const rowOf = new Map<string, number>();
  const distinct = new Set<string>();
  for (let row = 0; row < table.rows; row++) {
    const value = texts.at(row);
    if (value === '') throw wrong(`row ${row + 1} has no ${column}`);
    distinct.add(value);
    if (distinct.size > MOST_VALUES) {
      throw wrong(`'${column}' has more than ${MOST_VALUES} values`, 'give a column such as the device');
    }
    const arch = table.arch(row);
    if (!rowOf.has(arch)) rowOf.set(arch, rowOf.size);
  }
  const values = [...distinct].sort();
  const columns = new Map<string, Float64Array>();
  const labels: Label[] = [];
  let averaged = 0;
  for (const label of table.labels) {
    const given = table.column(label.name);
    const sums = new Map(values.map((value) => [value, new Float64Array(rowOf.size)]));
    const counts = new Map(values.map((value) => [value, new Uint32Array(rowOf.size)]));
    for (let row = 0; row < table.rows; row++) {
      if (Number.isNaN(given[row])) continue;
      const to = rowOf.get(table.arch(row))!;
      sums.get(texts.at(row))![to]! += given[row]!;
      counts.get(texts.at(row))![to]!++;
    }
    for (const value of values) {
      const count = counts.get(value)!;
      averaged += count.reduce((sum, n) => sum + (n > 1 ? 1 : 0), 0);
      const name = `${label.name}@${value}`;
      labels.push({ ...label, name, provenance: `${label.provenance}; ${column} ${value}` });
      columns.set(
        name,
        sums.get(value)!.map((sum, i) => (count[i] === 0 ? Number.NaN : sum / count[i]!)),
      );
    }
  }
  const wide = new Table({ space: table.space, labels, architectures: [...rowOf.keys()], columns });
  return { table: wide, values, averaged };
}

function wrong(problem: string, hint?: string): AuspexError {
  return new AuspexError(
    'TABLE_PIVOT',
    `the table cannot be pivoted: ${problem}`,
    hint === undefined ? {} : { hint },
  );
}

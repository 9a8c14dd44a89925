// Which rows of a table a draw of a cell is trained, validated and tested on.
import { randomSplit } from '../datasets/splits/splits.js';
import type { Table } from '../datasets/table.js';
import { Random } from '../util/random.js';
import type { ResultCell } from './table.js';

/** Set aside from tables of at least `LARGE` rows. */
const DEVELOPMENT = 1000;
const LARGE = 10_000;

/**
 * The rows that recipes were chosen on: they are in no set of any draw, so that no result profits from the choice. The
 * same for every label and seed. None in small tables, on which no recipe was chosen.
 */
export function developmentRows(rows: number): Uint32Array {
  if (rows < LARGE) return new Uint32Array();
  return Random.seeded(4242, 1).sample(rows, DEVELOPMENT);
}

export interface DrawnRows {
  readonly train: Uint32Array;
  readonly validation: Uint32Array;
  readonly test: Uint32Array;
  /** What a trunk is trained with; the same rows and more. */
  readonly trunk: { readonly train: Uint32Array; readonly validation: Uint32Array };
  /** Rows that were set aside before. */
  readonly development: number;
  /** Rows that sets were drawn from: those with all labels that were not set aside. */
  readonly of: number;
}

/** A random split by the seed; all rows that are neither trained on nor validate are tested, or a part of them. */
export function drawRows(table: Table, cell: ResultCell, seed: number): DrawnRows {
  const aside = new Uint8Array(table.rows);
  const development = developmentRows(table.rows);
  for (const row of development) aside[row] = 1;
  const learned = cell.rows > 0 ? cell.labels.map(({ train }) => train) : [];
  const names = [...learned, ...cell.labels.map(({ test }) => test), ...(cell.trunk ?? [])];
  const { without } = cell;
  const rows = table
    .rowsWith([...new Set(names)])
    .filter((row) => aside[row] === 0 && (without === undefined || !table.arch(row).includes(without)));
  const { rows: train, validation } = cell.drawn ?? cell;
  const split = randomSplit(rows.length, { train, validation, seed });
  const inTable = (places: Uint32Array): Uint32Array => places.map((place) => rows[place]!);
  const tested = (some: Uint32Array): Uint32Array => {
    const { above, labels } = cell;
    if (above === undefined) return some;
    const columns = labels.map(({ test }) => table.column(test));
    return some.filter((row) => columns.every((column) => column[row]! > above));
  };
  const drawn = { train: inTable(split.train), validation: inTable(split.validation) };
  return {
    train: drawn.train.slice(0, cell.rows),
    validation: drawn.validation.slice(0, cell.validation),
    test: tested(inTable(split.test)).slice(0, cell.tested),
    trunk: drawn,
    development: development.length,
    of: rows.length,
  };
}

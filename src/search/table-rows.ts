// The rows of a table by architecture, found once for a table and its labels: evaluators and table spaces share them.
import type { Table } from '../datasets/table.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import type { Pause } from '../util/pauses.js';

interface Kept {
  readonly space: AnySpace;
  readonly labels: string;
  readonly rows: TableRows;
}

const kept = new WeakMap<Table, Kept[]>();

/** Rows between two pauses. */
const SLICE = 256;

function keptRows(space: AnySpace, table: Table, labels: readonly string[]): TableRows | undefined {
  const key = keyOf(labels);
  return kept.get(table)?.find((entry) => entry.space === space && entry.labels === key)?.rows;
}

function keep(space: AnySpace, table: Table, labels: readonly string[], rows: TableRows): void {
  kept.set(table, [...(kept.get(table) ?? []), { space, labels: keyOf(labels), rows }]);
}

const keyOf = (labels: readonly string[]): string => JSON.stringify(labels.toSorted());

/** Finds the row of an architecture: by its text, or else by its hash, as the same network may be written otherwise. */
export class TableRows {
  readonly #space: AnySpace;
  readonly #byText = new Map<string, number>();
  #byKey: Map<string, number> | undefined;
  #texts: readonly string[] = [];

  private constructor(space: AnySpace, table: Table) {
    if (table.space !== space.name) {
      throw new AuspexError(
        'OTHER_SPACE',
        `the table contains ${table.space}, but the search is in ${space.name}`,
      );
    }
    this.#space = space;
  }

  /** The canonical texts of the rows. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** The same object for the same table, space and labels. @param labels rows without a value in one are left out */
  static of(space: AnySpace, table: Table, labels: readonly string[] = []): TableRows {
    const found = keptRows(space, table, labels);
    if (found !== undefined) return found;
    const rows = new TableRows(space, table);
    for (const _ of rows.#reading(table, labels));
    keep(space, table, labels, rows);
    return rows;
  }

  /** Reads the rows with pauses, so that `of` has them at once. */
  static async prepare(
    space: AnySpace,
    table: Table,
    labels: readonly string[],
    pause: Pause,
  ): Promise<TableRows> {
    const found = keptRows(space, table, labels);
    if (found !== undefined) return found;
    const rows = new TableRows(space, table);
    for (const _ of rows.#reading(table, labels)) await pause();
    keep(space, table, labels, rows);
    return rows;
  }

  /** Yields now and then. */
  *#reading(table: Table, labels: readonly string[]): Generator<void> {
    const space = this.#space;
    for (const [i, row] of table.rowsWith(labels).entries()) {
      const text = space.format(space.parse(table.arch(row)));
      if (!this.#byText.has(text)) this.#byText.set(text, row);
      if (i % SLICE === 0) yield;
    }
    this.#texts = [...this.#byText.keys()];
  }

  /** @param text in its canonical form, as searches have it. @param arch what the text says, if it is at hand */
  rowOf(text: string, arch?: unknown): number | undefined {
    const { hash, key = hash, hasCanonicalTexts, parse } = this.#space;
    const row = this.#byText.get(text);
    if (row !== undefined || key === undefined || hasCanonicalTexts) return row;
    this.#byKey ??= this.#keyed(key);
    return this.#byKey.get(key(arch ?? parse(text)));
  }

  #keyed(keyOf: (arch: unknown) => string): Map<string, number> {
    const rows = new Map<string, number>();
    for (const [text, row] of this.#byText) {
      const key = keyOf(this.#space.parse(text));
      if (!rows.has(key)) rows.set(key, row);
    }
    return rows;
  }
}

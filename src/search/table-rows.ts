// The rows of a table by architecture, found once for a table and its labels: evaluators and table spaces share them.
import type { Table } from '../datasets/table.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';

interface Kept {
  readonly space: AnySpace;
  readonly labels: string;
  readonly rows: TableRows;
}

const kept = new WeakMap<Table, Kept[]>();

/** Finds the row of an architecture: by its text, or else by its hash, as the same network may be written otherwise. */
export class TableRows {
  readonly #space: AnySpace;
  readonly #byText = new Map<string, number>();
  #byHash: Map<string, number> | undefined;
  /** The canonical texts of the rows. */
  readonly texts: readonly string[];

  private constructor(space: AnySpace, table: Table, labels: readonly string[]) {
    if (table.space !== space.name) {
      throw new AuspexError('OTHER_SPACE', `the table is of ${table.space}, the search is in ${space.name}`);
    }
    this.#space = space;
    for (const row of table.rowsWith(labels)) {
      const text = space.format(space.parse(table.arch(row)));
      if (!this.#byText.has(text)) this.#byText.set(text, row);
    }
    this.texts = [...this.#byText.keys()];
  }

  /** The same object for the same table, space and labels. @param labels rows without a value in one are left out */
  static of(space: AnySpace, table: Table, labels: readonly string[] = []): TableRows {
    const key = JSON.stringify(labels.toSorted());
    const known = kept.get(table) ?? [];
    const found = known.find((entry) => entry.space === space && entry.labels === key);
    if (found !== undefined) return found.rows;
    const rows = new TableRows(space, table, labels);
    kept.set(table, [...known, { space, labels: key, rows }]);
    return rows;
  }

  /** @param text in its canonical form, as searches have it. @param arch what the text says, if it is at hand */
  rowOf(text: string, arch?: unknown): number | undefined {
    const { hash, hasCanonicalTexts, parse } = this.#space;
    const row = this.#byText.get(text);
    if (row !== undefined || hash === undefined || hasCanonicalTexts) return row;
    this.#byHash ??= this.#hashed(hash);
    return this.#byHash.get(hash(arch ?? parse(text)));
  }

  #hashed(hash: (arch: unknown) => string): Map<string, number> {
    const rows = new Map<string, number>();
    for (const [text, row] of this.#byText) {
      const key = hash(this.#space.parse(text));
      if (!rows.has(key)) rows.set(key, row);
    }
    return rows;
  }
}

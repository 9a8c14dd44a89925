// A table being filled row by row. Columns double when they are full, so that a million rows cost twenty copies.
import { type Label, Table } from './table.js';
import { TextBuilder } from './texts.js';

/**
 * @example
 * builder.arch.text('8:8:8:8:8');
 * builder.set(0, 76.9); // the first label
 * builder.endRow();     // labels that were not set are missing
 */
export class TableBuilder {
  /** The text of the row that is being filled. */
  readonly arch = new TextBuilder();
  readonly #space: string;
  readonly #labels: readonly Label[];
  /** Columns of words, in the order of their names. */
  readonly texts: readonly TextBuilder[];
  readonly #texts: readonly string[];
  #columns: Float64Array[];
  #rows = 0;

  constructor(space: string, labels: readonly Label[], texts: readonly string[] = []) {
    this.#space = space;
    this.#labels = labels;
    this.#texts = texts;
    this.texts = texts.map(() => new TextBuilder());
    this.#columns = labels.map(() => new Float64Array(256).fill(Number.NaN));
  }

  get rows(): number {
    return this.#rows;
  }

  /** The value of a label in the row that is being filled. */
  set(label: number, value: number): void {
    this.#columns[label]![this.#rows] = value;
  }

  /** Forgets the row that is being filled. */
  dropRow(): void {
    for (const texts of [this.arch, ...this.texts]) texts.drop();
    for (const column of this.#columns) column[this.#rows] = Number.NaN;
  }

  endRow(): void {
    this.arch.end();
    for (const texts of this.texts) texts.end();
    this.#rows++;
    if (this.#rows < (this.#columns[0]?.length ?? Number.POSITIVE_INFINITY)) return;
    this.#columns = this.#columns.map((column) => {
      const larger = new Float64Array(column.length * 2);
      larger.set(column);
      return larger.fill(Number.NaN, column.length);
    });
  }

  finish(): Table {
    return new Table({
      space: this.#space,
      labels: this.#labels,
      architectures: this.arch.finish(),
      columns: new Map(this.#labels.map(({ name }, i) => [name, this.#columns[i]!.slice(0, this.#rows)])),
      texts: new Map(this.#texts.map((name, i) => [name, this.texts[i]!.finish()])),
    });
  }
}

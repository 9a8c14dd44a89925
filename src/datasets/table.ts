// A benchmark as a table: the space's name, an architecture text a row, named numeric labels. Columns, not objects:
// hundreds of thousands of rows are a few typed arrays. A table does not change; NaN stands for a missing value, and
// no value is infinite.
import { AuspexError } from '../util/errors.js';
import { TextColumn } from './texts.js';

/** What a column of numbers says. */
export interface Label {
  readonly name: string;
  /** `%`, `ms`, `images/s`; empty for a number that has none. */
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  /** How the numbers were obtained: measured by whom, trained how, predicted by what. */
  readonly provenance: string;
  /** How predictors learn it, where it is said: as it is, or as its logarithm, which makes errors relative. */
  readonly transform?: LabelTransform;
}

export type LabelTransform = 'linear' | 'log';

/** The name of the architectures' column in files; no label has it. */
export const ARCH = 'arch';

/** What the values of a label are like. Without any present, the numbers are NaN. */
export interface LabelSummary {
  readonly label: Label;
  readonly count: number;
  readonly missing: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** A table as plain arrays. */
export interface TableParts {
  readonly space: string;
  readonly labels: readonly Label[];
  readonly architectures: TextColumn | readonly string[];
  /** A column for each label, by its name. */
  readonly columns: Readonly<Record<string, ArrayLike<number>>> | ReadonlyMap<string, Float64Array>;
  /** Columns of words, such as the device or the family of a row. */
  readonly texts?: ReadonlyMap<string, TextColumn>;
}

/**
 * Networks of one space with named numeric labels, in columns. A table does not change; NaN is a missing value.
 *
 * @example
 * const table = new Table({
 *   space: 'nats-size',
 *   labels: [{ name: 'latency', unit: 'ms', better: 'lower', provenance: 'measured on my board' }],
 *   architectures: ['8:8:8:8:8', '16:16:16:16:16', '24:24:24:24:24'],
 *   columns: { latency: [1.2, Number.NaN, 3.1] },
 * });
 * const measured = table.withPresent(['latency']);
 * measured.rows; // 2
 * measured.arch(1); // '24:24:24:24:24'
 * measured.column('latency')[1]; // 3.1
 */
export class Table {
  readonly space: string;
  readonly labels: readonly Label[];
  readonly architectures: TextColumn;
  /** Columns of words by name: what rows can be grouped by. */
  readonly texts: ReadonlyMap<string, TextColumn>;
  readonly #columns: ReadonlyMap<string, Float64Array>;

  constructor({ space, labels, architectures, columns, texts = new Map() }: TableParts) {
    this.space = space;
    this.labels = labels;
    this.texts = texts;
    this.architectures = architectures instanceof TextColumn ? architectures : TextColumn.of(architectures);
    const byName = new Map<string, Float64Array>();
    for (const { name } of labels) {
      const given = columns instanceof Map ? columns.get(name) : own(columns, name);
      if (name === ARCH || name === '' || byName.has(name)) {
        throw new AuspexError('TABLE_LABEL', `a table cannot have ${nameProblem(name)}`);
      }
      if (given?.length !== this.architectures.length) {
        throw new AuspexError(
          'TABLE_COLUMN',
          `label '${name}' has ${given?.length ?? 0} values for ${this.architectures.length} architectures`,
        );
      }
      byName.set(name, finite(name, given instanceof Float64Array ? given : Float64Array.from(given)));
    }
    const twice = [...texts.keys()].find((name) => name === ARCH || name === '' || byName.has(name));
    if (twice !== undefined)
      throw new AuspexError('TABLE_LABEL', `a table cannot have ${nameProblem(twice)}`);
    this.#columns = byName;
  }

  get rows(): number {
    return this.architectures.length;
  }

  arch(row: number): string {
    return this.architectures.at(row);
  }

  /** The values of a label, one a row; callers do not write into them. */
  column(name: string): Float64Array {
    const column = this.#columns.get(name);
    if (column) return column;
    throw new AuspexError('TABLE_NO_LABEL', `the table has no label '${name}'`, {
      hint: `it has ${this.labels.map((label) => label.name).join(', ') || 'none'}`,
    });
  }

  label(name: string): Label {
    this.column(name);
    return this.labels.find((label) => label.name === name)!;
  }

  /** A column of words. */
  text(name: string): TextColumn {
    const column = this.texts.get(name);
    if (column) return column;
    throw new AuspexError('TABLE_NO_TEXT', `the table has no text column '${name}'`, {
      hint: `it has ${[...this.texts.keys()].join(', ') || 'none'}; keep one with auspex data import --group ${name}`,
    });
  }

  /** The rows at these indices, in their order. */
  take(indices: ArrayLike<number>): Table {
    const columns = new Map<string, Float64Array>();
    for (const { name } of this.labels) {
      const from = this.column(name);
      const to = new Float64Array(indices.length);
      for (let i = 0; i < to.length; i++) to[i] = from[indices[i]!]!;
      columns.set(name, to);
    }
    return new Table({
      space: this.space,
      labels: this.labels,
      architectures: this.architectures.take(indices),
      columns,
      texts: new Map([...this.texts].map(([name, texts]) => [name, texts.take(indices)])),
    });
  }

  /** The indices of rows in which all of these labels have a value. */
  rowsWith(names: readonly string[]): Uint32Array {
    const columns = names.map((name) => this.column(name));
    const found = new Uint32Array(this.rows);
    let count = 0;
    for (let row = 0; row < this.rows; row++) {
      if (columns.every((column) => !Number.isNaN(column[row]))) found[count++] = row;
    }
    return found.slice(0, count);
  }

  /** The rows in which all of these labels have a value. */
  withPresent(names: readonly string[]): Table {
    const rows = this.rowsWith(names);
    return rows.length === this.rows ? this : this.take(rows);
  }

  /** All rows, with only these labels, in this order. */
  select(names: readonly string[]): Table {
    return new Table({
      space: this.space,
      labels: names.map((name) => this.label(name)),
      architectures: this.architectures,
      columns: this.#columns,
      texts: this.texts,
    });
  }

  /** The same numbers with other descriptions of their labels. */
  relabelled(change: (label: Label) => Label): Table {
    const labels = this.labels.map(change);
    const columns = new Map(labels.map(({ name }, i) => [name, this.column(this.labels[i]!.name)]));
    return new Table({
      space: this.space,
      labels,
      architectures: this.architectures,
      columns,
      texts: this.texts,
    });
  }

  describe(): LabelSummary[] {
    return this.labels.map((label) => {
      const present = this.column(label.name).filter((value) => !Number.isNaN(value));
      present.sort();
      const middle = present.length >> 1;
      const median =
        present.length % 2 === 1 ? present[middle] : midpoint(present[middle - 1], present[middle]);
      return {
        label,
        count: present.length,
        missing: this.rows - present.length,
        min: present[0] ?? Number.NaN,
        median: median ?? Number.NaN,
        max: present.at(-1) ?? Number.NaN,
      };
    });
  }

  /**
   * The rows of all tables, of one space. A label that only some of them have is missing in the rows of the others;
   * one that they have with different units is an error.
   */
  static concat(tables: readonly Table[]): Table {
    const first = tables[0];
    if (!first) throw new AuspexError('TABLE_EMPTY', 'there are no tables to join');
    const labels = new Map<string, Label>();
    for (const table of tables) {
      if (table.space !== first.space) {
        throw new AuspexError(
          'TABLE_SPACES',
          `tables of different spaces cannot be joined: '${first.space}' and '${table.space}'`,
        );
      }
      for (const label of table.labels) labels.set(label.name, joined(labels.get(label.name), label));
    }
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const columns = new Map<string, Float64Array>();
    for (const name of labels.keys()) {
      const column = new Float64Array(rows).fill(Number.NaN);
      let at = 0;
      for (const table of tables) {
        if (table.#columns.has(name)) column.set(table.column(name), at);
        at += table.rows;
      }
      columns.set(name, column);
    }
    return new Table({
      space: first.space,
      labels: [...labels.values()],
      architectures: TextColumn.of(allTexts(tables)),
      columns,
      texts: joinedTexts(tables),
    });
  }
}

/** Columns of words that all tables have. */
function joinedTexts(tables: readonly Table[]): Map<string, TextColumn> {
  const common = [...tables[0]!.texts.keys()].filter((name) => tables.every(({ texts }) => texts.has(name)));
  return new Map(
    common.map((name) => [name, TextColumn.of(tables.flatMap((table) => [...table.text(name)]))]),
  );
}

function* allTexts(tables: readonly Table[]): Generator<string> {
  for (const table of tables) yield* table.architectures;
}

function joined(known: Label | undefined, label: Label): Label {
  if (known === undefined) return label;
  if (known.unit !== label.unit || known.better !== label.better) {
    throw new AuspexError(
      'TABLE_LABELS',
      `label '${label.name}' means different things in the tables to join`,
      {
        hint: `its units are '${known.unit}' and '${label.unit}'`,
      },
    );
  }
  const { transform, ...rest } = known;
  const provenance = known.provenance.includes(label.provenance)
    ? known.provenance
    : `${known.provenance}; ${label.provenance}`;
  return {
    ...rest,
    provenance,
    ...(transform !== undefined && transform === label.transform ? { transform } : {}),
  };
}

function midpoint(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? b : a / 2 + b / 2;
}

/** A column, if no value is infinite. Readers of files refuse such values before, with the line. */
function finite(name: string, column: Float64Array): Float64Array {
  const row = column.findIndex(
    (value) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY,
  );
  if (row < 0) return column;
  throw new AuspexError('TABLE_VALUE', `label '${name}' is ${column[row]} in row ${row + 1}`, {
    hint: 'leave unknown values out: NaN in memory, an empty field in a file',
  });
}

function own(columns: TableParts['columns'], name: string): ArrayLike<number> | undefined {
  return Object.hasOwn(columns, name) ? (columns as Record<string, ArrayLike<number>>)[name] : undefined;
}

function nameProblem(name: string): string {
  if (name === ARCH) return `a label named '${ARCH}', the name of the architectures' column`;
  return name === '' ? 'a label without a name' : `two columns named '${name}'`;
}

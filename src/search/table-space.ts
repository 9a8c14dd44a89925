// A space cut down to the rows of a table, so that a search meets no architecture without a label. In a table of the
// whole space neighbours are as ever; where rows are few and far between, they are the rows most like the parent.
import type { Table } from '../datasets/table.js';
import { crossover, mutantOf, neighbours } from '../spaces/choices.js';
import type { AnySpace, Space } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import type { Pause } from '../util/pauses.js';
import type { Random } from '../util/random.js';
import { NearRows } from './near-rows.js';
import { TableRows } from './table-rows.js';

export interface TableSpace<A> extends Space<A> {
  /** The space that the rows are of. */
  readonly base: Space<A>;
  /** All rows, in the order of the table. */
  readonly texts: readonly string[];
  /**
   * One choice made differently, if one of a few draws leads to another row. Else rows are ordered by how like the
   * architecture they are, and the first is taken with a chance of 10 %, or else the second with 10 %, and so on: nine of
   * ten such mutants are among the 22 nearest rows. A few rows that are neighbours only of each other are no trap.
   */
  mutate(arch: A, random: Random): A;
  /** All rows that are one choice away, or else the 22 that are most like the architecture. */
  neighbours(arch: A): A[];
  /** The architecture if it is in the table and not `other`, else the row most like it; ties are drawn. */
  nearest(arch: A, random: Random, other?: A): A;
  /** Reads with pauses what `nearest` looks rows up in, which takes long for large tables. */
  prepare(pause: Pause): Promise<void>;
}

export function isTableSpace(space: AnySpace): space is TableSpace<unknown> {
  return 'base' in space && 'nearest' in space;
}

/** The chance that a row like the parent is passed over for the next one. */
const PASS_OVER = 0.9;
/** Draws of one choice made differently: where half of them are rows, 15 of 16 mutants are neighbours. */
const DRAWS = 4;
/** How many rows make up nine of ten mutants. */
const NEAREST = 22;

/**
 * A space whose architectures are the rows of a table: `sample` draws one, all equally likely; its choices are those that
 * lead to other rows; a child is the row nearest to what the parents' choices make. How like two architectures are is
 * the `distance` of their choices.
 *
 * @param labels rows without a value in one of these are left out
 */
export function tableSpace<A>(base: Space<A>, table: Table, labels: readonly string[] = []): TableSpace<A> {
  const rows = TableRows.of(base, table, labels);
  const { texts } = rows;
  if (texts.length === 0) {
    throw new AuspexError(
      'TABLE_EMPTY',
      `the table has no rows with ${labels.join(', ') || 'architectures'}`,
    );
  }
  const near = new NearRows(base, texts);
  const isRow = (arch: A): boolean => rows.rowOf(base.format(arch), arch) !== undefined;
  const inTable: Space<A> = {
    ...base,
    size: BigInt(texts.length),
    sample: (random) => base.parse(random.pick(texts)),
    choices: (arch) =>
      base.choices(arch).map((choice) => ({
        ...choice,
        set: (i) => {
          const made = choice.set(i);
          return made !== undefined && isRow(made) ? made : undefined;
        },
      })),
    cross: (a, b, random) => nearest(crossover(base, a, b, random), random),
  };
  const nearest = (arch: A, random: Random, other?: A): A => {
    const text = base.format(arch);
    const left = other === undefined ? undefined : base.format(other);
    if (text !== left && isRow(arch)) return arch;
    const best = near.nearest(arch, left);
    return best.length === 0 ? arch : base.parse(random.pick(best));
  };
  return {
    ...inTable,
    base,
    texts,
    mutate: (arch, random) => {
      for (let draw = 0; draw < DRAWS; draw++) {
        const mutant = mutantOf(base, arch, random);
        if (mutant === undefined) break;
        if (isRow(mutant)) return mutant;
      }
      const others = near.fromNearest(arch);
      if (others.length === 0) {
        throw new AuspexError('SPACE_SINGLE', 'the table has only one row, so it has no neighbours');
      }
      let place = 0;
      while (random.chance(PASS_OVER)) place = (place + 1) % others.length;
      return base.parse(others[place]!);
    },
    neighbours: (arch) => {
      const found = neighbours(inTable, arch);
      return found.length > 0 ? found : near.fromNearest(arch).slice(0, NEAREST).map(base.parse);
    },
    nearest,
    prepare: (pause) => near.prepare(pause),
  };
}

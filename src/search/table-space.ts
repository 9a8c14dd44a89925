// A space cut down to the rows of a table, so that a search meets no architecture without a label. In a table of the
// whole space neighbours are as ever; where rows are few and far between, they are the rows most like the parent.
import type { Table } from '../datasets/table.js';
import type { AnySpace, Space } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';
import { partsOf } from './sites.js';

/** Finds the row of an architecture: by its text, or else by its hash, as the same network may be written otherwise. */
export class TableRows {
  readonly #byText = new Map<string, number>();
  readonly #byHash = new Map<string, number>();
  readonly #space: AnySpace;
  /** The canonical texts of the rows. */
  readonly texts: readonly string[];

  /** @param labels rows without a value in one of these are left out */
  constructor(space: AnySpace, table: Table, labels: readonly string[] = []) {
    if (table.space !== space.name) {
      throw new AuspexError('OTHER_SPACE', `the table is of ${table.space}, the search is in ${space.name}`);
    }
    this.#space = space;
    const texts: string[] = [];
    for (const row of table.rowsWith(labels)) {
      const arch = space.parse(table.arch(row));
      const text = space.format(arch);
      if (this.#byText.has(text)) continue;
      this.#byText.set(text, row);
      texts.push(text);
      const hash = space.hash?.(arch);
      if (hash !== undefined && !this.#byHash.has(hash)) this.#byHash.set(hash, row);
    }
    this.texts = texts;
  }

  /** @param text in its canonical form, as searches have it */
  rowOf(text: string): number | undefined {
    const row = this.#byText.get(text);
    if (row !== undefined || this.#space.hash === undefined) return row;
    return this.#byHash.get(this.#space.hash(this.#space.parse(text)));
  }
}

export interface TableSpace<A> extends Space<A> {
  /** The space that the rows are of. */
  readonly base: Space<A>;
  /** The architecture if it is in the table and not `other`, else the row most like it; ties are drawn. */
  nearest(arch: A, random: Random, other?: A): A;
}

export function isTableSpace(space: AnySpace): space is TableSpace<unknown> {
  return 'base' in space && 'nearest' in space;
}

/** Neighbours that are drawn in the hope for one in the table. */
const NEIGHBOUR_TRIES = 64;

/** The chance that a row like the parent is passed over for the next one. */
const PASS_OVER = 0.9;

/**
 * A space whose architectures are the rows of a table.
 *
 * - `sample` draws a row, all equally likely.
 * - `mutate` draws neighbours until one is in the table. If none of 64 is, rows are ordered by how like the parent they
 *   are, and the first is taken with a chance of 10 %, or else the second with 10 %, and so on: nine of ten mutants
 *   are among the 22 nearest rows, and every row can be reached from every other.
 * - `crossover` takes the row nearest to the child.
 *
 * How like two architectures are is told from their texts, see `distance`.
 *
 * @param labels rows without a value in one of these are left out
 */
export function tableSpace<A>(base: Space<A>, table: Table, labels: readonly string[] = []): TableSpace<A> {
  const rows = new TableRows(base, table, labels);
  const { texts } = rows;
  if (texts.length === 0) {
    throw new AuspexError(
      'TABLE_EMPTY',
      `the table has no rows with ${labels.join(', ') || 'architectures'}`,
    );
  }
  const isAmongOthers = new Map<string, boolean>();
  let parts: Part[][][] | undefined;
  const distancesTo = (text: string): Float64Array => {
    parts ??= texts.map(measured);
    const own = measured(text);
    return Float64Array.from(parts, (other) => distance(own, other));
  };
  /** Mutants are drawn of one parent many times in a row. */
  let last: { text: string; order: readonly number[] } | undefined;
  const fromNearest = (text: string): readonly number[] => {
    if (last?.text === text) return last.order;
    const distances = distancesTo(text);
    const order = texts.map((_, i) => i).filter((i) => texts[i] !== text);
    order.sort((a, b) => distances[a]! - distances[b]!);
    last = { text, order };
    return order;
  };
  /** A neighbour, if it is in the table. */
  const drawn = (arch: A, random: Random): A | undefined => {
    const neighbour = base.mutate(arch, random);
    return rows.rowOf(base.format(neighbour)) === undefined ? undefined : neighbour;
  };
  /** Whether some neighbours are in the table: always the same for an architecture, as mutants must be for a seed. */
  const hasNeighbours = (text: string, arch: A): boolean => {
    let found = isAmongOthers.get(text);
    if (found === undefined) {
      const random = Random.seeded(0);
      found = Array.from({ length: NEIGHBOUR_TRIES }, () => drawn(arch, random)).some(
        (one) => one !== undefined,
      );
      isAmongOthers.set(text, found);
    }
    return found;
  };
  const nearest = (arch: A, random: Random, other?: A): A => {
    const text = base.format(arch);
    const left = other === undefined ? undefined : base.format(other);
    if (text !== left && rows.rowOf(text) !== undefined) return arch;
    const distances = distancesTo(text);
    let best: number[] = [];
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < distances.length; i++) {
      if (texts[i] === left || distances[i]! > least) continue;
      if (distances[i]! < least) best = [];
      least = distances[i]!;
      best.push(i);
    }
    return best.length === 0 ? arch : base.parse(texts[random.pick(best)]!);
  };
  return {
    ...base,
    base,
    size: BigInt(texts.length),
    sample: (random) => base.parse(random.pick(texts)),
    mutate: (arch, random) => {
      const text = base.format(arch);
      for (let tries = 0; tries < NEIGHBOUR_TRIES && (tries === 0 || hasNeighbours(text, arch)); tries++) {
        const neighbour = drawn(arch, random);
        if (neighbour !== undefined) return neighbour;
      }
      const others = fromNearest(text);
      if (others.length === 0)
        throw new AuspexError('SPACE_SINGLE', 'the table has one row, without neighbours');
      let place = 0;
      while (random.chance(PASS_OVER)) place = (place + 1) % others.length;
      return base.parse(texts[others[place]!]!);
    },
    crossover: (a, b, random) => nearest(base.crossover(a, b, random), random),
    nearest,
  };
}

/** A part of a text: a number with what stands around it, or a word. */
interface Part {
  readonly word: string;
  readonly number: number;
}

function measured(text: string): Part[][] {
  return partsOf(text).map((field) =>
    field.map((part) => {
      const [, before = part, digits] = /^([a-z]*)(\d+(?:\.\d+)?)$/i.exec(part) ?? [];
      return { word: before, number: digits === undefined ? Number.NaN : Number(digits) };
    }),
  );
}

/**
 * How unlike two texts are: parts are compared place by place in each field. Numbers differ by |a − b| / max(a, b),
 * words by 1, and a part that only one of them has counts 1.
 */
function distance(a: readonly (readonly Part[])[], b: readonly (readonly Part[])[]): number {
  let sum = 0;
  for (let field = 0; field < Math.max(a.length, b.length); field++) {
    const [x, y] = [a[field] ?? [], b[field] ?? []];
    const shared = Math.min(x.length, y.length);
    sum += Math.max(x.length, y.length) - shared;
    for (let i = 0; i < shared; i++) sum += difference(x[i]!, y[i]!);
  }
  return sum;
}

function difference(a: Part, b: Part): number {
  if (a.word !== b.word || Number.isNaN(a.number) !== Number.isNaN(b.number)) return 1;
  const largest = Math.max(a.number, b.number);
  return largest > 0 ? Math.abs(a.number - b.number) / largest : 0;
}

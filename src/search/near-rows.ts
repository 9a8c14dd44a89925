// The rows of a table in the order of how like an architecture they are: `distance` of the choices, for many rows at once.
import { profile, relativeDifference } from '../spaces/choices.js';
import type { Space } from '../spaces/space.js';
import type { Pause } from '../util/pauses.js';

/** A site of some rows, with their options as numbers. */
interface Column {
  readonly ordinal: boolean;
  /** The numbers of options that are none themselves. */
  readonly codes: Map<string | number, number>;
  /** NaN for rows without the site. */
  readonly values: Float64Array;
}

/** Rows between two pauses. */
const SLICE = 256;

export class NearRows<A> {
  readonly #space: Space<A>;
  readonly #texts: readonly string[];
  #columns: ReadonlyMap<string, Column> | undefined;
  /** Mutants are drawn of one parent many times in a row. */
  #last: { readonly text: string; readonly order: readonly string[] } | undefined;

  /** @param texts canonical ones */
  constructor(space: Space<A>, texts: readonly string[]) {
    this.#space = space;
    this.#texts = texts;
  }

  /** Reads the rows with pauses, so that what follows need not do it at once. */
  async prepare(pause: Pause): Promise<void> {
    if (this.#columns !== undefined) return;
    const columns = new Map<string, Column>();
    for (const _ of this.#reading(columns)) await pause();
    this.#columns = columns;
  }

  /** All other rows, the nearest first. */
  fromNearest(arch: A): readonly string[] {
    const text = this.#space.format(arch);
    if (this.#last?.text === text) return this.#last.order;
    const distances = this.#distances(arch);
    const order = this.#texts.map((_, i) => i).filter((i) => this.#texts[i] !== text);
    order.sort((a, b) => distances[a]! - distances[b]!);
    this.#last = { text, order: order.map((i) => this.#texts[i]!) };
    return this.#last.order;
  }

  /** The nearest rows but one that is left out; several where they are equally near. */
  nearest(arch: A, left?: string): readonly string[] {
    const distances = this.#distances(arch);
    let best: string[] = [];
    let least = Number.POSITIVE_INFINITY;
    this.#texts.forEach((text, i) => {
      if (text === left || distances[i]! > least) return;
      if (distances[i]! < least) best = [];
      least = distances[i]!;
      best.push(text);
    });
    return best;
  }

  /** As `distance` of `choices.ts`, to every row. */
  #distances(arch: A): Float64Array {
    this.#columns ??= this.#read();
    const own = profile(this.#space, arch);
    const distances = new Float64Array(this.#texts.length);
    for (const [site, { values, ordinal, codes }] of this.#columns) {
      const value = own.get(site)?.value;
      const code = value === undefined ? Number.NaN : ordinal ? Number(value) : (codes.get(value) ?? -1);
      const hasSite = value !== undefined;
      for (let i = 0; i < values.length; i++) {
        const other = values[i]!;
        const isMissing = Number.isNaN(other);
        if (isMissing || !hasSite) distances[i]! += Number(isMissing === hasSite);
        else if (other !== code) distances[i]! += ordinal ? relativeDifference(other, code) : 1;
      }
    }
    const unknown = [...own.keys()].filter((site) => !this.#columns!.has(site)).length;
    return distances.map((distance) => distance + unknown);
  }

  #read(): Map<string, Column> {
    const columns = new Map<string, Column>();
    for (const _ of this.#reading(columns));
    return columns;
  }

  /** Yields now and then. */
  *#reading(columns: Map<string, Column>): Generator<void> {
    for (const [row, text] of this.#texts.entries()) {
      for (const [site, { value, ordinal }] of profile(this.#space, this.#space.parse(text))) {
        let column = columns.get(site);
        if (column === undefined) {
          const values = new Float64Array(this.#texts.length).fill(Number.NaN);
          column = { ordinal, codes: new Map(), values };
          columns.set(site, column);
        }
        const { codes } = column;
        if (!ordinal && !codes.has(value)) codes.set(value, codes.size);
        column.values[row] = ordinal ? Number(value) : codes.get(value)!;
      }
      if (row % SLICE === 0) yield;
    }
  }
}

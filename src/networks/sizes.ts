// Sizes that a network's reference leaves open: named dimensions and shapes of inputs of a file; batch, resolution,
// width and classes of a space's network.
import type { NetworkOptions } from '../spaces/space.js';

export interface Sizes extends NetworkOptions {
  /** Values of symbolic dimensions, by name. */
  readonly dims?: Readonly<Record<string, number>>;
  /** Shapes of inputs, by name; texts name symbolic sizes. */
  readonly shapes?: Readonly<Record<string, readonly (number | string)[]>>;
}

/** Sizes with others in their place; dimensions and shapes are merged name by name. */
export function mergedSizes(sizes: Sizes, others: Sizes): Sizes {
  const { dims, shapes } = sizes;
  return {
    ...sizes,
    ...others,
    ...(dims && others.dims ? { dims: { ...dims, ...others.dims } } : {}),
    ...(shapes && others.shapes ? { shapes: { ...shapes, ...others.shapes } } : {}),
  };
}

const keys = new WeakMap<Sizes, string>();

/** The same text for equal sizes; empty if there are none. Made once: thousands of networks have the same ones. */
export function sizesKey(sizes: Sizes): string {
  let key = keys.get(sizes);
  if (key === undefined) {
    key = keyOf(sizes);
    keys.set(sizes, key);
  }
  return key;
}

function keyOf(sizes: Sizes): string {
  const { dims = {}, shapes = {}, ...numbers } = sizes;
  const sorted = (record: object): [string, unknown][] =>
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [sorted(numbers), sorted(dims), sorted(shapes)];
  return parts.every((part) => part.length === 0) ? '' : JSON.stringify(parts);
}

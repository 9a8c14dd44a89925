// What of a graph depends on what: the ways between values, walked in both directions.
import { dependentValues, valuesRead } from '../../analysis/dependence.js';
import type { Model, Node } from '../../graph/graph.js';
import { isTensor, type ValueType } from '../../graph/types.js';
import { traitsOf } from '../../ops/index.js';
import type { Arithmetic, Movement } from '../../ops/traits.js';

export interface Links {
  readonly nodes: readonly Node[];
  /** The position of the node that computes a value. */
  readonly producers: ReadonlyMap<string, number>;
  /** The nodes that look at the elements of a value. */
  readersOf(name: string): readonly Node[];
  /** Whether a value is the same for all inputs. */
  isFixed(name: string): boolean;
  /** All values that a value is computed from, itself among them. */
  ancestors(name: string): ReadonlySet<string>;
}

/** @param model without functions and control flow, its nodes in the order they run. */
export function linksOf({ graph }: Model): Links {
  const { nodes, initializers } = graph;
  const producers = new Map<string, number>();
  const readers = new Map<string, Node[]>();
  const open = graph.inputs.map(({ name }) => name).filter((name) => !initializers.has(name));
  // Sizes are known, and so the same whatever the input; random numbers never are.
  const dependent = dependentValues(nodes, open, {
    reads: valuesRead,
    begins: (node) => traitsOf(node).draws === 'always',
  });
  const fixed = new Set(initializers.keys());
  nodes.forEach((node, i) => {
    for (const name of valuesRead(node)) {
      const others = readers.get(name);
      if (others) others.push(node);
      else readers.set(name, [node]);
    }
    for (const output of node.outputs) {
      if (output === '') continue;
      producers.set(output, i);
      if (!dependent.has(output)) fixed.add(output);
    }
  });
  const ancestors = (name: string): ReadonlySet<string> => {
    const found = new Set([name]);
    for (const value of found) {
      const from = producers.get(value);
      if (from === undefined) continue;
      for (const input of nodes[from]!.inputs) if (input !== '') found.add(input);
    }
    return found;
  };
  const readersOf = (name: string): readonly Node[] => readers.get(name) ?? [];
  return { nodes, producers, readersOf, isFixed: (name) => fixed.has(name), ancestors };
}

/** The sizes of a value; proxies work on graphs whose sizes are all known. */
export function valueSizes(types: ReadonlyMap<string, ValueType>, name: string): readonly number[] {
  const type = types.get(name);
  return isTensor(type) ? ((type.shape ?? []) as readonly number[]) : [];
}

export const product = (sizes: readonly number[]): number => sizes.reduce((n, d) => n * d, 1);

/** The output is the first input, or part of it, in another shape, order or type. */
const KEEPS: ReadonlySet<Movement | undefined> = new Set([
  ...(['same', 'type', 'shape', 'axes', 'broadcast', 'part', 'rows'] as const),
]);

/** The output is an input in another scale, or moved, where the other is constant. */
const SCALES: ReadonlySet<Arithmetic | undefined> = new Set(['add', 'subtract', 'multiply', 'divide']);

/** The input whose elements a node passes on, moved or with a constant added or multiplied; undefined if it does more. */
export function passedOn(node: Node, { isFixed }: Links): string | undefined {
  const { moves, arithmetic } = traitsOf(node);
  if (KEEPS.has(moves)) return isFixed(node.inputs[0]!) ? undefined : node.inputs[0];
  if (!SCALES.has(arithmetic)) return undefined;
  const open = node.inputs.filter((name) => !isFixed(name));
  return open.length === 1 ? open[0] : undefined;
}

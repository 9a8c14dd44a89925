// What of a graph depends on what: the ways between values, walked in both directions.
import { type Model, type Node, operatorName } from '../graph/graph.js';
import { isTensor, type ValueType } from '../graph/types.js';

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

/** Operators that look at the size of what they get and at nothing else. */
const SIZES = new Set(['Shape', 'Size']);

/** The inputs whose elements a node looks at; CastLike wants only the type of its second. */
export function valuesRead(node: Node): readonly string[] {
  return operatorName(node) === 'CastLike' ? node.inputs.slice(0, 1) : node.inputs;
}

/** @param model without functions and control flow, its nodes in the order they run. */
export function linksOf({ graph }: Model): Links {
  const { nodes, initializers } = graph;
  const producers = new Map<string, number>();
  const readers = new Map<string, Node[]>();
  const fixed = new Set(initializers.keys());
  nodes.forEach((node, i) => {
    for (const name of valuesRead(node)) {
      const others = readers.get(name);
      if (others) others.push(node);
      else readers.set(name, [node]);
    }
    for (const output of node.outputs) if (output !== '') producers.set(output, i);
    const isRandom = /^(Random|Multinomial|Bernoulli)/.test(node.opType);
    // Sizes are known, and so the same whatever the input.
    const isFixed =
      SIZES.has(operatorName(node)) || valuesRead(node).every((name) => name === '' || fixed.has(name));
    if (isRandom || !isFixed) return;
    for (const output of node.outputs) fixed.add(output);
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

/** The model without the nodes that its outputs do not need. */
export function pruned(model: Model): Model {
  const { graph } = model;
  const needed = new Set(graph.outputs.map((output) => output.name));
  const kept: Node[] = [];
  for (const node of [...graph.nodes].reverse()) {
    if (!node.outputs.some((name) => needed.has(name))) continue;
    kept.push(node);
    for (const name of node.inputs) needed.add(name);
  }
  const initializers = new Map([...graph.initializers].filter(([name]) => needed.has(name)));
  return { ...model, graph: { ...graph, nodes: kept.reverse(), initializers } };
}

/** The sizes of a value; proxies work on graphs whose sizes are all known. */
export function sizesOf(types: ReadonlyMap<string, ValueType>, name: string): readonly number[] {
  const type = types.get(name);
  return isTensor(type) ? ((type.shape ?? []) as readonly number[]) : [];
}

export const product = (sizes: readonly number[]): number => sizes.reduce((n, d) => n * d, 1);

/** Operators whose output is their first input, or part of it, in another shape, order or scale. */
const KEEPS = new Set([
  'Cast',
  'CastLike',
  'Dropout',
  'Expand',
  'Flatten',
  'Gather',
  'Identity',
  'Reshape',
  'Slice',
  'Split',
  'Squeeze',
  'Transpose',
  'Unsqueeze',
]);

const SCALES = new Set(['Add', 'Sub', 'Mul', 'Div']);

/** The input whose elements a node passes on, moved or with a constant added or multiplied; undefined if it does more. */
export function passedOn(node: Node, { isFixed }: Links): string | undefined {
  const operator = operatorName(node);
  if (KEEPS.has(operator)) return isFixed(node.inputs[0]!) ? undefined : node.inputs[0];
  if (!SCALES.has(operator)) return undefined;
  const open = node.inputs.filter((name) => !isFixed(name));
  return open.length === 1 ? open[0] : undefined;
}

// Which values of a graph depend on which: forward from where values come from, and backward from where they are
// needed. Nodes are given in the order in which they run.
import type { Model, Node } from '../graph/graph.js';
import { usedNames } from '../graph/order.js';
import { inputsOf, traitsOf } from '../ops/index.js';

/** The inputs whose elements a node looks at: not those of which it wants only the size or the type. */
export function valuesRead(node: Node): readonly string[] {
  const { ignoresElementsOf } = traitsOf(node);
  if (ignoresElementsOf === undefined) return usedNames(node);
  const inputs = inputsOf(node);
  return node.inputs.filter((_, slot) => !ignoresElementsOf.includes(inputs.name(slot) ?? ''));
}

/** Whether the outputs of a node depend on sizes only, however many elements its inputs have. */
export function readsOnlySizes(node: Node): boolean {
  return node.inputs.length > 0 && traitsOf(node).draws === undefined && valuesRead(node).length === 0;
}

interface DependenceOptions {
  /** What a node depends on; all that it uses by default. */
  readonly reads?: (node: Node) => readonly string[];
  /** Whether values computed from this one depend on the input, too. */
  readonly carries?: (name: string) => boolean;
  /** Nodes whose outputs depend on something, whatever they read. */
  readonly begins?: (node: Node) => boolean;
}

/** All values that depend on some, themselves among them. */
export function dependentValues(
  nodes: readonly Node[],
  from: Iterable<string>,
  { reads = usedNames, carries, begins }: DependenceOptions = {},
): Set<string> {
  const found = new Set(from);
  for (const node of nodes) {
    if (!begins?.(node) && !reads(node).some((name) => found.has(name))) continue;
    for (const name of node.outputs) if (name !== '' && (carries?.(name) ?? true)) found.add(name);
  }
  return found;
}

/** All values that some are computed from, themselves among them. */
export function neededValues(nodes: readonly Node[], by: Iterable<string>): Set<string> {
  const found = new Set(by);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    if (node.outputs.some((name) => found.has(name))) for (const name of usedNames(node)) found.add(name);
  }
  return found;
}

/** The nodes that some values are computed by. */
export function neededNodes(nodes: readonly Node[], by: Iterable<string>): readonly Node[] {
  const needed = neededValues(nodes, by);
  return nodes.filter((node) => node.outputs.some((name) => needed.has(name)));
}

/** The model without the nodes and constants that its outputs do not need. */
export function pruned(model: Model): Model {
  const { graph } = model;
  const needed = neededValues(
    graph.nodes,
    graph.outputs.map(({ name }) => name),
  );
  const nodes = graph.nodes.filter((node) => node.outputs.some((name) => needed.has(name)));
  const initializers = new Map([...graph.initializers].filter(([name]) => needed.has(name)));
  return { ...model, graph: { ...graph, nodes, initializers } };
}

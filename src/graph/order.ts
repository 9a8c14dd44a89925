// Checks that a list of nodes makes sense as a graph, and puts it in an order in which every value is
// computed before it is used. Files should come in that order; some do not.
import { AuspexError } from '../util/errors.js';
import { type Graph, hasSubgraphs, type Node, nodeLabel, operatorName, subgraphs } from './graph.js';

/**
 * The nodes in topological order, as someone walks them: the given order as far as it is one, then the nearest
 * to it. Throws on a cycle, on a value with two producers and on an input that nothing provides.
 *
 * @param isOwn whether a name belongs to the graph: its inputs and initializers, and what the nodes given so
 *   far compute.
 * @param isOuter whether a name exists in the graphs around it.
 */
export function* topologicalOrder(nodes: readonly Node[], isOwn: Test, isOuter: Test): Generator<Node> {
  for (let i = 0; i < nodes.length; i++) {
    if (!isNext(nodes[i]!, isOwn, isOuter)) return yield* sortNodes(nodes.slice(i), isOwn, isOuter, i);
    yield nodes[i]!;
  }
}

type Test = (name: string) => boolean;

/** Whether all that a node uses is there, and what it computes is not. */
function isNext(node: Node, isOwn: Test, isOuter: Test): boolean {
  const used = usedNames(node);
  for (let i = 0; i < used.length; i++) {
    const name = used[i]!;
    if (name !== '' && !isOwn(name) && !isOuter(name)) return false;
  }
  const { outputs } = node;
  for (let i = 0; i < outputs.length; i++) {
    const name = outputs[i]!;
    if (name !== '' && isOwn(name)) return false;
  }
  return outputs.length < 2 || areDistinct(outputs);
}

function areDistinct(names: readonly string[]): boolean {
  const given = names.filter((name) => name !== '');
  return new Set(given).size === given.length;
}

/** Kahn's algorithm; of the nodes that could run next, the first one in the file does. */
function sortNodes(nodes: readonly Node[], isOwn: Test, isOuter: Test, offset: number): readonly Node[] {
  const producer = new Map<string, number>();
  nodes.forEach((node, index) => {
    for (const name of node.outputs) {
      if (name === '') continue;
      if (producer.has(name) || isOwn(name)) {
        throw problem(
          'GRAPH_DUPLICATE_NAME',
          node,
          index + offset,
          `its output '${name}' already exists`,
          'every value needs its own name',
        );
      }
      producer.set(name, index);
    }
  });

  const waitingFor = new Int32Array(nodes.length);
  const consumers = new Map<number, number[]>();
  nodes.forEach((node, index) => {
    for (const name of usedNames(node)) {
      if (name === '') continue;
      const from = producer.get(name);
      if (from === undefined) {
        if (isOwn(name) || isOuter(name)) continue;
        throw problem(
          'GRAPH_MISSING_INPUT',
          node,
          index + offset,
          `its input '${name}' does not exist in the graph`,
        );
      }
      waitingFor[index]!++;
      const list = consumers.get(from);
      if (list) list.push(index);
      else consumers.set(from, [index]);
    }
  });
  const order: Node[] = [];
  const ready: number[] = [];
  for (let i = nodes.length - 1; i >= 0; i--) if (waitingFor[i] === 0) ready.push(i);
  while (ready.length > 0) {
    const index = ready.pop()!;
    order.push(nodes[index]!);
    for (const next of consumers.get(index) ?? []) if (--waitingFor[next]! === 0) ready.push(next);
  }
  if (order.length < nodes.length) {
    const index = waitingFor.findIndex((n) => n > 0);
    throw problem(
      'GRAPH_CYCLE',
      nodes[index]!,
      index + offset,
      'it depends on its own output: the graph has a cycle',
    );
  }
  return order;
}

function problem(code: string, node: Node, index: number, message: string, hint?: string): AuspexError {
  const where = { node: nodeLabel(node, index), operator: operatorName(node) };
  return new AuspexError(code, message, hint ? { where, hint } : { where });
}

/**
 * Every name a node reads: its inputs, and what its subgraphs take from outside. The empty name of an input
 * that is not given, and names that are read twice, may occur.
 */
export function usedNames(node: Node): readonly string[] {
  if (!hasSubgraphs(node)) return node.inputs;
  const names = [...node.inputs];
  for (const [, graph] of subgraphs(node)) for (const name of capturedNames(graph)) names.push(name);
  return names;
}

const captured = new WeakMap<Graph, ReadonlySet<string>>();

/** Names a subgraph uses but does not define: they come from the graphs around it. */
export function capturedNames(graph: Graph): ReadonlySet<string> {
  const known = captured.get(graph);
  if (known) return known;
  const own = new Set<string>();
  for (const input of graph.inputs) own.add(input.name);
  for (const name of graph.initializers.keys()) own.add(name);
  for (const name of graph.sparseInitializers.keys()) own.add(name);
  for (const node of graph.nodes) for (const name of node.outputs) own.add(name);
  const free = new Set<string>();
  for (const node of graph.nodes)
    for (const name of usedNames(node)) if (name !== '' && !own.has(name)) free.add(name);
  for (const output of graph.outputs) if (output.name !== '' && !own.has(output.name)) free.add(output.name);
  captured.set(graph, free);
  return free;
}

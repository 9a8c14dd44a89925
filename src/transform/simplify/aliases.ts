// A graph in which some values are read under other names, so that the nodes that made them can go. Outputs of the graph
// keep their names.
import { type Attribute, type Graph, hasSubgraphs, makeNode, type Node } from '../../graph/graph.js';
import { capturedNames } from '../../graph/order.js';

/** What names are read instead of others; chains are followed. */
type Aliases = ReadonlyMap<string, string>;

/**
 * The graph without some nodes, whose outputs are read elsewhere.
 *
 * @param aliases of every output of a removed node that something reads
 */
export function withoutNodes(graph: Graph, removed: ReadonlySet<Node>, aliases: Aliases): Graph {
  const resolve = (name: string): string => {
    let at = name;
    for (let next = aliases.get(at); next !== undefined; next = aliases.get(at)) at = next;
    return at;
  };
  const produced = new Set(graph.nodes.flatMap((node) => (removed.has(node) ? [] : node.outputs)));
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  // An output that is another value now: the value takes the output's name, or is copied where it has to keep its own.
  const renamed = new Map<string, string>();
  const copies: Node[] = [];
  for (const output of outputs) {
    const source = resolve(output);
    if (source === output) continue;
    if (!produced.has(source) || outputs.has(source) || renamed.has(source)) {
      const name = renamed.get(source) ?? source;
      copies.push(makeNode('Identity', [name], [output], {}, { name: output }));
    } else renamed.set(source, output);
  }
  const nameOf = (name: string): string => {
    const source = resolve(name);
    return renamed.get(source) ?? source;
  };
  const nodes = graph.nodes.flatMap((node) =>
    removed.has(node) ? [] : [withNames(node, nameOf, (name) => renamed.get(name) ?? name)],
  );
  return { ...graph, nodes: [...nodes, ...copies] };
}

/** A node that reads and writes under other names, also in the graphs that it runs. */
function withNames(node: Node, read: (name: string) => string, write: (name: string) => string): Node {
  const inputs = mapped(node.inputs, read);
  const outputs = mapped(node.outputs, write);
  const attributes = hasSubgraphs(node) ? withInnerNames(node.attributes, read) : node.attributes;
  const isSame = inputs === node.inputs && outputs === node.outputs && attributes === node.attributes;
  return isSame ? node : { ...node, inputs, outputs, attributes };
}

function mapped(names: readonly string[], to: (name: string) => string): readonly string[] {
  const found = names.map((name) => (name === '' ? '' : to(name)));
  return found.every((name, i) => name === names[i]) ? names : found;
}

function withInnerNames(
  attributes: Node['attributes'],
  read: (name: string) => string,
): ReadonlyMap<string, Attribute> {
  let isSame = true;
  const found = new Map<string, Attribute>();
  const inner = (graph: Graph): Graph => {
    const captured = capturedNames(graph);
    if (![...captured].some((name) => read(name) !== name)) return graph;
    isSame = false;
    const outside = (name: string): string => (captured.has(name) ? read(name) : name);
    return {
      ...graph,
      nodes: graph.nodes.map((node) => withNames(node, outside, (name) => name)),
      // A body may hand out a value of the graph around it.
      outputs: graph.outputs.map((info) => ({ ...info, name: outside(info.name) })),
    };
  };
  for (const [name, attribute] of attributes) {
    if (attribute.type === 'graph') found.set(name, { type: 'graph', value: inner(attribute.value) });
    else if (attribute.type === 'graphs') {
      found.set(name, { type: 'graphs', value: attribute.value.map(inner) });
    } else found.set(name, attribute);
  }
  return isSame ? attributes : found;
}

// Puts the nodes of a graph into another: what a body calls its values gets a name of its own there.
import { type Attribute, type Graph, hasSubgraphs, type Node, nodeLabel } from './graph.js';
import type { Tensor } from './tensor.js';

/** What names of a body are called outside. */
type Renaming = ReadonlyMap<string, string>;

/** The nodes of a body as part of the graph around it. */
interface Inlined {
  readonly nodes: readonly Node[];
  readonly initializers: ReadonlyMap<string, Tensor>;
  /** The names of the body's outputs. */
  readonly outputs: readonly string[];
}

/** What is put in: a subgraph, or a function with its attributes bound. */
type Body = Pick<Graph, 'nodes' | 'initializers'> & { readonly outputs: readonly string[] };

/**
 * @param given what the body's inputs are called outside; '' for one that is not given.
 * @param fresh a name nobody has, like the one that is wished for.
 */
export function inlined(body: Body, given: Renaming, fresh: (name: string) => string): Inlined {
  const names = new Map(given);
  for (const name of body.initializers.keys()) if (!names.has(name)) names.set(name, fresh(name));
  for (const { outputs } of body.nodes) {
    for (const name of outputs) if (name !== '') names.set(name, fresh(name));
  }
  const outside = (name: string): string => names.get(name) ?? name;
  return {
    nodes: body.nodes.map((node, i) => ({ ...renamed(node, names), name: fresh(nodeLabel(node, i)) })),
    initializers: new Map(
      [...body.initializers].map(([name, tensor]) => [outside(name), { ...tensor, name: outside(name) }]),
    ),
    outputs: body.outputs.map(outside),
  };
}

/** A node that reads and gives values under other names, also in the bodies that it runs. */
export function renamed(node: Node, names: Renaming): Node {
  const outside = (name: string): string => (name === '' ? '' : (names.get(name) ?? name));
  const { inputs, outputs } = node;
  const attributes = hasSubgraphs(node) ? renamedBodies(node.attributes, names) : node.attributes;
  return { ...node, inputs: inputs.map(outside), outputs: outputs.map(outside), attributes };
}

function renamedBodies(
  attributes: ReadonlyMap<string, Attribute>,
  names: Renaming,
): ReadonlyMap<string, Attribute> {
  return new Map(
    [...attributes].map(([key, attribute]): [string, Attribute] => {
      if (attribute.type === 'graph')
        return [key, { type: 'graph', value: captures(attribute.value, names) }];
      if (attribute.type !== 'graphs') return [key, attribute];
      return [key, { type: 'graphs', value: attribute.value.map((graph) => captures(graph, names)) }];
    }),
  );
}

/** A subgraph that finds what it takes from outside under other names. Its own names hide those. */
function captures(graph: Graph, names: Renaming): Graph {
  const own = new Set([
    ...graph.inputs.map(({ name }) => name),
    ...graph.initializers.keys(),
    ...graph.sparseInitializers.keys(),
    ...graph.nodes.flatMap(({ outputs }) => outputs),
  ]);
  const visible = new Map([...names].filter(([name]) => !own.has(name)));
  if (visible.size === 0) return graph;
  return {
    ...graph,
    nodes: graph.nodes.map((node) => renamed(node, visible)),
    outputs: graph.outputs.map((output) => ({ ...output, name: visible.get(output.name) ?? output.name })),
  };
}

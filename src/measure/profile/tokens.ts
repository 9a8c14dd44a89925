// Names that survive: before a network is profiled, every node gets a short name of its own, so that the kernels which the
// runtime makes of it, and names after it, can be traced back.
import {
  type Attribute,
  type Graph,
  hasSubgraphs,
  type Model,
  type Node,
  nodeLabel,
} from '../../graph/graph.js';

/** A node of the user's network. */
export interface UserNode {
  readonly node: Node;
  /** As people call it: its name, with those of the nodes around it in front. */
  readonly label: string;
  /** Whether it is in the main graph. */
  readonly isOuter: boolean;
}

export interface TokenisedModel {
  readonly model: Model;
  /** Nodes by token. */
  readonly nodes: readonly UserNode[];
}

const TOKEN = /@(\d+)@/g;

/** The tokens in a name. */
export function tokensIn(name: string): number[] {
  return [...name.matchAll(TOKEN)].map(([, digits]) => Number(digits));
}

/** The model with a token as the name of each node, also in subgraphs and functions. */
export function tokenised(model: Model): TokenisedModel {
  const nodes: UserNode[] = [];
  const graphOf = (graph: Graph, path: string): Graph => ({
    ...graph,
    nodes: graph.nodes.map((node, i) => named(node, path, i)),
  });
  const named = (node: Node, path: string, index: number): Node => {
    const label = `${path}${nodeLabel(node, index)}`;
    const name = `@${nodes.length}@`;
    nodes.push({ node, label, isOuter: path === '' });
    return { ...node, name, attributes: hasSubgraphs(node) ? bodies(node, `${label}/`) : node.attributes };
  };
  const bodies = (node: Node, path: string): ReadonlyMap<string, Attribute> =>
    new Map(
      [...node.attributes].map(([key, attribute]): [string, Attribute] => {
        if (attribute.type === 'graph') return [key, { ...attribute, value: graphOf(attribute.value, path) }];
        if (attribute.type !== 'graphs') return [key, attribute];
        return [key, { ...attribute, value: attribute.value.map((graph) => graphOf(graph, path)) }];
      }),
    );
  const graph = graphOf(model.graph, '');
  const functions = model.functions.map((definition) => ({
    ...definition,
    nodes: definition.nodes.map((node, i) => named(node, `${definition.name}/`, i)),
  }));
  return { model: { ...model, graph, functions }, nodes };
}

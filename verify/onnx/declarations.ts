// What a model says of the types of its values, taken out of it.
import type { Attribute, Graph, Model } from '../../src/graph/graph.js';
import { UNKNOWN } from '../../src/graph/types.js';

/**
 * The model without the types it declares for its outputs and inner values, in subgraphs too. Tests declare
 * the very answer; inference takes a declaration where it knows nothing better.
 */
export function withoutDeclarations(model: Model): Model {
  return { ...model, graph: bareGraph(model.graph) };
}

function bareGraph(graph: Graph): Graph {
  return {
    ...graph,
    outputs: graph.outputs.map((output) => ({ ...output, type: UNKNOWN })),
    valueInfo: new Map(),
    nodes: graph.nodes.map((node) => ({
      ...node,
      attributes: new Map([...node.attributes].map(([name, a]) => [name, bareAttribute(a)])),
    })),
  };
}

function bareAttribute(attribute: Attribute): Attribute {
  return attribute.type === 'graph' ? { ...attribute, value: bareGraph(attribute.value) } : attribute;
}

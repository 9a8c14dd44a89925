// Seeds for random operators, numbered in the order in which they run: two networks that draw the same numbers of times, such as
// one and what it is converted to, draw the same numbers.
import { type Attribute, type Graph, isDefaultDomain, type Model, type Node } from '../graph/graph.js';
import { traitsOf } from '../ops/index.js';
import { schemaFor } from '../ops/schemas.js';

/** The model with a seed in every random operator that has none, also in bodies; undefined where there is none. */
export function withOrderedSeeds(model: Model): Model | undefined {
  const opset = model.opsetImports.get('') ?? 1;
  let count = 0;
  const seeded = (node: Node): Node => {
    const attributes = new Map([...node.attributes].map(([name, value]) => [name, inBodies(value)]));
    const isRandom = traitsOf(node).draws === 'always' && isDefaultDomain(node.domain);
    if (!isRandom || attributes.has('seed')) return { ...node, attributes };
    const isInt = schemaFor(node.domain, node.opType, opset)?.attributes.seed?.type === 'int';
    attributes.set('seed', { type: isInt ? 'int' : 'float', value: ++count });
    return { ...node, attributes };
  };
  const inGraph = (graph: Graph): Graph => ({ ...graph, nodes: graph.nodes.map(seeded) });
  const inBodies = (attribute: Attribute): Attribute => {
    if (attribute.type === 'graph') return { ...attribute, value: inGraph(attribute.value) };
    return attribute.type === 'graphs' ? { ...attribute, value: attribute.value.map(inGraph) } : attribute;
  };
  const graph = inGraph(model.graph);
  return count === 0 ? undefined : { ...model, graph };
}

// Attributes of a function's nodes that refer to those of its caller.
import type { Attribute, Node } from './graph.js';

/** A node of a function with the attributes of its caller put in for references. */
export function bindAttributes(node: Node, given: ReadonlyMap<string, Attribute>): Node {
  const needs = [...node.attributes.values()].some((a) => a.type === 'reference' || a.type === 'graph');
  if (!needs) return node;
  const attributes = new Map<string, Attribute>();
  for (const [name, attribute] of node.attributes) {
    if (attribute.type === 'reference') {
      const value = given.get(attribute.value);
      if (value) attributes.set(name, value);
    } else if (attribute.type === 'graph') {
      const graph = attribute.value;
      const nodes = graph.nodes.map((n) => bindAttributes(n, given));
      attributes.set(name, { type: 'graph', value: { ...graph, nodes } });
    } else attributes.set(name, attribute);
  }
  return { ...node, attributes };
}

// Names of nodes. ONNX lets two nodes have the same, or none; ONNX Runtime takes none, but not the same.
import type { Node } from './graph.js';

/** The nodes, those that have the name of an earlier one with another. */
export function uniquelyNamed(nodes: readonly Node[]): readonly Node[] {
  const names = new Set(nodes.map((node) => node.name));
  const seen = new Set<string>();
  let isChanged = false;
  const renamed = nodes.map((node) => {
    if (node.name === '' || !seen.has(node.name)) {
      seen.add(node.name);
      return node;
    }
    isChanged = true;
    let name = node.name;
    for (let i = 2; names.has(name); i++) name = `${node.name}_${i}`;
    names.add(name);
    seen.add(name);
    return { ...node, name };
  });
  return isChanged ? renamed : nodes;
}

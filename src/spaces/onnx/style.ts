// How a network writes its layers: new ones are written in the same way.
import type { Node } from '../../graph/graph.js';
import { traitsOf } from '../../ops/index.js';

/** An activation function: one node to copy, or x·σ(x), which has two. */
export type ActivationStyle = { readonly node: Node } | { readonly function: 'silu' };

export interface Style {
  readonly hasBatchNorm: boolean;
  readonly hasLayerNorm: boolean;
  readonly activation: ActivationStyle | undefined;
}

/** The style of a list of nodes; the activation is the most frequent one. */
export function styleOf(nodes: readonly Node[]): Style {
  const counts = new Map<string, { readonly style: ActivationStyle; count: number }>();
  const note = (key: string, style: ActivationStyle): void => {
    const known = counts.get(key);
    if (known) known.count++;
    else counts.set(key, { style, count: 1 });
  };
  for (const node of nodes) {
    const { activation } = traitsOf(node);
    if (activation === 'rectifier' || activation === 'clip') {
      note(`${node.opType} ${node.inputs.slice(1).join()}`, { node });
    }
    if (activation === 'sigmoid' && nodes.some((other) => isGatedBy(other, node))) {
      note('silu', { function: 'silu' });
    }
  }
  const [most] = [...counts.values()].sort((a, b) => b.count - a.count);
  const normalisations = new Set(nodes.map((node) => traitsOf(node).normalisation));
  return {
    hasBatchNorm: normalisations.has('batch'),
    hasLayerNorm: normalisations.has('layer'),
    activation: most?.style,
  };
}

/** Whether a node computes x·f(x) of what the other computes f(x) of. */
function isGatedBy(node: Node, gate: Node): boolean {
  return (
    traitsOf(node).arithmetic === 'multiply' &&
    node.inputs.includes(gate.outputs[0]!) &&
    node.inputs.includes(gate.inputs[0]!)
  );
}

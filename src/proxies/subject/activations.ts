// Where a network decides by the sign of a number: rectifiers, and the smooth functions that stand in for them, also
// where a file has them in parts.
import type { Node } from '../../graph/graph.js';
import { traitsOf } from '../../ops/index.js';
import type { Arithmetic } from '../../ops/traits.js';
import { floatData } from '../../transform/tensor-data.js';
import { linksIn } from './blocks.js';
import type { Subject } from './subject.js';
import { type Links, passedOn } from './value-links.js';

export interface Activation {
  /** Nodes that are functions themselves: the one, or those that it is made of. */
  readonly parts: readonly Node[];
  /** What the sign is looked at of. */
  readonly input: string;
  readonly output: string;
}

/**
 * In the order they run. In parts: GELU is seen at the Erf or Tanh of x (whose input has the sign of x) that 1 is added
 * to, SiLU at x·sigmoid(x), HardSwish likewise, Mish at x·tanh(softplus(x)), ReLU6 as a Clip from 0 on.
 */
export function findActivations(subject: Subject): readonly Activation[] {
  return subject.once('activations', () => {
    const links = linksIn(subject);
    return links.nodes.flatMap((node): Activation[] => {
      const [input] = node.inputs;
      if (input === undefined || links.isFixed(input)) return [];
      const found = activated(node, links, subject);
      return found === undefined ? [] : [{ input, ...found }];
    });
  });
}

/** What the function gives, if a node is one or the core of one. */
function activated(
  node: Node,
  links: Links,
  { model }: Subject,
): Pick<Activation, 'parts' | 'output'> | undefined {
  const [input] = node.inputs as [string];
  const own = node.outputs[0]!;
  const seen = (
    output: string | undefined,
    ...more: Node[]
  ): Pick<Activation, 'parts' | 'output'> | undefined =>
    output === undefined ? undefined : { parts: [node, ...more], output };
  /** Behind the product of a gate with what it was made from. */
  const gated = (gate: string): string | undefined => {
    const from = links.producers.get(input);
    const x = from === undefined ? undefined : passedOn(links.nodes[from]!, links);
    const isProduct = (n: Node): boolean =>
      isArithmetic(n, 'multiply') && n.inputs.some((name) => name === input || name === x);
    return links.readersOf(gate).find(isProduct)?.outputs[0];
  };
  switch (traitsOf(node).activation) {
    case 'rectifier':
      return seen(own);
    case 'clip': {
      const least = model.graph.initializers.get(node.inputs[1] ?? '');
      return seen(least !== undefined && floatData(least)[0] === 0 ? own : undefined);
    }
    case 'erf':
    case 'tanh': {
      const shifted = links
        .readersOf(own)
        .find((n) => isArithmetic(n, 'add') && n.inputs.some(links.isFixed));
      const scaled = shifted && links.readersOf(shifted.outputs[0]!).find((n) => isArithmetic(n, 'multiply'));
      return seen(scaled?.outputs[0]);
    }
    case 'sigmoid':
      return seen(gated(own));
    case 'softplus': {
      const tanh = links.readersOf(own).find((n) => traitsOf(n).activation === 'tanh');
      return tanh && seen(gated(tanh.outputs[0]!), tanh);
    }
    default:
      return undefined;
  }
}

function isArithmetic(node: Node, arithmetic: Arithmetic): boolean {
  return traitsOf(node).arithmetic === arithmetic;
}

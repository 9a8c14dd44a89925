// Where a network decides by the sign of a number: rectifiers, and the smooth functions that stand in for them, also
// where a file has them in parts.
import { type Node, operatorName } from '../graph/graph.js';
import { linksIn } from './blocks.js';
import { type Links, passedOn } from './links.js';
import type { Subject } from './subject.js';
import { floatData } from './tensor-data.js';

/** Operators that are rectifiers of their first input, or nearly so. */
const RECTIFIERS = new Set([
  'Celu',
  'Elu',
  'Gelu',
  'HardSwish',
  'LeakyRelu',
  'Mish',
  'PRelu',
  'Relu',
  'Selu',
  'Swish',
]);

export interface Activation {
  readonly node: Node;
  /** What the sign is looked at of. */
  readonly input: string;
  readonly output: string;
}

/**
 * In the order they run. In parts: GELU is seen at the Erf or Tanh of x (whose input has the sign of x) that 1 is added
 * to, SiLU at x·sigmoid(x), ReLU6 as a Clip from 0 on.
 */
export function findActivations(subject: Subject): readonly Activation[] {
  return subject.once('activations', () => {
    const links = linksIn(subject);
    const readers = new Map<string, Node[]>();
    for (const node of links.nodes) {
      for (const name of node.inputs) readers.set(name, [...(readers.get(name) ?? []), node]);
    }
    return links.nodes.flatMap((node): Activation[] => {
      const [input] = node.inputs;
      if (input === undefined || links.isFixed(input)) return [];
      const output = activated(node, readers, links, subject);
      return output === undefined ? [] : [{ node, input, output }];
    });
  });
}

/** What the function gives, if a node is one or the core of one. */
function activated(
  node: Node,
  readers: ReadonlyMap<string, readonly Node[]>,
  links: Links,
  { model }: Subject,
): string | undefined {
  const operator = operatorName(node);
  const [input] = node.inputs as [string];
  const own = node.outputs[0]!;
  const next = readers.get(own) ?? [];
  if (RECTIFIERS.has(operator)) return own;
  if (operator === 'Clip') {
    const least = model.graph.initializers.get(node.inputs[1] ?? '');
    return least !== undefined && floatData(least)[0] === 0 ? own : undefined;
  }
  if (operator === 'Erf' || operator === 'Tanh') {
    const shifted = next.find((n) => operatorName(n) === 'Add' && n.inputs.some(links.isFixed));
    const scaled = shifted && (readers.get(shifted.outputs[0]!) ?? []).find((n) => operatorName(n) === 'Mul');
    return scaled?.outputs[0];
  }
  if (operator === 'Sigmoid') {
    const from = links.producers.get(input);
    const x = from === undefined ? undefined : passedOn(links.nodes[from]!, links);
    const gate = next.find(
      (n) => operatorName(n) === 'Mul' && n.inputs.some((name) => name === input || name === x),
    );
    return gate?.outputs[0];
  }
  return undefined;
}

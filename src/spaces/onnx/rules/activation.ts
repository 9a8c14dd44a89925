// Another activation function in the place of one, whether that is one node or the several nodes of x·f(x).
import { isDefaultDomain, type Node } from '../../../graph/graph.js';
import { elementCount } from '../../../graph/tensor.js';
import { traitsOf } from '../../../ops/index.js';
import { schemaFor } from '../../../ops/schemas.js';
import type { Part, Rule } from './rule.js';

/** Activation functions that are one operator: the choice of this rule, as far as the file's opset has them. */
const OPERATORS = ['Relu', 'LeakyRelu', 'Elu', 'Gelu', 'HardSwish', 'Mish'] as const;

/** x·σ(x), in two nodes. */
const SILU = 'Silu';

/** The most nodes of an activation function that is written in several. */
const MOST_NODES = 8;

export const activation: Rule = {
  name: 'activation',
  summary: 'puts another activation function in the place of one',
  notation: [...OPERATORS, SILU],
  options: (part) => {
    const present = presentFunction(part);
    if (present === undefined) return [];
    const { opset } = part.graph;
    const available = OPERATORS.filter((op) => schemaFor('', op, opset) !== undefined);
    return [...available, SILU].filter((option) => option !== present);
  },
  write: (_, option, writer) => {
    const { input, builder } = writer;
    return option === SILU ? input.mul(builder.op('Sigmoid', [input])) : builder.op(option, [input]);
  },
};

/** The function that a part is, by the name of its option if it has one; undefined for other parts. */
function presentFunction(part: Part): string | undefined {
  const { nodes } = part;
  const [first] = nodes;
  if (nodes.length > MOST_NODES || !nodes.every((node) => isScalarFunction(node, part))) return undefined;
  if (nodes.length === 1) return traitsOf(first!).activation === 'rectifier' ? first!.opType : undefined;
  return isGate(part) ? (nodes.length === 2 && isSigmoid(first!) ? SILU : '') : undefined;
}

const isSigmoid = (node: Node): boolean =>
  traitsOf(node).activation === 'sigmoid' && node.inputs.length === 1;

/** Whether a node is elementwise, all constants being single numbers. */
function isScalarFunction(node: Node, { graph }: Part): boolean {
  if (!isDefaultDomain(node.domain) || traitsOf(node).isElementwise !== true) return false;
  return node.inputs.every((name) => {
    const constant = name === '' || graph.open.has(name) ? undefined : graph.constant(name);
    return name === '' || graph.open.has(name) || (constant !== undefined && elementCount(constant) === 1);
  });
}

/** x·f(x) with a known f, all of it: what follows does not only scale it. */
function isGate(part: Part): boolean {
  const { nodes, input, output, graph } = part;
  const multiplies = nodes.some((node) => {
    const [a, b] = node.inputs;
    return traitsOf(node).arithmetic === 'multiply' && graph.open.has(a ?? '') && graph.open.has(b ?? '');
  });
  const uses = nodes.filter((node) => node.inputs.includes(input)).length;
  const isFunction = nodes.some((node) => traitsOf(node).activation !== undefined);
  const readers = graph.nodes.filter((node) => node.inputs.includes(output));
  const isScaledOn =
    readers.length === 1 && readers[0]!.inputs.length > 1 && isScalarFunction(readers[0]!, part);
  const isJoined = readers.some((node) => node.inputs.every((name) => graph.open.has(name)));
  return multiplies && uses > 1 && isFunction && (!isScaledOn || isJoined);
}

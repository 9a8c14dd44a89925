// Nodes that compute what another computes already, and small constants that are written several times.
import { isFloat } from '../../graph/dtype.js';
import { type Attribute, hasSubgraphs, type Node, nodeLabel, operatorName } from '../../graph/graph.js';
import { elementCount, type Tensor, tensorNumbers } from '../../graph/tensor.js';
import { traitsOf } from '../../ops/index.js';
import { attempt } from '../../util/attempt.js';
import { digest } from '../../util/digest.js';
import type { Change } from '../transform.js';
import type { Edit, GraphView } from './pass.js';

export function withoutDuplicates(view: GraphView): Edit {
  const aliases = new Map<Node, string>();
  const changes: Change[] = [];
  const sameAs = equalConstants(view);
  const names = new Map<string, string>();
  const seen = new Map<string, string>();
  for (const node of view.graph.nodes) {
    const isPlain = node.outputs.filter((name) => name !== '').length === 1 && !hasSubgraphs(node);
    if (!isPlain || !node.outputs[0] || traitsOf(node).draws !== undefined || traitsOf(node).isConstant)
      continue;
    const inputs = node.inputs.map((name) => names.get(name) ?? sameAs.get(name) ?? name);
    const key = `${operatorName(node)}(${inputs.join(',')})${attributesKey(node)}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, node.outputs[0]);
    else if (!view.isOutput(node.outputs[0])) {
      aliases.set(node, first);
      names.set(node.outputs[0], first);
      const what = `removed: '${first}' is the same`;
      changes.push({ transform: 'simplify', what, node: nodeLabel(node), operator: operatorName(node) });
    }
  }
  return { aliases, changes };
}

/** Constants larger than this are taken to differ: weights are. */
const COMPARED = 512;

/** Of constants with the same elements, all but the first, with the first. Weights stay apart: each is trained alone. */
function equalConstants({ constants }: GraphView): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const first = new Map<string, string>();
  for (const [name, tensor] of constants) {
    const key = constantKey(tensor);
    if (key === undefined) continue;
    const known = first.get(key);
    if (known === undefined) first.set(key, name);
    else found.set(name, known);
  }
  return found;
}

function constantKey(tensor: Tensor): string | undefined {
  const count = elementCount(tensor);
  if (count > COMPARED || (isFloat(tensor.dtype) && count > 1)) return undefined;
  const elements = attempt(() => tensorNumbers(tensor));
  return elements && `${tensor.dtype}[${tensor.dims}]${elements.join(',')}`;
}

function attributesKey({ attributes }: Node): string {
  return [...attributes]
    .map(([name, attribute]) => `${name}=${attributeKey(attribute)}`)
    .sort()
    .join(';');
}

/** The same text for equal attributes; a large tensor is equal to itself only. */
function attributeKey(attribute: Attribute): string {
  if (attribute.type === 'tensor') {
    return constantKey(attribute.value) ?? `tensor ${identityOf(attribute.value)}`;
  }
  if (
    attribute.type === 'tensors' ||
    attribute.type === 'sparse_tensor' ||
    attribute.type === 'sparse_tensors'
  ) {
    return `${attribute.type} ${identityOf(attribute.value)}`;
  }
  if (attribute.type === 'type_proto') return `type ${attribute.value.toString()}`;
  return `${attribute.type}:${digest([attribute.value].flat().map(String).join('\0'))}`;
}

const identities = new WeakMap<object, number>();
let count = 0;

function identityOf(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  identities.set(value, ++count);
  return count;
}

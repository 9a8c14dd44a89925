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
  const names = new Map<string, string>();
  // Nodes of the same operator that read the same values that are computed; only these are looked at closely.
  const alike = new Map<string, Alike[]>();
  for (const node of view.graph.nodes) {
    if (!isCompared(node)) continue;
    const inputs = node.inputs.map((name) => names.get(name) ?? name);
    const rough = `${operatorName(node)}(${inputs.filter((name) => view.constant(name) === undefined)})`;
    const others = alike.get(rough);
    if (others === undefined) {
      alike.set(rough, [{ node, inputs }]);
      continue;
    }
    const one: Alike = { node, inputs };
    const first = others.find((other) => keyOf(other, view) === keyOf(one, view))?.node.outputs[0];
    if (first === undefined) others.push(one);
    else if (!view.isOutput(node.outputs[0]!)) {
      aliases.set(node, first);
      names.set(node.outputs[0]!, first);
      const what = `removed: '${first}' is the same`;
      changes.push({ transform: 'simplify', what, node: nodeLabel(node), operator: operatorName(node) });
    }
  }
  return { aliases, changes };
}

/** Whether a node gives one value that is the same every time. */
function isCompared(node: Node): boolean {
  const isPlain = node.outputs.filter((name) => name !== '').length === 1 && !hasSubgraphs(node);
  if (!isPlain || !node.outputs[0]) return false;
  const { draws, isConstant } = traitsOf(node);
  return draws === undefined && !isConstant;
}

interface Alike {
  readonly node: Node;
  readonly inputs: readonly string[];
  key?: string;
}

/** The same text for nodes that compute the same. Small constants are compared by their elements. */
function keyOf(one: Alike, view: GraphView): string {
  one.key ??= `${one.inputs.map((name) => inputKey(name, view)).join(',')}${attributesKey(one.node)}`;
  return one.key;
}

function inputKey(name: string, view: GraphView): string {
  const tensor = view.constant(name);
  return (tensor && constantKey(tensor)) ?? `'${name}'`;
}

/** Constants larger than this are taken to differ: weights are, and each is trained alone. */
const COMPARED = 512;

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

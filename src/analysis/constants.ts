// Which constants of a network are its trained parameters. ONNX does not say: an initializer may be a weight,
// a running statistic, a target shape or the number 2. What tells them apart is the operator that uses them
// (`roles`), followed through operators that only rearrange data.
import { bitsOf, isFloat, isInteger, kindOf } from '../graph/dtype.js';
import { operatorName } from '../graph/graph.js';
import { elementCount, type Tensor, tensorByteLength } from '../graph/tensor.js';
import type { InputRole } from '../ops/operator.js';
import type { InferredGraph, InferredNode } from './infer.js';
import { tiedCopies } from './tied.js';

export type ConstantKind =
  /** Trained. */
  | 'parameter'
  /** Measured in training: running mean and variance. */
  | 'statistic'
  /** A number, a shape, a mask, a table: not learned. */
  | 'setting'
  /** A second copy of a parameter in another layout. */
  | 'tied'
  /** Nothing uses it. */
  | 'unused';

export interface Constant {
  readonly name: string;
  readonly tensor: Tensor;
  readonly kind: ConstantKind;
  /** The first node that computes with it, past mere rearrangement; undefined if nothing does. */
  readonly owner: InferredNode | undefined;
  /** Elements, if it is a parameter. */
  readonly parameters: number;
  readonly bytes: number;
}

/** Operators whose first output holds the elements of an input, perhaps fewer or in another order. */
const REARRANGES: ReadonlyMap<string, readonly number[] | 'all'> = new Map<string, readonly number[] | 'all'>(
  [
    ['Cast', [0]],
    ['CastLike', [0]],
    ['Concat', 'all'],
    ['DequantizeLinear', [0]],
    ['Expand', [0]],
    ['Flatten', [0]],
    ['Gather', [0]],
    ['Identity', [0]],
    ['Pad', [0]],
    ['QuantizeLinear', [0]],
    ['Reshape', [0]],
    ['Slice', [0]],
    ['Split', [0]],
    ['Squeeze', [0]],
    ['Tile', [0]],
    ['Transpose', [0]],
    ['Unsqueeze', [0]],
    ['com.microsoft.DequantizeLinear', [0]],
  ],
);

interface Use {
  readonly by: InferredNode;
  readonly slot: number;
  /** Values the element may reach through this use, when the operator only rearranges. */
  readonly through: readonly Value[];
}

/** A value of the network, across subgraph and function borders. */
interface Value {
  readonly uses: Use[];
  constant?: { name: string; tensor: Tensor; isNode: boolean };
}

/** All constants of a graph and of everything it runs, each once. */
export function findConstants(graph: InferredGraph): Constant[] {
  const values: Value[] = [];
  const seen = new Set<Tensor>();
  collect(graph, new Map(), values, seen);
  const constants = values.map(classify);
  return markTied(constants);
}

function collect(
  graph: InferredGraph,
  outer: ReadonlyMap<string, Value>,
  found: Value[],
  seen: Set<Tensor>,
): void {
  const scope = new Map(outer);
  const define = (name: string, tensor: Tensor, isNode: boolean): void => {
    const value: Value = { uses: [], constant: { name, tensor, isNode } };
    scope.set(name, value);
    if (seen.has(tensor)) return;
    seen.add(tensor);
    found.push(value);
  };
  for (const [name, tensor] of graph.initializers) define(name, tensor, false);
  for (const inferred of graph.nodes) {
    const { node } = inferred;
    const attribute = node.opType === 'Constant' ? node.attributes.get('value') : undefined;
    if (attribute?.type === 'tensor') {
      define(node.outputs[0] ?? '', attribute.value, true);
      continue;
    }
    const outputs = node.outputs.map((name): Value => {
      const value: Value = { uses: [] };
      if (name !== '') scope.set(name, value);
      return value;
    });
    const passes = REARRANGES.get(operatorName(node));
    const inputs = node.inputs.map((name) => scope.get(name));
    inputs.forEach((value, slot) => {
      const through = passes === 'all' || passes?.includes(slot) ? outputs : [];
      value?.uses.push({ by: inferred, slot, through });
    });
    for (const body of inferred.call.bodies) {
      const inner = body.graph as InferredGraph;
      const aliases = new Map(inferred.isFunction ? [] : scope);
      inner.inputNames.forEach((name, i) => {
        const value = inputs[i];
        if (value) aliases.set(name, value);
        else aliases.delete(name);
      });
      collect(inner, aliases, found, seen);
    }
  }
}

interface Destination {
  readonly role: InputRole;
  readonly by: InferredNode;
}

/** Where the elements of a value end up: the operators that compute with them. */
function destinations(value: Value): Destination[] {
  const found: Destination[] = [];
  const visited = new Set<Value>([value]);
  const queue = [value];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const { by, slot, through } of at.uses) {
      for (const next of through) {
        if (!visited.has(next)) {
          visited.add(next);
          queue.push(next);
        }
      }
      const isContainer = by.call.bodies.length > 0;
      if (isContainer) continue;
      if (through.some((next) => next.uses.length > 0)) continue;
      const roles = by.operator?.roles;
      found.push({ role: roles?.[Math.min(slot, roles.length - 1)] ?? 'data', by });
    }
  }
  return found;
}

function classify(value: Value): Constant {
  const { name, tensor, isNode } = value.constant!;
  const reached = destinations(value);
  const owner = reached.find((d) => d.role === 'weight') ?? reached[0];
  const kind = kindOfConstant(name, tensor, isNode, value, reached);
  return {
    name,
    tensor,
    kind,
    owner: owner?.by,
    parameters: kind === 'parameter' ? elementCount(tensor) : 0,
    bytes: tensorByteLength(tensor),
  };
}

function kindOfConstant(
  name: string,
  tensor: Tensor,
  isNode: boolean,
  value: Value,
  reached: readonly Destination[],
): ConstantKind {
  if (value.uses.length === 0) return 'unused';
  const roles = new Set(reached.map((d) => d.role));
  const { dtype } = tensor;
  // Quantised weights are small integers that are multiplied; other integers are indices and shapes.
  const isQuantised =
    isInteger(dtype) && bitsOf(dtype) <= 8 && value.uses.some((use) => isQuantisedWeight(use));
  if (!isFloat(dtype) && kindOf(dtype) !== 'complex' && !isQuantised) return 'setting';
  if (roles.has('weight')) return 'parameter';
  if (isQuantised) return 'parameter';
  if (roles.has('statistic')) return 'statistic';
  if (!roles.has('data')) return 'setting';
  return isMereNumber(name, tensor, isNode) ? 'setting' : 'parameter';
}

function isQuantisedWeight({ by, slot }: Use): boolean {
  const roles = by.operator?.roles;
  if (roles?.[Math.min(slot, roles.length - 1)] === 'weight') return true;
  return slot === 0 && by.node.opType === 'DequantizeLinear';
}

/** Names that exporters make up for values that have none in the program they export. */
const MADE_UP_NAME = /^\/|^(onnx::|val_\d|_?const|scalar|[\d.]+$)|Constant|constant/;

/** A constant that enters arithmetic but was never a parameter: scale factors, epsilons, masks. */
function isMereNumber(name: string, tensor: Tensor, isNode: boolean): boolean {
  if (elementCount(tensor) <= 1) return isNode || MADE_UP_NAME.test(name);
  return isNode && MADE_UP_NAME.test(name);
}

function markTied(constants: readonly Constant[]): Constant[] {
  const copies = tiedCopies(constants.filter((c) => c.kind === 'parameter').map((c) => c.tensor));
  return constants.map((c) => (copies.has(c.tensor) ? { ...c, kind: 'tied', parameters: 0 } : c));
}

// Finds the constants of a network and where they are used, across subgraphs and functions. Which of them are
// parameters is decided in parameters.ts.
import { operatorName } from '../graph/graph.js';
import { elementCount, type Tensor, tensorByteLength } from '../graph/tensor.js';
import type { InputRole } from '../ops/operator.js';
import type { Inference, InferredGraph, InferredNode } from './infer.js';
import { type ConstantKind, isMadeUpName, kindOfConstant, parametersIn } from './parameters.js';
import { tiedCopies } from './tied.js';
import { torchSignature } from './torch.js';

export interface Constant {
  readonly name: string;
  readonly tensor: Tensor;
  readonly kind: ConstantKind;
  /** The first node that computes with it, past mere rearrangement; undefined if nothing does. */
  readonly owner: InferredNode | undefined;
  /** Weights in it, if it is a parameter. */
  readonly parameters: number;
  /** Bytes it takes in the file; 0 for a second name of the same data. */
  readonly bytes: number;
}

/** An input of a node that computes with a constant. */
export interface Destination {
  readonly role: InputRole;
  readonly by: InferredNode;
  readonly slot: number;
}

/** A constant with what is known of it before it is judged. */
export interface FoundConstant {
  readonly name: string;
  readonly tensor: Tensor;
  /** From a Constant node, not an initializer. */
  readonly isNode: boolean;
  /** A second name for the data of another constant. */
  readonly isAlias: boolean;
  readonly isUsed: boolean;
  /** All its uses are arithmetic on the network's input, before any layer. */
  readonly isPreprocessing: boolean;
  readonly destinations: readonly Destination[];
}

/** Operators whose outputs hold the elements of an input, perhaps fewer or in another order. */
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

interface Use extends Destination {
  /** Values the elements may reach through this use, when the operator only rearranges. */
  readonly through: readonly Value[];
}

/** A value of the network, across subgraph and function borders. */
interface Value {
  readonly uses: Use[];
  readonly constant?: { name: string; tensor: Tensor; isNode: boolean; isAlias: boolean };
}

/** All constants of a graph and of everything it runs, each once. */
export function findConstants({ model, graph }: Inference): Constant[] {
  const values: Value[] = [];
  collect(graph, new Map(), values, new Set());
  const signature = torchSignature(model.graph);
  const preprocessing = preprocessingNodes(graph);
  const constants = values.map((value): Constant => {
    const { name, tensor, isNode, isAlias } = value.constant!;
    const reached = destinationsOf(value);
    const found = {
      ...{ name, tensor, isNode, isAlias, destinations: reached },
      isUsed: value.uses.length > 0,
      isPreprocessing: reached.every((d) => preprocessing.has(d.by)),
    };
    const kind = kindOfConstant(found, signature);
    return {
      name,
      tensor,
      kind,
      owner: (reached.find((d) => d.role === 'weight') ?? reached[0])?.by,
      parameters: kind === 'parameter' ? parametersIn(found, signature) : 0,
      bytes: isAlias ? 0 : tensorByteLength(tensor),
    };
  });
  const copies = tiedCopies(constants.filter((c) => c.kind === 'parameter').map((c) => c.tensor));
  return constants.map((c) => (copies.has(c.tensor) ? { ...c, kind: 'tied', parameters: 0 } : c));
}

function collect(
  graph: InferredGraph,
  outer: ReadonlyMap<string, Value>,
  found: Value[],
  seen: Set<Tensor>,
): void {
  const scope = new Map(outer);
  const define = (name: string, tensor: Tensor, how: { isNode: boolean; isAlias: boolean }): void => {
    const value: Value = { uses: [], constant: { name, tensor, ...how } };
    scope.set(name, value);
    if (seen.has(tensor) && !how.isAlias) return;
    seen.add(tensor);
    found.push(value);
  };
  for (const [name, tensor] of graph.initializers) define(name, tensor, { isNode: false, isAlias: false });
  const outputs = new Set(graph.outputNames);
  for (const inferred of graph.nodes) {
    const { node } = inferred;
    const attribute = node.opType === 'Constant' ? node.attributes.get('value') : undefined;
    if (attribute?.type === 'tensor') {
      define(node.outputs[0] ?? '', attribute.value, { isNode: true, isAlias: false });
      continue;
    }
    const inputs = node.inputs.map((name) => scope.get(name));
    const [first] = node.outputs;
    const original = node.opType === 'Identity' ? inputs[0]?.constant : undefined;
    if (original && first && !isMadeUpName(first) && !outputs.has(first)) {
      // PyTorch's exporter writes parameters of equal value (fresh biases, all zero) once, and gives the
      // others their names by an Identity: each of them is a parameter of its own.
      define(first, original.tensor, { isNode: original.isNode, isAlias: true });
      continue;
    }
    const results = node.outputs.map((name): Value => {
      const value: Value = { uses: [] };
      if (name !== '') scope.set(name, value);
      return value;
    });
    const passes = REARRANGES.get(operatorName(node));
    const roles = inferred.operator?.roles;
    inputs.forEach((value, slot) => {
      const through = passes === 'all' || passes?.includes(slot) ? results : [];
      const role = roles?.[Math.min(slot, roles.length - 1)] ?? 'data';
      value?.uses.push({ by: inferred, slot, role, through });
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

const PREPROCESSING = new Set(['Sub', 'Div', 'Mul', 'Add', 'Cast', 'Transpose', 'Identity', 'Unsqueeze']);

/** The nodes right behind the inputs that only scale and shift them. */
function preprocessingNodes(graph: InferredGraph): ReadonlySet<InferredNode> {
  const found = new Set<InferredNode>();
  const inputs = new Set(graph.inputNames);
  const constants = new Set(graph.initializers.keys());
  for (const inferred of graph.nodes) {
    const { opType, inputs: names, outputs } = inferred.node;
    if (opType === 'Constant') outputs.forEach((name) => void constants.add(name));
    else if (PREPROCESSING.has(opType) && names.some((n) => inputs.has(n))) {
      if (!names.every((n) => inputs.has(n) || constants.has(n))) continue;
      found.add(inferred);
      outputs.forEach((name) => void inputs.add(name));
    }
  }
  return found;
}

/** Where the elements of a value end up: the operators that compute with them. */
function destinationsOf(value: Value): Destination[] {
  const found: Destination[] = [];
  const visited = new Set<Value>([value]);
  const queue = [value];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const use of at.uses) {
      for (const next of use.through) {
        if (!visited.has(next)) {
          visited.add(next);
          queue.push(next);
        }
      }
      const goesOn = use.through.some((next) => next.uses.length > 0);
      if (!goesOn && use.by.call.bodies.length === 0) found.push(use);
    }
  }
  return found;
}

/** One weight per element, unless the operator that computes with them unpacks several from each. */
export function weightsPerTensor(tensor: Tensor, owner: Destination | undefined): number {
  return owner?.by.operator?.weightsIn?.(owner.by.call, owner.slot) ?? elementCount(tensor);
}

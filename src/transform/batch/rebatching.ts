// One walk through a network that gives it another batch: the nodes so far, the types that changed, and where the samples
// of each value are. Rules (rules.ts, extra-axis.ts) say what becomes of a node.
import { type InferredGraph, inferShapes } from '../../analysis/infer.js';
import { type Dim, divideExactly, multiply, sameDim, symbol, symbolsIn } from '../../graph/dim.js';
import {
  type Attribute,
  hasSubgraphs,
  type Model,
  makeGraph,
  makeNode,
  type Node,
  nodeLabel,
  operatorName,
} from '../../graph/graph.js';
import { usedNames } from '../../graph/order.js';
import { parseDim } from '../../graph/parse-dim.js';
import { fromNumbers, type Tensor } from '../../graph/tensor.js';
import { isTensor, type Shape, TensorType, UNKNOWN, type ValueType } from '../../graph/types.js';
import { constantType, inputsOf, operatorFor, traitsOf } from '../../ops/index.js';
import { Call } from '../../ops/operator.js';
import { AuspexError } from '../../util/errors.js';
import type { Change } from '../transform.js';
import type { Decisions } from './decisions.js';
import { EXTRA, type Position } from './position.js';

/** A name that no file has. */
const BATCH = '__auspex_batch__';
export const BATCH_SIZE = symbol(BATCH);

export function isOfBatch(d: Dim): boolean {
  return typeof d !== 'number' && d.toString().includes(BATCH);
}

interface BatchSizes {
  /** The network's own; 1 where it is open. */
  readonly was: number;
  /** Undefined if it is to be open. */
  readonly becomes: number | undefined;
}

const NO_BODIES = {
  inferBody: () => {
    throw new Error('graphs inside are inferred with their node');
  },
  sameWork: () => false,
};

export class Rebatching {
  readonly nodes: Node[] = [];
  readonly initializers = new Map<string, Tensor>();
  readonly changes: Change[] = [];
  /** Types that are not what they were. */
  readonly types = new Map<string, ValueType>();
  readonly positions = new Map<string, Position>();
  readonly model: Model;
  readonly old: InferredGraph;
  readonly sizes: BatchSizes;
  readonly decisions: Decisions;
  readonly #names = new Set<string>();
  readonly #added = new Map<string, ValueType>();
  #count: string | undefined;

  constructor(model: Model, old: InferredGraph, sizes: BatchSizes, decisions: Decisions) {
    this.model = model;
    this.old = old;
    this.sizes = sizes;
    this.decisions = decisions;
  }

  /** Another walk from here, to see what would become of nodes. */
  trial(): Rebatching {
    const trial = new Rebatching(this.model, this.old, this.sizes, this.decisions);
    for (const [name, type] of this.types) trial.types.set(name, type);
    for (const [name, position] of this.positions) trial.positions.set(name, position);
    for (const [name, type] of this.#added) trial.#added.set(name, type);
    return trial;
  }

  // What is known ---------------------------------------------------------------------------------------------------

  typeOf(name: string): ValueType | undefined {
    return this.types.get(name) ?? this.#oldType(name);
  }

  #oldType(name: string): ValueType | undefined {
    return this.old.types.get(name) ?? this.#added.get(name);
  }

  /** Types, for the network's own batch, of values that become part of the network. */
  addOld(name: string, type: ValueType): void {
    this.#added.set(name, type);
  }

  /** The shape for the network's own batch. */
  oldShape(name: string): Shape | undefined {
    const type = this.#oldType(name);
    return isTensor(type) ? type.shape : undefined;
  }

  /** A new value that would have the type of another for the network's own batch. */
  freshLike(name: string): string {
    const value = this.fresh(name);
    this.#added.set(value, this.#oldType(name)!);
    return value;
  }

  newShape(name: string): Shape | undefined {
    const type = this.typeOf(name);
    return isTensor(type) ? type.shape : undefined;
  }

  /** The size for the network's own batch. */
  asBefore(d: Dim): Dim {
    return isOfBatch(d) ? parseDim(String(d), new Map([[BATCH, this.sizes.was]])) : d;
  }

  /** The size of an axis, once as large for every sample of the network's own batch. */
  scaled(d: Dim): Dim {
    const each = divideExactly(d, this.sizes.was);
    if (each === undefined) throw new Error(`${d} is not a multiple of ${this.sizes.was}`);
    return multiply(each, BATCH_SIZE);
  }

  /** Whether the elements of a value are sizes of the batch. */
  tellsBatch(name: string): boolean {
    const type = this.types.get(name);
    return isTensor(type) && (type.elements?.some(isOfBatch) ?? false);
  }

  refuse(node: Node, why: string, cause?: unknown): never {
    // Ranges of activations are taken over all samples together.
    const isQuantised = operatorFor(node)?.float !== undefined;
    throw new AuspexError('BATCH_FIXED', `the network cannot have another batch: ${why}`, {
      where: { node: nodeLabel(node), operator: operatorName(node) },
      hint: isQuantised
        ? 'convert the network to floats first: auspex convert --float'
        : traitsOf(node).selects
          ? 'leave out what chooses: auspex convert --cut'
          : 'leave out --batch, or export the network with a dynamic batch',
      cause,
    });
  }

  note(node: Node, what: string): void {
    this.changes.push({ transform: 'batch', what, node: nodeLabel(node), operator: operatorName(node) });
  }

  // Nodes -----------------------------------------------------------------------------------------------------------

  callOf(node: Node): Call {
    const inputs = node.inputs.map((name) => (name === '' ? undefined : this.typeOf(name)));
    const opset = this.model.opsetImports.get(node.domain === 'ai.onnx' ? '' : node.domain) ?? 1;
    return new Call(node, opset, inputs, NO_BODIES);
  }

  infer(node: Node): readonly ValueType[] {
    const isWhole = hasSubgraphs(node) || this.model.functions.some(({ name }) => name === node.opType);
    if (isWhole) return this.#inferWhole(node);
    const operator = operatorFor(node);
    if (operator === undefined) return this.refuse(node, `${operatorName(node)} is unknown`);
    try {
      return operator.infer(this.callOf(node));
    } catch (error) {
      if (error instanceof AuspexError) return this.refuse(node, error.message, error);
      throw error;
    }
  }

  /** A node with graphs of its own, as a model of nothing else. */
  #inferWhole(node: Node): readonly ValueType[] {
    const names = [...new Set(usedNames(node))].filter((name) => name !== '');
    const types = Object.fromEntries(names.map((name) => [name, this.typeOf(name) ?? UNKNOWN]));
    const graph = makeGraph({
      nodes: [node],
      inputs: names.map((name) => ({ name, type: types[name]! })),
      outputs: node.outputs.filter((name) => name !== '').map((name) => ({ name, type: UNKNOWN })),
    });
    try {
      const inferred = inferShapes({ ...this.model, graph }, { types }).graph;
      return node.outputs.map((name) => inferred.types.get(name) ?? UNKNOWN);
    } catch (error) {
      if (error instanceof AuspexError) return this.refuse(node, error.message, error);
      throw error;
    }
  }

  /** Adds a node whose outputs are as they were, but for the samples: all of them must be where one axis tells. */
  keep(node: Node, { outer = 1, isExtra = false }: Partial<Position> = {}, types = this.infer(node)): void {
    node.outputs.forEach((name, i) => {
      if (name === '') return;
      const type = types[i] ?? UNKNOWN;
      const position = this.#found(node, name, type, outer, isExtra);
      if (typeof position === 'string') this.refuse(node, position);
      this.types.set(name, type);
      this.positions.set(name, position);
    });
    this.nodes.push(node);
  }

  /** Whether `keep` would take a node. */
  fits(node: Node, { outer = 1, isExtra = false }: Partial<Position> = {}): boolean {
    try {
      const types = this.infer(node);
      return node.outputs.every(
        (name, i) =>
          name === '' || typeof this.#found(node, name, types[i] ?? UNKNOWN, outer, isExtra) !== 'string',
      );
    } catch (error) {
      if (error instanceof AuspexError) return false;
      throw error;
    }
  }

  /** Where the samples of an output are, or why that cannot be told. */
  #found(node: Node, name: string, type: ValueType, outer: Dim, isExtra: boolean): Position | string {
    const old = this.oldShape(name);
    if (!isTensor(type) || type.shape === undefined || old === undefined)
      return 'a shape behind it is unknown';
    const { shape } = type;
    const axes = [...shape.keys()].filter((i) => isOfBatch(shape[i]!));
    const [axis] = axes;
    if (axis === undefined) return this.#withoutBatch(node, old);
    if (axes.length > 1) return `its output [${shape}] would have the batch twice`;
    const rest = isExtra ? shape.slice(1) : shape;
    if (isExtra ? axis !== 0 || !sameDim(shape[0]!, BATCH_SIZE) : rest.length !== old.length) {
      return `its output would be [${this.asBefore(shape[axis]!)}] of the batch`;
    }
    const each = divideExactly(shape[axis]!, BATCH_SIZE);
    if (each === undefined || isOfBatch(each)) return 'samples of the batch come together in it';
    const isSame = rest.every((d, i) => sameDim(this.asBefore(d), old[i]!));
    if (!isSame) return `its output [${old}] would be [${shape.map((d) => this.asBefore(d))}]`;
    return isExtra ? EXTRA : { axis, outer, isExtra: false };
  }

  /** Why an output has no batch. */
  #withoutBatch(node: Node, old: Shape): string {
    const isRange = operatorFor(node)?.float !== undefined && old.length === 0;
    if (isRange) return 'it takes one range of all samples together, so that they depend on each other';
    const known = new Set(node.inputs.flatMap((name) => (this.oldShape(name) ?? []).flatMap(symbolsIn)));
    const isCounted = old.some((d) => symbolsIn(d).some((name) => !known.has(name)));
    if (isCounted) return 'how many rows it gives is another number for every sample';
    return `${operatorName(node)} gives [${old}] whatever the batch is`;
  }

  /** Adds a node that carries no samples; one that makes sizes from the batch may give a tensor of its size. */
  pass(node: Node): void {
    const types = this.infer(node);
    node.outputs.forEach((name, i) => {
      const type = types[i] ?? UNKNOWN;
      if (name === '') return;
      this.types.set(name, type);
      const axes = isTensor(type) ? (type.shape ?? []).flatMap((d, k) => (isOfBatch(d) ? [k] : [])) : [];
      if (axes.length > 1) this.refuse(node, 'its output would have the batch twice');
      if (axes.length === 1) this.positions.set(name, { axis: axes[0]!, outer: 1, isExtra: false });
    });
    this.nodes.push(node);
  }

  // What is added ---------------------------------------------------------------------------------------------------

  fresh(hint: string): string {
    for (let i = 0; ; i++) {
      const name = i === 0 ? `${hint}/batch` : `${hint}/batch_${i}`;
      if (this.#names.has(name) || this.#oldType(name) !== undefined) continue;
      this.#names.add(name);
      return name;
    }
  }

  /** Whole numbers as a constant. */
  ints(hint: string, values: readonly number[]): string {
    const name = this.fresh(hint);
    const tensor = fromNumbers(name, 'int64', [values.length], values);
    this.initializers.set(name, tensor);
    this.types.set(name, constantType(tensor));
    return name;
  }

  /** A node of our own; its output. */
  op(
    opType: string,
    hint: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string {
    const output = this.fresh(hint);
    const node = makeNode(opType, inputs, [output], attributes, { name: output });
    this.types.set(output, this.infer(node)[0] ?? UNKNOWN);
    this.nodes.push(node);
    return output;
  }

  /** The value that takes the place of a node's output. */
  finish(node: Node, value: string, position: Position): void {
    const output = node.outputs[0]!;
    this.nodes.push(makeNode('Identity', [value], [output], {}, { name: node.name }));
    this.types.set(output, this.typeOf(value)!);
    this.positions.set(output, position);
  }

  /** A value with an axis as its first one. */
  front(node: Node, value: string, axis: number): string {
    if (axis === 0) return value;
    const axes = [...this.newShape(value)!.keys()];
    const perm = [axis, ...axes.filter((a) => a !== axis)];
    return this.op('Transpose', node.outputs[0]!, [value], { perm: { type: 'ints', value: perm } });
  }

  /** A list of sizes: a constant, or computed from the batch where that is open. */
  vector(node: Node, dims: readonly Dim[]): string {
    const hint = node.outputs[0]!;
    const { becomes } = this.sizes;
    const values = dims.map((d) =>
      becomes !== undefined && isOfBatch(d) ? parseDim(String(d), new Map([[BATCH, becomes]])) : d,
    );
    if (values.every((d) => typeof d === 'number')) {
      const name = this.ints(hint, values);
      // What reads it is inferred with an open batch.
      this.types.set(name, new TensorType('int64', [dims.length], dims));
      return name;
    }
    const parts: string[] = [];
    let run: number[] = [];
    const flush = (): void => {
      if (run.length > 0) parts.push(this.ints(hint, run));
      run = [];
    };
    for (const d of values) {
      const each = typeof d === 'number' ? undefined : divideExactly(d, BATCH_SIZE);
      if (typeof d === 'number') run.push(d);
      else if (typeof each !== 'number') this.refuse(node, `the size ${d} is not known`);
      else {
        flush();
        parts.push(
          each === 1 ? this.#batch() : this.op('Mul', hint, [this.#batch(), this.ints(hint, [each])]),
        );
      }
    }
    flush();
    return parts.length === 1
      ? parts[0]!
      : this.op('Concat', hint, parts, { axis: { type: 'int', value: 0 } });
  }

  /** The batch as a list of one size, read from an input. */
  #batch(): string {
    if (this.#count !== undefined) return this.#count;
    const [input, { axis }] = [...this.positions].find(([name]) => this.old.inputNames.includes(name))!;
    const shape = this.op('Shape', input, [input]);
    this.#count = this.op('Gather', input, [shape, this.ints(input, [axis])], {
      axis: { type: 'int', value: 0 },
    });
    return this.#count;
  }

  /** A value without samples, once for each of them. */
  repeated(node: Node, name: string, axis: number, isExtra = false): string {
    const shape = this.newShape(name);
    const size = shape?.[axis];
    const { was } = this.sizes;
    if (shape === undefined || (size === undefined && !isExtra))
      return this.refuse(node, `'${name}' is unknown`);
    const ones = new Array<Dim>(shape.length).fill(1);
    if (isExtra || (size === 1 && was === 1)) {
      const target = isExtra ? [BATCH_SIZE, ...ones] : ones.with(axis, BATCH_SIZE);
      this.note(node, `'${name}' is repeated for every sample`);
      return this.op('Expand', node.outputs[0]!, [name, this.vector(node, target)]);
    }
    if (was !== 1) return this.refuse(node, `'${name}' has numbers for ${was} samples`);
    this.note(node, `'${name}' is repeated for every sample`);
    return this.op('Tile', node.outputs[0]!, [name, this.vector(node, ones.with(axis, BATCH_SIZE))]);
  }

  // Lists that are attributes or inputs, by the version of the operator ------------------------------------------------

  list(call: Call, name: string): readonly number[] | undefined {
    const slot = inputsOf(call.node, call.opset).slot(name);
    return slot >= 0 ? call.numbers(slot) : call.ints(name);
  }

  withList(node: Node, opset: number, name: string, values: readonly number[]): Node {
    const slot = inputsOf(node, opset).slot(name);
    if (slot < 0) {
      return { ...node, attributes: new Map([...node.attributes, [name, { type: 'ints', value: values }]]) };
    }
    const inputs = [...node.inputs];
    while (inputs.length < slot) inputs.push('');
    inputs[slot] = this.ints(node.outputs[0]!, values);
    return { ...node, inputs };
  }

  withInput(node: Node, slot: number, name: string): Node {
    return { ...node, inputs: node.inputs.with(slot, name) };
  }

  withInt(node: Node, name: string, value: number): Node {
    return { ...node, attributes: new Map([...node.attributes, [name, { type: 'int', value }]]) };
  }
}

// The contract of an operator: one definition holds what it does to shapes, what it costs and how it is
// differentiated. A definition sees one application of the operator, a `Call`.

import { axisSize, type Dim } from '../graph/dim.js';
import { type DataType, isInteger } from '../graph/dtype.js';
import {
  type Attribute,
  type AttributeTypeName,
  type Graph,
  type Node,
  nodeLabel,
  operatorName,
} from '../graph/graph.js';
import type { Tensor } from '../graph/tensor.js';
import { formatType, isTensor, type Shape, TensorType, type ValueType } from '../graph/types.js';
import { AuspexError } from '../util/errors.js';
import type { FloatRule } from './float.js';
import type { Decomposition, GradientRule } from './gradient.js';
import type { InputRoles } from './inputs.js';
import { inputsOf } from './registry.js';
import { schemaFor } from './schemas.js';
import type { Traits } from './traits.js';
import type { VersionChange } from './versions.js';

export type { InputRole, InputRoles } from './inputs.js';

/** An input: its name in the schema, or its place. */
export type InputRef = string | number;

/** The domain of operators that no runtime has: graphs have them while they are written. */
export const OWN_DOMAIN = 'auspex';

export interface Operator {
  /** The types of the outputs. May give more than the node asks for. */
  infer(call: Call): readonly ValueType[];
  readonly cost: CostRule;
  /** Which inputs are not data, by the names that the schema gives them. */
  readonly roles?: InputRoles;
  /** The names of the inputs, where no schema has them. */
  readonly inputs?: readonly string[];
  /** What kind of operator it is: see traits.ts. */
  readonly traits?: Traits;
  /** How many weights an input holds, where it packs several into one element; undefined for its elements. */
  weightsIn?(call: Call, input: number): number | undefined;
  /** How it is differentiated. Without it a gradient cannot flow through, unless `decompose` says how. */
  readonly gradient?: GradientRule;
  /** What a fused operator is made of. */
  readonly decompose?: Decomposition;
  /** How its versions differ, oldest first. */
  readonly versions?: readonly VersionChange[];
  /** What a quantised operator computes in floats. */
  readonly float?: FloatRule;
}

/** What one application costs. Undefined where sizes are unknown. */
export interface OperatorCost {
  /** Multiply-accumulates. */
  readonly macs?: Dim | undefined;
  /** Floating-point (or integer) operations besides those: flops = 2·macs + otherFlops. */
  readonly otherFlops?: Dim | undefined;
  /** Bytes read and written, where it is not simply all inputs and outputs once. */
  readonly memoryBytes?: Dim | undefined;
}

/** How an operator is counted: a sentence for the documentation, and the count. */
export interface CostRule {
  readonly describe: string;
  of(call: Call): OperatorCost | undefined;
}

/** A graph that an operator runs: a branch, a loop body, a function. */
export interface Body {
  readonly name: string;
  readonly graph: InferredBody;
  /** How often it runs; undefined when that is not known. */
  readonly times: Dim | undefined;
  /** One of several bodies of which exactly one runs. */
  readonly alternative: boolean;
}

/** What inference tells of a body: the types of its outputs, in order. */
export interface InferredBody {
  readonly outputTypes: readonly ValueType[];
}

/** How a body runs: once, and in any case, unless told. */
interface BodyRuns {
  readonly times?: Dim | undefined;
  readonly alternative?: boolean;
}

/** What a call may ask of the inference that runs it. */
export interface CallScope {
  /** Infers a subgraph, given the types of its formal inputs. */
  inferBody(node: Node, graph: Graph, inputs: readonly ValueType[], name: string): InferredBody;
  /** Whether a subgraph, inferred twice, has the same types throughout, so that both runs cost the same. */
  sameWork(a: InferredBody, b: InferredBody): boolean;
  /** Whether to take for granted what is likely; if that leads to a contradiction, everything is inferred again without. */
  mayAssume?(): boolean;
}

const NO_TYPES: readonly ValueType[] = [];
const NO_BODIES: readonly Body[] = [];

/** One application of an operator: the node with the types of its inputs, and later of its outputs. */
export class Call {
  readonly node: Node;
  /** Version of the operator set of the node's domain. */
  readonly opset: number;
  readonly inputs: readonly (ValueType | undefined)[];
  outputs: readonly ValueType[] = NO_TYPES;
  #bodies: Body[] | undefined;
  readonly #scope: CallScope;
  /** The operator whose schema gives the defaults of attributes. */
  readonly #defaultsOf: Pick<Node, 'domain' | 'opType'>;

  constructor(
    node: Node,
    opset: number,
    inputs: readonly (ValueType | undefined)[],
    scope: CallScope,
    defaultsOf: Pick<Node, 'domain' | 'opType'> = node,
  ) {
    this.node = node;
    this.opset = opset;
    this.inputs = inputs;
    this.#scope = scope;
    this.#defaultsOf = defaultsOf;
  }

  /**
   * This application seen as one of an ai.onnx operator: what an operator of another domain that extends it
   * hands to its definition. Errors still name the node's own operator.
   */
  as(opType: string, opset: number, inputs = this.inputs, outputs = this.outputs): Call {
    const call = new Call(this.node, opset, inputs, this.#scope, { domain: '', opType });
    call.outputs = outputs;
    return call;
  }

  /** Stops with an error that names the node and the operator. */
  fail(message: string, code = 'SHAPE_MISMATCH', hint?: string): never {
    const where = { node: nodeLabel(this.node), operator: operatorName(this.node) };
    throw new AuspexError(code, message, hint ? { where, hint } : { where });
  }

  /** The graphs it runs; most run none. */
  get bodies(): readonly Body[] {
    return this.#bodies ?? NO_BODIES;
  }

  // Inputs -------------------------------------------------------------------------------------------------

  /** Where a named input is; -1 where this version of the operator does not have it. */
  slot(input: InputRef): number {
    if (typeof input === 'number') return input;
    const found = inputsOf(this.#defaultsOf, this.opset).slot(input);
    if (found < 0 && inputsOf(this.#defaultsOf).slot(input) < 0) {
      throw new Error(`${operatorName(this.#defaultsOf)} has no input called '${input}'`);
    }
    return found;
  }

  /** The type of an input, or undefined where it is not given. */
  input(input: InputRef): ValueType | undefined {
    return this.inputs[this.slot(input)];
  }

  /** A required input that must be a tensor. What is unknown comes as a tensor of unknown type. */
  tensor(input: InputRef): TensorType {
    const type = this.input(input);
    if (type === undefined) return this.fail(`input ${input} is missing`, 'OP_INPUT');
    if (type.kind === 'tensor') return type;
    if (type.kind === 'unknown') return ANY_TENSOR;
    return this.fail(`input ${input} must be a tensor, not ${formatType(type)}`, 'OP_INPUT');
  }

  /** An optional input that must be a tensor if it is given. */
  optionalTensor(input: InputRef): TensorType | undefined {
    return this.has(input) ? this.tensor(input) : undefined;
  }

  shape(input: InputRef): Shape | undefined {
    return this.tensor(input).shape;
  }

  dtype(input: InputRef): DataType | undefined {
    return this.tensor(input).dtype;
  }

  /** The known elements of a tensor input (a shape, axes …), or undefined. */
  elements(input: InputRef): readonly Dim[] | undefined {
    const type = this.input(input);
    return isTensor(type) ? type.elements : undefined;
  }

  /** The known elements of an input as plain numbers; undefined if any is symbolic or nothing is known. */
  numbers(input: InputRef): readonly number[] | undefined {
    const elements = this.elements(input);
    return elements?.every((e) => typeof e === 'number') ? (elements as readonly number[]) : undefined;
  }

  /** The one element of a scalar (or one-element) input. */
  scalar(input: InputRef): Dim | undefined {
    return this.elements(input)?.[0];
  }

  /** Whether an input is given at all (even if nothing is known of it). */
  has(input: InputRef): boolean {
    return this.input(input) !== undefined;
  }

  get outputCount(): number {
    return this.node.outputs.length;
  }

  /** Whether the node asks for an output. */
  wants(index: number): boolean {
    return (this.node.outputs[index] ?? '') !== '';
  }

  // Outputs, once inferred ---------------------------------------------------------------------------------

  /** Number of elements of an output; undefined when unknown. */
  outputSize(index = 0): Dim | undefined {
    const type = this.outputs[index];
    return isTensor(type) ? type.size : undefined;
  }

  inputSize(input: InputRef = 0): Dim | undefined {
    const type = this.input(input);
    return isTensor(type) ? type.size : undefined;
  }

  // Attributes: what the node says, else the operator's default at this opset ------------------------------

  #attribute<T extends AttributeTypeName & Attribute['type']>(name: string, type: T): unknown {
    const attribute = this.node.attributes.get(name);
    if (attribute === undefined) {
      const { domain, opType } = this.#defaultsOf;
      return schemaFor(domain, opType, this.opset)?.attributes[name]?.default;
    }
    if (attribute.type !== type) {
      return this.fail(`attribute '${name}' must be of type ${type}, not ${attribute.type}`, 'OP_ATTRIBUTE');
    }
    return attribute.value;
  }

  hasAttribute(name: string): boolean {
    return this.node.attributes.has(name);
  }

  /** An integer attribute. Beyond ±2^53 it is rounded. */
  int(name: string): number | undefined;
  int(name: string, fallback: number): number;
  int(name: string, fallback?: number): number | undefined {
    const value = this.#attribute(name, 'int');
    return value === undefined ? fallback : Number(value);
  }

  float(name: string): number | undefined;
  float(name: string, fallback: number): number;
  float(name: string, fallback?: number): number | undefined {
    return (this.#attribute(name, 'float') as number | undefined) ?? fallback;
  }

  string(name: string): string | undefined;
  string(name: string, fallback: string): string;
  string(name: string, fallback?: string): string | undefined {
    const value = this.#attribute(name, 'string') as string | Uint8Array | undefined;
    return value instanceof Uint8Array
      ? this.fail(`attribute '${name}' is not text`, 'OP_ATTRIBUTE')
      : (value ?? fallback);
  }

  ints(name: string): readonly number[] | undefined {
    return (this.#attribute(name, 'ints') as readonly (number | bigint)[] | undefined)?.map(Number);
  }

  floats(name: string): readonly number[] | undefined {
    return this.#attribute(name, 'floats') as readonly number[] | undefined;
  }

  strings(name: string): readonly (string | Uint8Array)[] | undefined {
    return this.#attribute(name, 'strings') as readonly (string | Uint8Array)[] | undefined;
  }

  tensorAttribute(name: string): Tensor | undefined {
    return this.#attribute(name, 'tensor') as Tensor | undefined;
  }

  graph(name: string): Graph {
    const graph = this.#attribute(name, 'graph') as Graph | undefined;
    return graph ?? this.fail(`attribute '${name}' is missing`, 'OP_ATTRIBUTE');
  }

  /** An attribute that must be there. */
  required<T>(value: T | undefined, name: string): T {
    return value ?? this.fail(`attribute '${name}' is missing`, 'OP_ATTRIBUTE');
  }

  // Helpers ------------------------------------------------------------------------------------------------

  /** An axis as an index from 0; negative ones count from the end. */
  axis(axis: number, rank: number, what = 'axis'): number {
    const index = axis < 0 ? axis + rank : axis;
    if (!Number.isInteger(axis) || index < 0 || index >= rank) {
      return this.fail(`${what} ${axis} does not exist in a tensor of rank ${rank}`);
    }
    return index;
  }

  /** Several distinct axes. */
  axes(axes: readonly number[], rank: number): number[] {
    const indices = axes.map((a) => this.axis(a, rank));
    if (new Set(indices).size !== indices.length) this.fail(`axes [${axes}] name a dimension twice`);
    return indices;
  }

  /** A size that only running the network can tell: a symbol named after the output and its dimension. */
  unknownSize(output: number, axis: number): Dim {
    return axisSize(this.node.outputs[output] || `${nodeLabel(this.node)}.${output}`, axis);
  }

  /** Whether what is likely, but not certain, may be taken for granted: an open size is not 1. */
  mayAssume(): boolean {
    return this.#scope.mayAssume?.() ?? true;
  }

  /** Infers a subgraph and records it as something this node runs. */
  runBody(name: string, inputs: readonly ValueType[], how: BodyRuns = {}): readonly ValueType[] {
    const body = this.inferBody(name, inputs);
    this.recordBody(name, body, how);
    return body.outputTypes;
  }

  /** Records an inferred subgraph as something this node runs. */
  recordBody(name: string, graph: InferredBody, how: BodyRuns = {}): void {
    const times = 'times' in how ? how.times : 1;
    this.#bodies ??= [];
    this.#bodies.push({ name, graph, times, alternative: how.alternative ?? false });
  }

  /** Infers a subgraph without recording it: to find out types before the final run. */
  inferBody(name: string, inputs: readonly ValueType[]): InferredBody {
    return this.#scope.inferBody(this.node, this.graph(name), inputs, name);
  }

  /** Records runs of a subgraph one after the other; those that cost the same become one that repeats. */
  recordRuns(name: string, runs: readonly InferredBody[]): void {
    let repeats = 0;
    runs.forEach((run, i) => {
      repeats++;
      const next = runs[i + 1];
      if (next !== undefined && this.#scope.sameWork(run, next)) return;
      this.recordBody(name, run, { times: repeats });
      repeats = 0;
    });
  }
}

const ANY_TENSOR = new TensorType(undefined, undefined);

/** The dtype of an index or shape input must be an integer if it is known. */
export function expectInteger(call: Call, input: InputRef): void {
  const type = call.optionalTensor(input);
  if (type?.dtype !== undefined && !isInteger(type.dtype)) {
    call.fail(`input ${input} must hold integers, not ${type.dtype}`, 'OP_INPUT');
  }
}

/** The element type that several inputs share, whichever of them tell it. */
export function commonDtype(call: Call, inputs: readonly TensorType[]): DataType | undefined {
  let found: DataType | undefined;
  for (const { dtype } of inputs) {
    if (dtype === undefined || dtype === found) continue;
    if (found !== undefined) {
      call.fail(`the inputs have different types, ${found} and ${dtype}`, 'TYPE_MISMATCH');
    }
    found = dtype;
  }
  return found;
}

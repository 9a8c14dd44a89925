// Shape inference: walks a model in the order it would run and asks every operator what comes out. Unknown
// operators do not stop it; what they produce is taken from what the file declares, or stays unknown.

import { bindAttributes } from '../graph/bind-attributes.js';
import { axisSize, type Dim, isKnown, namesIn } from '../graph/dim.js';
import {
  type FunctionDefinition,
  type Graph,
  hasSubgraphs,
  isDefaultDomain,
  type Model,
  type Node,
  nodeLabel,
  operatorName,
  subgraphs,
  type ValueInfo,
} from '../graph/graph.js';
import { topologicalOrder } from '../graph/order.js';
import { parseDim } from '../graph/parse-dim.js';
import type { Tensor } from '../graph/tensor.js';
import {
  formatType,
  isTensor,
  optionalType,
  type Shape,
  TensorType,
  UNKNOWN,
  type ValueType,
} from '../graph/types.js';
import { constantType, operatorFor } from '../ops/index.js';
import { Call, type CallScope, type InferredBody, type Operator } from '../ops/operator.js';
import { AuspexError, type Where } from '../util/errors.js';
import { refine } from './refine.js';
import { sameWork } from './same-work.js';
import { checkSizes, impossible, isSize } from './sizes.js';

export interface InferOptions {
  /** Shapes of inputs, by name; they replace what the file says. Texts name symbolic sizes. */
  readonly shapes?: Readonly<Record<string, readonly (number | string)[]>>;
  /** Values of symbolic dimensions, by name. */
  readonly dims?: Readonly<Record<string, number>>;
  /** Sizes that values had in a run, for those that depend on the data. */
  readonly measured?: ReadonlyMap<string, readonly number[]>;
  /** Full types of inputs, by name, possibly with known elements: for values that decide shapes. */
  readonly types?: Readonly<Record<string, ValueType>>;
}

/** A node with all that was found out about this application of it. */
export interface InferredNode {
  readonly node: Node;
  readonly call: Call;
  /** Undefined for an operator auspex does not know, and for a call of a model-local function. */
  readonly operator: Operator | undefined;
  readonly isFunction: boolean;
}

/** A graph with the types of all its values. */
export interface InferredGraph extends InferredBody {
  readonly name: string;
  readonly nodes: readonly InferredNode[];
  /** The nodes by themselves, of a graph that is known to have no functions and no graphs inside. */
  readonly plainNodes?: readonly Node[];
  readonly types: ReadonlyMap<string, ValueType>;
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly initializers: ReadonlyMap<string, Tensor>;
}

export interface Inference {
  readonly model: Model;
  readonly graph: InferredGraph;
}

/**
 * More visits of nodes than this mean that functions or loops multiply each other without end. Besides one for
 * every node: so many, more for every node that can be repeated, but no more than a file of any size may need.
 */
const REPEATED_VISITS = { least: 20_000, perNode: 8, most: 100_000 };
/** How many known elements are computed with, see `workOf`; what comes later has unknown elements. */
const MAX_ELEMENT_WORK = 4_000_000;
const MAX_CALL_DEPTH = 64;

/**
 * Infers the types of all values of a model.
 *
 * @example
 * const { graph } = inferShapes(readModel('resnet8.onnx'), { shapes: { image: [8, 3, 32, 32] } });
 * String(graph.types.get('logits')); // 'float32[8,10]'
 */
export function inferShapes(model: Model, options: InferOptions = {}): Inference {
  const known = (model as { [INFERRED]?: InferredGraph })[INFERRED];
  if (known && Object.keys(options).length === 0) return { model, graph: known };
  const run = new InferenceRun(model, options, true);
  try {
    return { model, graph: run.main() };
  } catch (error) {
    if (!(error instanceof AuspexError) || !run.hasAssumed) throw error;
    return { model, graph: new InferenceRun(model, options, false).main() };
  }
}

/** Not in a WeakMap: collecting thousands of such entries takes longer than inferring. A copy does not have it. */
const INFERRED = Symbol('inferred');

/** Notes what is known of a model from writing it, so that it is not inferred again. */
export function noteInferred(model: Model, graph: InferredGraph): void {
  Object.defineProperty(model, INFERRED, { value: graph });
}

/** What names mean where a graph stands. */
interface Scope {
  readonly types: Map<string, ValueType>;
  readonly outer: Scope | undefined;
  readonly opsets: ReadonlyMap<string, number>;
  /** For messages; undefined for the main graph. */
  readonly name: string | undefined;
  readonly depth: number;
}

class InferenceRun {
  readonly #model: Model;
  readonly #options: InferOptions;
  readonly #bindings: ReadonlyMap<string, number>;
  readonly #functions = new Map<string, FunctionDefinition>();
  readonly #constants = new WeakMap<Tensor, TensorType>();
  readonly #maxVisits: number;
  #visits = 0;
  #elementWork = 0;

  /** Whether something was taken for granted. */
  hasAssumed = false;
  readonly #assumes: boolean;

  /** @param assumes whether what is likely is taken for granted */
  constructor(model: Model, options: InferOptions, assumes: boolean) {
    this.#assumes = assumes;
    this.#model = model;
    this.#options = options;
    this.#bindings = new Map(Object.entries(options.dims ?? {}));
    for (const f of model.functions) this.#functions.set(functionKey(f.domain, f.name, f.overload), f);
    const nodes = nodeCount(model.graph.nodes) + nodeCount(model.functions.flatMap((f) => f.nodes));
    const { least, perNode, most } = REPEATED_VISITS;
    const repeatable = nodes - model.graph.nodes.length;
    this.#maxVisits = nodes + Math.min(least + perNode * repeatable, most);
  }

  main(): InferredGraph {
    const { graph } = this.#model;
    this.#checkOptions(graph);
    const inputs = graph.inputs
      .filter((input) => !graph.initializers.has(input.name) && !graph.sparseInitializers.has(input.name))
      .map((input): [string, ValueType] => [input.name, this.#inputType(input)]);
    return this.#graph(graph, inputs, {
      types: new Map(),
      outer: undefined,
      opsets: this.#model.opsetImports,
      name: undefined,
      depth: 0,
    });
  }

  #checkOptions(graph: Graph): void {
    const names = graph.inputs.map((i) => i.name);
    for (const name of [
      ...Object.keys(this.#options.shapes ?? {}),
      ...Object.keys(this.#options.types ?? {}),
    ]) {
      if (names.includes(name)) continue;
      throw new AuspexError('UNKNOWN_INPUT', `the model has no input called '${name}'`, {
        hint: `its inputs are ${names.map((n) => `'${n}'`).join(', ')}`,
      });
    }
    for (const [name, size] of Object.entries(this.#options.dims ?? {})) {
      if (!Number.isSafeInteger(size) || size < 0) {
        throw new AuspexError('BAD_DIM', `dimension '${name}' cannot be ${size}`, {
          hint: 'give a whole number',
        });
      }
    }
    this.#checkDimensions(graph);
  }

  /** A dimension that is to be fixed must occur somewhere: in an input, or where the file names a size. */
  #checkDimensions(graph: Graph): void {
    const wanted = Object.keys(this.#options.dims ?? {});
    if (wanted.length === 0) return;
    const inputs = new Set(graph.inputs.flatMap((info) => sizeNames(info.type, info.name)));
    for (const shape of Object.values(this.#options.shapes ?? {})) {
      for (const d of shape) if (typeof d === 'string') inputs.add(d);
    }
    const inside = [...graph.valueInfo.values(), ...graph.outputs].flatMap((v) => sizeNames(v.type, v.name));
    const known = new Set([...inputs, ...inside]);
    for (const name of wanted) {
      if (known.has(name)) continue;
      throw new AuspexError('UNKNOWN_DIM', `no dimension of the model is called '${name}'`, {
        hint:
          inputs.size > 0
            ? `its inputs have ${[...inputs].map((n) => `'${n}'`).join(', ')}`
            : 'the shapes of its inputs are fixed; use --shape to change one',
      });
    }
  }

  #inputType(input: ValueInfo): ValueType {
    const given = own(this.#options.types, input.name);
    if (given) return given;
    const declared = this.#resolve(input.type, input.name);
    const shape = own(this.#options.shapes, input.name);
    if (shape === undefined) return declared;
    if (declared.kind !== 'tensor' && declared.kind !== 'unknown') {
      throw new AuspexError('BAD_SHAPE', `input '${input.name}' is a ${formatType(declared)}, not a tensor`);
    }
    const dtype = isTensor(declared) ? declared.dtype : undefined;
    const dims = shape.map((d) => (typeof d === 'number' ? d : parseDim(d, this.#bindings)));
    if (impossible(dims) || dims.some((d) => typeof d === 'number' && !isSize(d))) {
      throw new AuspexError('BAD_SHAPE', `input '${input.name}' cannot have shape [${dims}]`, {
        hint: 'give whole numbers, or names for sizes that vary',
      });
    }
    return new TensorType(dtype, dims);
  }

  /** A declared type with its symbols looked up; sizes without a name get that of the value. */
  #resolve(type: ValueType, name: string): ValueType {
    const dims = (shape: Shape | undefined): Shape | undefined => {
      const resolved = shape?.map((d, i): Dim => {
        if (typeof d === 'number' && isSize(d)) return d;
        const text = String(d);
        const size = text === '?' ? undefined : parseDim(text, this.#bindings);
        // Some exporters write '-1' for a size they do not know.
        if (size !== undefined && (typeof size !== 'number' || isSize(size))) return size;
        const own = axisSize(name, i);
        return this.#bindings.get(own.toString()) ?? own;
      });
      const problem = resolved && impossible(resolved);
      if (problem === undefined) return resolved;
      throw new AuspexError('SHAPE_TOO_LARGE', `'${name}' is declared with a shape that ${problem}`, {
        where: { path: `value '${name}'` },
      });
    };
    switch (type.kind) {
      case 'tensor':
        return new TensorType(type.dtype, dims(type.shape));
      case 'sparse':
        return { ...type, shape: dims(type.shape) };
      case 'sequence':
      case 'optional':
        return { kind: type.kind, element: this.#resolve(type.element, name) };
      case 'map':
        return { ...type, value: this.#resolve(type.value, name) };
      case 'unknown':
        return type;
    }
  }

  /** The type of a constant. Small ones can be asked for their elements, which reads them from the file. */
  #constant(tensor: Tensor): TensorType {
    let type = this.#constants.get(tensor);
    if (type === undefined) {
      type = constantType(tensor);
      this.#constants.set(tensor, type);
    }
    return type;
  }

  #graph(graph: Graph, inputs: readonly [string, ValueType][], scope: Scope): InferredGraph {
    const { types } = scope;
    const place = (path: string): Where => (scope.name === undefined ? { path: `graph.${path}` } : { path });
    for (const [name, type] of inputs) {
      if (types.has(name)) {
        const index = graph.inputs.findLastIndex((input) => input.name === name);
        throw new AuspexError('GRAPH_DUPLICATE_NAME', `two inputs are called '${name}'`, {
          where: place(`input[${index}]`),
        });
      }
      types.set(name, type);
    }
    for (const [name, tensor] of graph.initializers) types.set(name, this.#constant(tensor));
    for (const [name, { values, dims }] of graph.sparseInitializers) {
      types.set(name, new TensorType(values.dtype, dims));
    }
    const declared = new Map<string, ValueType>();
    for (const info of graph.valueInfo.values()) declared.set(info.name, info.type);
    for (const output of graph.outputs) declared.set(output.name, output.type);
    const nodes = this.#nodes(graph.nodes, declared, scope);
    const outputTypes = graph.outputs.map(({ name }, index) => {
      const type = lookUp(scope, name);
      if (type !== undefined) return type;
      throw new AuspexError('GRAPH_MISSING_OUTPUT', `nothing computes the output '${name}'`, {
        where: { ...place(`output[${index}]`), ...(scope.name === undefined ? {} : { graph: scope.name }) },
      });
    });
    return {
      name: graph.name,
      nodes,
      types,
      inputNames: inputs.map(([name]) => name),
      outputNames: graph.outputs.map((o) => o.name),
      outputTypes,
      initializers: withSparse(graph),
    };
  }

  #nodes(nodes: readonly Node[], declared: ReadonlyMap<string, ValueType>, scope: Scope): InferredNode[] {
    const { types, outer } = scope;
    const ordered = topologicalOrder(
      nodes,
      (name) => types.has(name),
      (name) => outer !== undefined && lookUp(outer, name) !== undefined,
    );
    const calls = this.#callScope(scope);
    const inferredNodes: InferredNode[] = [];
    for (const node of ordered) {
      if (++this.#visits > this.#maxVisits) {
        throw new AuspexError(
          'MODEL_TOO_DEEP',
          `functions and loops expand to more than ${this.#maxVisits} nodes`,
          { where: { node: nodeLabel(node), operator: operatorName(node) } },
        );
      }
      const inferred = this.#node(node, scope, calls);
      const { call } = inferred;
      let outputs: ValueType[] | undefined;
      for (let i = 0; i < node.outputs.length; i++) {
        const name = node.outputs[i]!;
        const type = this.#measured(name, call.outputs[i] ?? UNKNOWN, scope);
        const hint = name === '' || isCertain(type) ? undefined : declared.get(name);
        const refined = hint ? refine(type, this.#resolve(hint, name), name) : type;
        if (name !== '') types.set(name, refined);
        if (refined === call.outputs[i]) continue;
        outputs ??= [...call.outputs];
        outputs[i] = refined;
      }
      if (outputs) call.outputs = outputs;
      if (call.outputs.length > node.outputs.length) {
        call.outputs = call.outputs.slice(0, node.outputs.length);
      }
      inferredNodes.push(inferred);
    }
    return inferredNodes;
  }

  /** A type with the sizes that a run had, where nothing else tells them. */
  #measured(name: string, type: ValueType, { outer }: Scope): ValueType {
    const sizes = outer === undefined ? this.#options.measured?.get(name) : undefined;
    if (sizes === undefined || !isTensor(type) || type.shape?.every(isKnown)) return type;
    return new TensorType(type.dtype, sizes);
  }

  /** What the nodes of a scope may ask; one for all of them. */
  #callScope(scope: Scope): CallScope {
    return {
      inferBody: (node, graph, inputs, name) => this.#body(graph, inputs, name, node, scope),
      sameWork: (a, b) => sameWork(a as InferredGraph, b as InferredGraph),
      mayAssume: () => {
        this.hasAssumed = true;
        return this.#assumes;
      },
    };
  }

  /** A type with its elements, unless more of them were computed with than any network needs. */
  #followed(type: ValueType | undefined): ValueType | undefined {
    const isOver = this.#elementWork > MAX_ELEMENT_WORK && isTensor(type) && type.mayBeKnown;
    return isOver ? new TensorType(type.dtype, type.shape) : type;
  }

  #node(node: Node, scope: Scope, calls: CallScope): InferredNode {
    const inputs = node.inputs.map((name) => (name === '' ? undefined : this.#followed(lookUp(scope, name))));
    const definition =
      this.#functions.size === 0
        ? undefined
        : this.#functions.get(functionKey(node.domain, node.opType, node.overload));
    const opset = scope.opsets.get(isDefaultDomain(node.domain) ? '' : node.domain) ?? 1;
    const call = new Call(node, opset, inputs, calls);
    try {
      if (definition) {
        const graph = this.#function(definition, call, scope);
        call.recordBody(definition.name, graph);
        call.outputs = graph.outputTypes;
        return { node, call, operator: undefined, isFunction: true };
      }
      const operator = operatorFor(node);
      if (operator) {
        call.outputs = operator.infer(call);
        checkSizes(call);
        this.#elementWork += workOf(call);
      }
      return { node, call, operator, isFunction: false };
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      const where = { node: nodeLabel(node), operator: operatorName(node) };
      throw error.within(scope.name === undefined ? where : { ...where, graph: scope.name });
    }
  }

  #body(graph: Graph, inputs: readonly ValueType[], name: string, node: Node, scope: Scope): InferredGraph {
    if (graph.inputs.length !== inputs.length) {
      throw new AuspexError(
        'GRAPH_BODY',
        `the subgraph '${name}' takes ${graph.inputs.length} inputs, but gets ${inputs.length}`,
      );
    }
    const given = graph.inputs.map((input, i): [string, ValueType] => [
      input.name,
      refine(asFormal(inputs[i]!, input.type), this.#resolve(input.type, input.name), input.name),
    ]);
    return this.#graph(graph, given, {
      types: new Map(),
      outer: scope,
      opsets: scope.opsets,
      name: `${scope.name ? `${scope.name}/` : ''}${nodeLabel(node)}.${name}`,
      depth: this.#deeper(scope),
    });
  }

  #deeper(scope: Scope): number {
    if (scope.depth >= MAX_CALL_DEPTH) {
      throw new AuspexError(
        'MODEL_TOO_DEEP',
        `graphs and functions are nested more than ${MAX_CALL_DEPTH} deep`,
        {
          hint: 'a function that calls itself is not allowed',
        },
      );
    }
    return scope.depth + 1;
  }

  #function(definition: FunctionDefinition, call: Call, outer: Scope): InferredGraph {
    const { node } = call;
    const types = new Map<string, ValueType>();
    definition.inputs.forEach((name, i) => {
      types.set(name, call.inputs[i] ?? UNKNOWN);
    });
    const attributes = new Map([...definition.attributeDefaults, ...node.attributes]);
    const scope: Scope = {
      types,
      outer: undefined,
      opsets: definition.opsetImports.size > 0 ? definition.opsetImports : outer.opsets,
      name: `${outer.name ? `${outer.name}/` : ''}${nodeLabel(node)}`,
      depth: this.#deeper(outer),
    };
    const nodes = definition.nodes.map((n) => bindAttributes(n, attributes));
    const declared = new Map([...definition.valueInfo.values()].map((v) => [v.name, v.type]));
    const inferred = this.#nodes(nodes, declared, scope);
    return {
      name: definition.name,
      nodes: inferred,
      types,
      inputNames: definition.inputs,
      outputNames: definition.outputs,
      outputTypes: definition.outputs.map((name) => types.get(name) ?? UNKNOWN),
      initializers: new Map(),
    };
  }
}

/** All initializers; of sparse ones the values that are stored. */
function withSparse(graph: Graph): ReadonlyMap<string, Tensor> {
  if (graph.sparseInitializers.size === 0) return graph.initializers;
  const values = [...graph.sparseInitializers].map(([name, t]): [string, Tensor] => [name, t.values]);
  return new Map([...graph.initializers, ...values]);
}

/** The names that occur in the sizes of a declared type. */
function sizeNames(type: ValueType, name: string): string[] {
  if (!isTensor(type) || type.shape === undefined) return [];
  return type.shape.flatMap((d, i) => {
    if (typeof d === 'number') return [];
    const text = d.toString();
    return text === '?' ? [`${name}[${i}]`] : [text, ...namesIn(parseDim(text))];
  });
}

/** A value in the place of a formal input: where that is optional, a plain value is one that is there. */
function asFormal(given: ValueType, formal: ValueType): ValueType {
  const isPlain = given.kind === 'tensor' || given.kind === 'sequence';
  return formal.kind === 'optional' && isPlain ? optionalType(given, true) : given;
}

/** Whether a declaration could add nothing: a tensor whose type and sizes are all known. */
function isCertain(type: ValueType): boolean {
  if (!isTensor(type) || type.dtype === undefined || type.shape === undefined) return false;
  const { shape } = type;
  for (let i = 0; i < shape.length; i++) if (typeof shape[i] !== 'number') return false;
  return true;
}

function functionKey(domain: string, name: string, overload = ''): string {
  return `${isDefaultDomain(domain) ? '' : domain}\u0000${name}\u0000${overload}`;
}

function lookUp(scope: Scope | undefined, name: string): ValueType | undefined {
  for (let at = scope; at !== undefined; at = at.outer) {
    const type = at.types.get(name);
    if (type !== undefined) return type;
  }
  return undefined;
}

/** Nodes of a graph, with those of its subgraphs. */
function nodeCount(nodes: readonly Node[]): number {
  let count = nodes.length;
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i]!;
    if (hasSubgraphs(node)) for (const [, graph] of subgraphs(node)) count += nodeCount(graph.nodes);
  }
  return count;
}

/** What computing with known elements took: the number of terms of the sizes that came out, a bit to read others. */
function workOf(call: Call): number {
  let work = 0;
  const { inputs, outputs } = call;
  for (let k = 0; k < outputs.length; k++) {
    const type = outputs[k]!;
    const elements = isTensor(type) ? type.elementsAtHand : undefined;
    if (elements === undefined) continue;
    work += elements.length;
    for (let i = 0; i < elements.length; i++) {
      const e = elements[i]!;
      if (typeof e !== 'number') work += 10 * e.terms.size;
    }
  }
  for (let k = 0; k < inputs.length; k++) {
    const type = inputs[k];
    if (isTensor(type)) work += (type.elementsAtHand?.length ?? 0) / 8;
  }
  return work;
}

/** An entry that the caller gave: a value named 'constructor' finds nothing else. */
function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

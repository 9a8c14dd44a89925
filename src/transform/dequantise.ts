// A quantised network as one of floats, with the real weights: integers with a scale and a zero point become the numbers
// that they stand for, which are only rounded no more. What operators compute in floats, their definitions say (`float` in
// src/ops). Weights are converted when they are read.
//
// Bodies of branches and loops are written in floats too; what goes in and out of them stays of its type. Functions
// should be written out before (control-flow.ts).
import { noteTypes } from '../analysis/builder-types.js';
import { neededNodes, pruned } from '../analysis/dependence.js';
import { type InferredGraph, inferShapes } from '../analysis/infer.js';
import {
  type Attribute,
  type Graph,
  hasSubgraphs,
  type Model,
  makeNode,
  type Node,
  nodeLabel,
  operatorName,
  subgraphs,
  type ValueInfo,
} from '../graph/graph.js';
import { renamed } from '../graph/inline.js';
import { topologicalOrder, usedNames } from '../graph/order.js';
import type { Tensor } from '../graph/tensor.js';
import { isTensor } from '../graph/types.js';
import { Builder, Value } from '../ops/build.js';
import {
  type Bounds,
  carriedFloat,
  Dequantisation,
  type DequantisedConstant,
  type FloatResult,
  isQuantised,
  numberOf,
  type Quantised,
  type QuantisedNetwork,
  type Rounding,
  type Saturation,
  UNBOUNDED,
} from '../ops/float.js';
import { constantTensor, operatorFor, traitsOf } from '../ops/index.js';
import type { Body } from '../ops/operator.js';
import type { Movement } from '../ops/traits.js';
import { AuspexError } from '../util/errors.js';
import type { Change, Transformed } from './transform.js';

const TRANSFORM = 'float';

interface FloatOptions {
  /** Whether activations are rounded as before. Default `left-out`. */
  readonly rounding?: Rounding;
  /** Default `everywhere`. */
  readonly saturation?: Saturation;
}

/** The network in floats; the one that was given where it is not quantised. */
export function inFloat(model: Model, options: FloatOptions = {}): Transformed {
  if (!hasQuantised(model.graph)) return { model, changes: [] };
  const { graph: inferred } = inferShapes(model);
  // Names inside bodies are taken, too.
  const types = new Map([...bodiesIn(inferred).flatMap((body) => [...body.types]), ...inferred.types]);
  const builder = new Builder({ opsets: model.opsetImports, types });
  const network = new FloatNetwork(builder, model, options);
  network.addAll(model.graph, inferred);
  if (network.changes.length === 0) return { model, changes: [] };
  const outputs = model.graph.outputs.map((output) => network.output(output));
  const graph = {
    ...model.graph,
    nodes: builder.nodes,
    initializers: new Map([...model.graph.initializers, ...builder.initializers]),
    outputs,
    valueInfo: new Map(),
  };
  return { model: noteTypes(pruned({ ...model, graph }), builder.types), changes: network.changes };
}

/** Whether a network computes with integers somewhere, also in bodies that it runs. */
export function hasQuantised({ nodes }: Pick<Graph, 'nodes'>): boolean {
  return nodes.some(
    (node) =>
      isQuantised(operatorFor(node)) ||
      (hasSubgraphs(node) && [...subgraphs(node)].some(([, graph]) => hasQuantised(graph))),
  );
}

function bodiesIn({ nodes }: InferredGraph): readonly InferredGraph[] {
  return nodes.flatMap(({ call }) =>
    call.bodies.flatMap(({ graph }) => [graph as InferredGraph, ...bodiesIn(graph as InferredGraph)]),
  );
}

/** Movements that do the same to integers and to what they stand for. */
const CARRIED: ReadonlySet<Movement | undefined> = new Set([
  'same',
  'shape',
  'axes',
  'layout',
  'broadcast',
  'repeat',
  'part',
  'rows',
  'lookup',
  'join',
]);

/** What is known of values where a node is written; inside a body, more. */
interface Knowledge {
  readonly constants: Map<string, Tensor>;
  readonly quantised: Map<string, Quantised>;
  /** What stands in the place of values that were there before. */
  readonly instead: Map<string, Value>;
  readonly bounds: Map<string, Bounds>;
  /** Floats that were sums of integers: what scales them may go into weights. */
  readonly sums: Map<string, NonNullable<Quantised['scaled']>>;
  /** Scales that were replaced by 1, and what was made of them and of constants. */
  readonly free: Set<string>;
}

function copied(at: Knowledge): Knowledge {
  return {
    constants: new Map(at.constants),
    quantised: new Map(at.quantised),
    instead: new Map(at.instead),
    bounds: new Map(at.bounds),
    sums: new Map(at.sums),
    free: new Set(at.free),
  };
}

class FloatNetwork implements QuantisedNetwork {
  readonly changes: Change[] = [];
  readonly rounding: Rounding;
  readonly saturation: Saturation;
  readonly dequantised = new Map<Tensor, DequantisedConstant[]>();
  readonly #builder: Builder;
  /** Outputs of the network. */
  readonly #outputs: ReadonlySet<string>;
  /** What is known where nodes are written now. */
  #at: Knowledge;
  /** How many nodes have their bounds. */
  #seen = 0;
  #isInside = false;

  constructor(builder: Builder, model: Model, { rounding, saturation }: FloatOptions) {
    this.rounding = rounding ?? 'left-out';
    this.saturation = saturation ?? 'everywhere';
    this.#builder = builder;
    this.#outputs = new Set(model.graph.outputs.map(({ name }) => name));
    this.#at = {
      constants: new Map(model.graph.initializers),
      quantised: new Map(),
      instead: new Map(),
      bounds: new Map(),
      sums: new Map(),
      free: new Set(),
    };
  }

  /** Writes all nodes of a graph, in the order in which they run. */
  addAll({ nodes, inputs, initializers }: Graph, inferred: InferredGraph): void {
    const names = new Set([...inputs.map(({ name }) => name), ...initializers.keys()]);
    const calls = new Map(inferred.nodes.map(({ node, call }) => [node, call]));
    const isOwn = (name: string): boolean => names.has(name);
    for (const node of topologicalOrder(nodes, isOwn, (name) => !isOwn(name) && this.#isInside)) {
      for (const name of node.outputs) names.add(name);
      this.add(node, calls.get(node)?.bodies ?? []);
    }
  }

  quantised(name: string): Quantised | undefined {
    return this.#at.quantised.get(name);
  }

  constant(name: string): Tensor | undefined {
    return this.#at.constants.get(name) ?? this.#builder.initializers.get(name);
  }

  bounds(name: string): Bounds {
    const { nodes } = this.#builder;
    for (; this.#seen < nodes.length; this.#seen++) this.#noteBounds(nodes[this.#seen]!);
    return this.#at.bounds.get(name) ?? UNBOUNDED;
  }

  /** Writes a node of the network before. */
  add(before: Node, bodies: readonly Body[]): void {
    const inputs = before.inputs.map((name) => this.#at.instead.get(name)?.name ?? name);
    const node = { ...before, inputs, attributes: this.#attributesOf(before, bodies) };
    const constant = constantTensor(node);
    if (constant !== undefined) this.#at.constants.set(node.outputs[0]!, constant);
    const isFree =
      before.inputs.some((name) => this.#at.free.has(name)) &&
      before.inputs.every((name) => this.#isFree(name));
    let results: readonly FloatResult[] | undefined;
    try {
      results = this.#builder.within(nodeLabel(node), () => this.#inFloats(node, isFree));
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      throw error.within({ node: nodeLabel(node), operator: operatorName(node) });
    }
    if (isFree) for (const name of before.outputs) this.#at.free.add(name);
    if (results === undefined) this.#keep(node);
    else node.outputs.forEach((name, i) => void (name === '' || this.#replace(name, results[i])));
  }

  /** With the bodies that a node runs in floats, where all of them are known. */
  #attributesOf(node: Node, bodies: readonly Body[]): Node['attributes'] {
    if (!hasSubgraphs(node)) return node.attributes;
    const own = [...subgraphs(node)];
    const isKnown = own.every(([name]) => bodies.filter((body) => body.name === name).length === 1);
    if (!isKnown) return node.attributes;
    const inFloats = own.map(([name, graph]): [string, Attribute] => {
      const body = bodies.find((each) => each.name === name)!.graph as InferredGraph;
      return [name, { type: 'graph', value: this.#body(`${nodeLabel(node)}/${name}`, graph, body) }];
    });
    return new Map([...node.attributes, ...inFloats]);
  }

  /** The graph of a body in floats. What is constant in it moves to the graph of the network. */
  #body(label: string, graph: Graph, inferred: InferredGraph): Graph {
    const { nodes, types } = this.#builder;
    const outside = { at: this.#at, seen: this.#seen, isInside: this.#isInside, nodes: nodes.splice(0) };
    this.#at = copied(this.#at);
    this.#seen = 0;
    this.#isInside = true;
    for (const [name, type] of inferred.types) types.set(name, type);
    for (const { name } of graph.inputs) this.#at.quantised.delete(name);
    for (const [name, tensor] of graph.initializers) this.#at.constants.set(name, tensor);
    const written = this.#builder.within(label, () => {
      this.addAll(graph, inferred);
      return graph.outputs.map((output) => this.#bodyOutput(output));
    });
    const names = written.map(({ name }) => name);
    const inside = neededNodes(nodes.splice(0), names);
    nodes.push(...outside.nodes);
    this.#at = outside.at;
    this.#seen = outside.seen;
    this.#isInside = outside.isInside;
    return { ...graph, nodes: inside, outputs: written, valueInfo: new Map() };
  }

  /** What a body gives, of the type that it was. */
  #bodyOutput(info: ValueInfo): ValueInfo {
    const { name } = info;
    const reader: Node = makeNode('Identity', [name], [name], {}, { name });
    const instead = this.#at.quantised.has(name) ? this.#restored(name, reader) : this.#at.instead.get(name);
    if (instead === undefined) return info;
    const output = this.#builder.freshName(name);
    this.#builder.types.set(output, instead.type);
    this.#builder.nodes.push(makeNode('Identity', [instead.name], [output], {}, { name: output }));
    return { ...info, name: output };
  }

  #isFree(name: string): boolean {
    return name === '' || this.#at.free.has(name) || this.constant(name) !== undefined;
  }

  #inFloats(node: Node, isFree: boolean): readonly FloatResult[] | undefined {
    const operator = operatorFor(node);
    const { moves, pooling, arithmetic, rounds } = traitsOf(node);
    const expansion = new Dequantisation(this.#builder.callOf(node), this.#builder, this);
    if (operator?.float !== undefined) {
      const results = operator.float(expansion);
      // A scale that the network gives its user stays what it is.
      const isGiven = node.outputs.slice(1).some((name) => name !== '' && this.#outputs.has(name));
      if (isGiven && results?.[0] && !(results[0] instanceof Value)) return undefined;
      if (results) this.#note(node, 'is written in floats');
      // Scales and zero points that come from the data, beside the integers.
      if (results && results.length > 1) for (const name of node.outputs.slice(1)) this.#at.free.add(name);
      return results;
    }
    if (arithmetic === 'multiply') return this.#scaled(node);
    if (arithmetic === 'add') return this.#added(node);
    // A bias in the steps of a scale that is 1 now would lose its fraction.
    if (isFree && rounds) return [expansion.input(0)];
    if (isFree && moves === 'type') return this.#unrounded(node, expansion);
    const known = this.#at.quantised.get(node.inputs[0] ?? '');
    if (moves === 'type' && known) return this.#castSums(node, known, expansion);
    const isCarried = CARRIED.has(moves) || pooling?.keeps === 'maximum';
    return isCarried && known ? carriedFloat(expansion) : undefined;
  }

  /** Integers as floats, where that is what they are cast to. */
  #castSums(node: Node, known: Quantised, expansion: Dequantisation): readonly FloatResult[] | undefined {
    const to = this.#builder.types.get(node.outputs[0]!);
    const dtype = to?.kind === 'tensor' ? to.dtype : undefined;
    if (dtype !== 'float32' && dtype !== 'float64' && dtype !== 'float16') return undefined;
    const numbers = expansion.integers(expansion.input(0), dtype).cast(dtype);
    if (known.scaled && known.scale === undefined) this.#at.sums.set(node.outputs[0]!, known.scaled);
    return [numbers];
  }

  /** Floats that become integers without being rounded. */
  #unrounded(node: Node, expansion: Dequantisation): readonly FloatResult[] | undefined {
    const [type] = expansion.call.outputs;
    const isInteger = isTensor(type) && type.dtype === 'int32';
    return isInteger && !this.#at.quantised.has(node.inputs[0]!) ? [{ real: expansion.input(0) }] : undefined;
  }

  /** Sums of integers, and what is added to them. */
  #added(node: Node): readonly FloatResult[] | undefined {
    const [a, b] = node.inputs.map((name) => this.#at.quantised.get(name));
    if (a === undefined || b === undefined || a.scale || b.scale || a.zeroPoint || b.zeroPoint)
      return undefined;
    const scaled = (factor: Value): Value | undefined => {
      const [x, y] = [a, b].map((each) => (each.scaled ? each.scaled(factor) : each.real.mul(factor)));
      return x && y && x.add(y);
    };
    return [{ real: a.real.add(b.real), scaled }];
  }

  /** Scales behind a product of integers: 1 says nothing, and a constant goes into the weights. */
  #scaled(node: Node): readonly FloatResult[] | undefined {
    if (!node.inputs.every((name) => isTensor(this.#builder.types.get(name)))) return undefined;
    const values = node.inputs.map((name) => this.#builder.value(name));
    const [one, other] = values;
    if (one === undefined || other === undefined || values.length !== 2) return undefined;
    for (const [factor, x] of [
      [one, other],
      [other, one],
    ] as const) {
      if (this.#isOwnOne(factor) && x.hasShape(this.#builder.value(node.outputs[0]!).shape)) return [x];
      const scaled = this.#at.sums.get(x.name)?.(factor);
      if (scaled !== undefined) return [scaled];
    }
    return undefined;
  }

  /** A scale that was replaced by 1. */
  #isOwnOne(value: Value): boolean {
    return this.#builder.initializers.has(value.name) && numberOf(value, Number.NaN) === 1;
  }

  #replace(name: string, result: FloatResult): void {
    if (result === undefined) return;
    if (!(result instanceof Value)) {
      this.#at.quantised.set(name, result);
      return;
    }
    this.#at.instead.set(name, result);
    const sum = this.#at.sums.get(name);
    if (sum) this.#at.sums.set(result.name, sum);
  }

  /** Leaves a node as it is. What it reads has to be there as it was. */
  #keep(node: Node): void {
    const inputs = node.inputs.map((name) =>
      this.#at.quantised.has(name) ? this.#restored(name, node).name : name,
    );
    const own = new Set(node.inputs);
    const captured = new Map<string, string>();
    for (const name of usedNames(node)) {
      if (own.has(name)) continue;
      const value = this.#at.quantised.has(name) ? this.#restored(name, node) : this.#at.instead.get(name);
      if (value !== undefined) captured.set(name, value.name);
    }
    const kept = { ...node, inputs };
    this.#builder.nodes.push(
      captured.size === 0 ? kept : { ...renamed(kept, captured), outputs: node.outputs },
    );
  }

  /** Integers again, for a node that needs them. */
  #restored(name: string, reader: Node): Value {
    const { real, scale, zeroPoint, axis } = this.#at.quantised.get(name)!;
    if (scale === undefined || zeroPoint === undefined) {
      throw new AuspexError(
        'FLOAT_UNSUPPORTED',
        `it reads the integers '${name}', which have no fixed scale`,
        {
          where: { node: nodeLabel(reader), operator: operatorName(reader) },
          hint: 'this quantised network cannot be written in floats',
        },
      );
    }
    this.#at.quantised.delete(name);
    const type = this.#builder.types.get(name)!;
    const output = this.#builder.freshName(name);
    const attributes = axis === undefined ? {} : { axis: { type: 'int', value: axis } as const };
    const inputs = [real.name, scale.name, zeroPoint.name];
    this.#builder.nodes.push(makeNode('QuantizeLinear', inputs, [output], attributes, { name: output }));
    this.#builder.types.set(output, type);
    this.#note(reader, `reads '${name}' as integers still`);
    const value = this.#builder.value(output);
    this.#at.instead.set(name, value);
    return value;
  }

  /** An output under its own name: integers come as what they stand for. */
  output(info: ValueInfo): ValueInfo {
    const { name } = info;
    const value = this.#at.quantised.get(name)?.real ?? this.#at.instead.get(name);
    if (value === undefined) return { ...info, type: this.#builder.types.get(name)! };
    this.#builder.nodes.push(makeNode('Identity', [value.name], [name], {}, { name }));
    if (this.#at.quantised.has(name)) {
      const before = this.#builder.types.get(name);
      this.changes.push({
        transform: TRANSFORM,
        what: `output '${name}' is ${value.type} in place of ${before}`,
      });
    }
    this.#builder.types.set(name, value.type);
    return { ...info, type: value.type };
  }

  #note(node: Node, what: string): void {
    this.changes.push({ transform: TRANSFORM, what, node: nodeLabel(node), operator: operatorName(node) });
  }

  /** What a node's first output lies between. */
  #noteBounds(node: Node): void {
    const { range, activation, moves, pooling } = traitsOf(node);
    const set = (bounds: Bounds): void => {
      for (const name of node.outputs) this.#at.bounds.set(name, bounds);
    };
    const of = (name: string): Bounds => this.#at.bounds.get(name) ?? UNBOUNDED;
    if (range !== undefined) set(range);
    else if (activation === 'clip') {
      const call = this.#builder.callOf(node);
      const bound = (slot: number, open: number): number =>
        call.has(slot) ? (call.numbers(slot)?.[0] ?? open) : open;
      const [least, most] = of(node.inputs[0]!);
      set([Math.max(least, bound(1, UNBOUNDED[0])), Math.min(most, bound(2, UNBOUNDED[1]))]);
    } else if (moves === 'join') set(node.inputs.map(of).reduce(around));
    else if (pooling?.keeps === 'average') set(around(of(node.inputs[0]!), [0, 0]));
    else if (CARRIED.has(moves) || pooling?.keeps === 'maximum') set(of(node.inputs[0]!));
  }
}

function around(a: Bounds, b: Bounds): Bounds {
  return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}

// A quantised network as one of floats, with the real weights: integers with a scale and a zero point become the numbers
// that they stand for, which are only rounded no more. What operators compute in floats, their definitions say (`float` in
// src/ops). Weights are converted when they are read.
//
// Functions and control flow should be resolved before (control-flow.ts): inside bodies nothing is changed.
import { noteTypes } from '../analysis/builder-types.js';
import { pruned } from '../analysis/dependence.js';
import { inferShapes } from '../analysis/infer.js';
import { type Model, makeNode, type Node, nodeLabel, operatorName, type ValueInfo } from '../graph/graph.js';
import { topologicalOrder, usedNames } from '../graph/order.js';
import type { Tensor } from '../graph/tensor.js';
import { isTensor } from '../graph/types.js';
import { Builder, Value } from '../ops/build.js';
import {
  type Bounds,
  carriedFloat,
  Dequantisation,
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
  if (!model.graph.nodes.some((node) => isQuantised(operatorFor(node)))) return { model, changes: [] };
  const { types } = inferShapes(model).graph;
  const builder = new Builder({ opsets: model.opsetImports, types });
  const network = new FloatNetwork(builder, model, options);
  const names = new Set([...model.graph.inputs.map(({ name }) => name), ...model.graph.initializers.keys()]);
  const isOwn = (name: string): boolean => names.has(name);
  for (const node of topologicalOrder(model.graph.nodes, isOwn, () => false)) {
    for (const name of node.outputs) names.add(name);
    network.add(node);
  }
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

class FloatNetwork implements QuantisedNetwork {
  readonly changes: Change[] = [];
  readonly rounding: Rounding;
  readonly saturation: Saturation;
  readonly #builder: Builder;
  readonly #constants: Map<string, Tensor>;
  readonly #quantised = new Map<string, Quantised>();
  /** What stands in the place of values that were there before. */
  readonly #instead = new Map<string, Value>();
  readonly #bounds = new Map<string, Bounds>();
  /** Floats that were sums of integers: what scales them may go into weights. */
  readonly #sums = new Map<string, NonNullable<Quantised['scaled']>>();
  /** Scales that were replaced by 1, and what was made of them and of constants. */
  readonly #free = new Set<string>();
  /** How many nodes have their bounds. */
  #seen = 0;

  constructor(builder: Builder, model: Model, { rounding, saturation }: FloatOptions) {
    this.rounding = rounding ?? 'left-out';
    this.saturation = saturation ?? 'everywhere';
    this.#builder = builder;
    this.#constants = new Map(model.graph.initializers);
  }

  quantised(name: string): Quantised | undefined {
    return this.#quantised.get(name);
  }

  constant(name: string): Tensor | undefined {
    return this.#constants.get(name) ?? this.#builder.initializers.get(name);
  }

  bounds(name: string): Bounds {
    const { nodes } = this.#builder;
    for (; this.#seen < nodes.length; this.#seen++) this.#noteBounds(nodes[this.#seen]!);
    return this.#bounds.get(name) ?? UNBOUNDED;
  }

  /** Writes a node of the network before. */
  add(before: Node): void {
    const node = { ...before, inputs: before.inputs.map((name) => this.#instead.get(name)?.name ?? name) };
    const constant = constantTensor(node);
    if (constant !== undefined) this.#constants.set(node.outputs[0]!, constant);
    const isFree =
      before.inputs.some((name) => this.#free.has(name)) && before.inputs.every((name) => this.#isFree(name));
    const results = this.#builder.within(nodeLabel(node), () => this.#inFloats(node, isFree));
    if (isFree) for (const name of before.outputs) this.#free.add(name);
    if (results === undefined) this.#keep(node);
    else node.outputs.forEach((name, i) => void (name === '' || this.#replace(name, results[i])));
  }

  #isFree(name: string): boolean {
    return name === '' || this.#free.has(name) || this.constant(name) !== undefined;
  }

  #inFloats(node: Node, isFree: boolean): readonly FloatResult[] | undefined {
    const operator = operatorFor(node);
    const { moves, pooling, arithmetic, rounds } = traitsOf(node);
    const expansion = new Dequantisation(this.#builder.callOf(node), this.#builder, this);
    if (operator?.float !== undefined) {
      const results = operator.float(expansion);
      if (results) this.#note(node, 'is written in floats');
      // Scales and zero points that come from the data, beside the integers.
      if (results && results.length > 1) for (const name of node.outputs.slice(1)) this.#free.add(name);
      return results;
    }
    if (arithmetic === 'multiply') return this.#scaled(node);
    if (arithmetic === 'add') return this.#added(node);
    // A bias in the steps of a scale that is 1 now would lose its fraction.
    if (isFree && rounds) return [expansion.input(0)];
    if (isFree && moves === 'type') return this.#unrounded(node, expansion);
    const known = this.#quantised.get(node.inputs[0] ?? '');
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
    if (known.scaled && known.scale === undefined) this.#sums.set(node.outputs[0]!, known.scaled);
    return [numbers];
  }

  /** Floats that become integers without being rounded. */
  #unrounded(node: Node, expansion: Dequantisation): readonly FloatResult[] | undefined {
    const [type] = expansion.call.outputs;
    const isInteger = isTensor(type) && type.dtype === 'int32';
    return isInteger && !this.#quantised.has(node.inputs[0]!) ? [{ real: expansion.input(0) }] : undefined;
  }

  /** Sums of integers, and what is added to them. */
  #added(node: Node): readonly FloatResult[] | undefined {
    const [a, b] = node.inputs.map((name) => this.#quantised.get(name));
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
    const values = node.inputs.map((name) => this.#builder.value(name));
    const [one, other] = values;
    if (one === undefined || other === undefined || values.length !== 2) return undefined;
    for (const [factor, x] of [
      [one, other],
      [other, one],
    ] as const) {
      if (this.#isOwnOne(factor) && x.hasShape(this.#builder.value(node.outputs[0]!).shape)) return [x];
      const scaled = this.#sums.get(x.name)?.(factor);
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
      this.#quantised.set(name, result);
      return;
    }
    this.#instead.set(name, result);
    const sum = this.#sums.get(name);
    if (sum) this.#sums.set(result.name, sum);
  }

  /** Leaves a node as it is. What it reads has to be there as it was. */
  #keep(node: Node): void {
    const inputs = new Set(node.inputs);
    for (const name of usedNames(node)) {
      if (this.#quantised.has(name)) this.#restore(name, node);
      const instead = inputs.has(name) ? undefined : this.#instead.get(name);
      if (instead === undefined) continue;
      this.#instead.delete(name);
      this.#builder.nodes.push(makeNode('Identity', [instead.name], [name], {}, { name }));
    }
    this.#builder.nodes.push(node);
  }

  /** Writes integers again, for a node that needs them. */
  #restore(name: string, reader: Node): void {
    const { real, scale, zeroPoint, axis } = this.#quantised.get(name)!;
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
    this.#quantised.delete(name);
    const attributes = axis === undefined ? {} : { axis: { type: 'int', value: axis } as const };
    const inputs = [real.name, scale.name, zeroPoint.name];
    this.#builder.nodes.push(makeNode('QuantizeLinear', inputs, [name], attributes, { name }));
    this.#note(reader, `reads '${name}' as integers still`);
  }

  /** An output under its own name: integers come as what they stand for. */
  output(info: ValueInfo): ValueInfo {
    const { name } = info;
    const value = this.#quantised.get(name)?.real ?? this.#instead.get(name);
    if (value === undefined) return { ...info, type: this.#builder.types.get(name)! };
    this.#builder.nodes.push(makeNode('Identity', [value.name], [name], {}, { name }));
    if (this.#quantised.has(name)) {
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
      for (const name of node.outputs) this.#bounds.set(name, bounds);
    };
    const of = (name: string): Bounds => this.#bounds.get(name) ?? UNBOUNDED;
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

// A network whose values are divided by powers of two behind every layer, so that they stay near 1 however much flows
// through it. Of every value the exponent is known: v = v'·2^e. What is linear, or a rectifier, passes the exponent on;
// sums bring their terms to the largest one; products add theirs; other functions get the value itself, as far as
// 2^±60. Two runs: the first finds the exponents, the second has them as constants and can be differentiated.
import { isFloat } from '../../graph/dtype.js';
import type { Model, Node } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import type { Builder, Value } from '../../ops/build.js';
import type { Expansion } from '../../ops/gradient.js';
import { inputsOf, traitsOf } from '../../ops/index.js';
import type { Activation, Arithmetic, Movement } from '../../ops/traits.js';
import { rewriteNodes } from '../../transform/rewrite.js';
import { type Links, linksOf } from './value-links.js';

/** Of two; a value of the graph while they are being found. */
type Exponent = number | Value;

/** Beyond, a rectifier is taken for its asymptotes, and other functions for saturated. */
const MOST = 60;
/** Beyond, differences of numbers are lost in float32: what lies between bounds is one of them, and flat. */
const MOST_EXACT = 24;
const BOUNDED: ReadonlySet<Activation | undefined> = new Set(['sigmoid', 'tanh', 'erf', 'softsign']);
/** Keeps the logarithm of a layer that gives zeros finite; their exponent is 0. */
const LEAST = 1e-37;

/** The same elements of the first input, or sums of them. */
const LINEAR: ReadonlySet<Movement | undefined> = new Set([
  ...(['same', 'shape', 'axes', 'layout', 'broadcast', 'repeat', 'part', 'rows', 'lookup', 'pad'] as const),
]);
const JOINS: ReadonlySet<Arithmetic | undefined> = new Set([
  ...(['add', 'subtract', 'minimum', 'maximum', 'select'] as const),
]);

interface Scaled {
  readonly model: Model;
  /** Of the values of the model. */
  exponentOf(name: string): Exponent;
  /** Exponents that are being found, in the order in which they are taken as known. */
  readonly found: readonly string[];
  /** The nodes that they belong to. */
  readonly layers: readonly Node[];
}

/** @param known exponents of a run before, by layer; undefined while they are being found */
export function inPowersOfTwo(model: Model, known?: ArrayLike<number>): Scaled {
  const writer = new ScaledWriter(linksOf(model), known);
  const scaled = rewriteNodes(model, (node) => writer.rewrite(node));
  const { exponents, found, layers } = writer;
  return { model: scaled, exponentOf: (name) => exponents.get(name) ?? 0, found, layers };
}

class ScaledWriter {
  readonly exponents = new Map<string, Exponent>();
  readonly found: string[] = [];
  readonly layers: Node[] = [];
  readonly #links: Links;
  readonly #known: ArrayLike<number> | undefined;

  constructor(links: Links, known: ArrayLike<number> | undefined) {
    this.#links = links;
    this.#known = known;
  }

  rewrite(e: Expansion): readonly Value[] | undefined {
    const { node } = e.call;
    const open = node.inputs.map((name, slot) => this.#isOpen(e, name, slot));
    const slots = open.flatMap((isOpen, slot) => (isOpen ? [slot] : []));
    if (slots.length === 0) return undefined;
    const { moves, arithmetic, activation, softmax, product, convolution, pooling, reduction, isLinear } =
      traitsOf(node);
    const of = (slot: number): Exponent => this.exponents.get(node.inputs[slot]!) ?? 0;
    const isSingle = slots.length === 1;
    const isSum = pooling !== undefined || (reduction !== undefined && reduction !== 'other');
    if (product !== undefined || convolution !== undefined) {
      const total = slots.map(of).reduce(plus);
      return this.#layer(e, total);
    }
    if (isSingle && slots[0] === 0 && (LINEAR.has(moves) || isLinear || isSum)) {
      return this.#as(node, this.#applied(e, []), of(0));
    }
    if (arithmetic === 'multiply') return this.#layer(e, slots.map(of).reduce(plus));
    if (arithmetic === 'divide') return this.#layer(e, minus(open[0] ? of(0) : 0, open[1] ? of(1) : 0));
    if (moves === 'join' || JOINS.has(arithmetic)) return this.#joined(e, slots, of);
    if (activation === 'rectifier' && isSingle) {
      const exponent = of(0);
      const m = within(exponent, MOST);
      const [y] = this.#applied(e, [[0, scaled(e.input(0), m)]]);
      return this.#as(node, [scaled(y!, minus(0, m))], exponent);
    }
    const isBounded = softmax !== undefined || BOUNDED.has(activation);
    const raised = slots.map((slot): [number, Value] => {
      const exponent = of(slot);
      const x = scaled(e.input(slot), within(exponent, MOST));
      const isSaturated = isBounded && typeof exponent === 'number' && exponent > MOST_EXACT;
      return [slot, isSaturated ? withoutGradient(x) : x];
    });
    return this.#as(node, this.#applied(e, raised), 0);
  }

  #isOpen(e: Expansion, name: string, slot: number): boolean {
    const type = e.call.inputs[slot];
    return name !== '' && !this.#links.isFixed(name) && isTensor(type) && isFloat(type.dtype ?? 'int64');
  }

  /** A sum, or one of several: all as multiples of the largest power. */
  #joined(e: Expansion, slots: readonly number[], of: (slot: number) => Exponent): readonly Value[] {
    const isCondition = (slot: number): boolean =>
      traitsOf(e.call.node).arithmetic === 'select' && slot === 0;
    const all = e.call.node.inputs.map((_, slot) => slot).filter((slot) => !isCondition(slot));
    const exponent = (slot: number): Exponent => (slots.includes(slot) ? of(slot) : 0);
    const most = all.map(exponent).reduce(larger);
    const terms = all.map((slot): [number, Value] => [
      slot,
      scaled(e.input(slot), minus(exponent(slot), most)),
    ]);
    return this.#as(e.call.node, this.#applied(e, terms), most);
  }

  /** What is added to a product is divided as the product is; then all is brought near 1. */
  #layer(e: Expansion, exponent: Exponent): readonly Value[] {
    const { node } = e.call;
    const roles = inputsOf(node);
    const biases = node.inputs.flatMap((name, slot): [number, Value][] =>
      name !== '' && roles.role(slot) === 'bias' ? [[slot, scaled(e.input(slot), minus(0, exponent))]] : [],
    );
    const [y] = this.#applied(e, biases) as [Value];
    const k = this.#known === undefined ? this.#measured(y) : (this.#known[this.layers.length] ?? 0);
    this.layers.push(node);
    return this.#as(node, [scaled(y, minus(0, k))], plus(exponent, k));
  }

  #measured(y: Value): Value {
    const most = y.cast('float32').abs().reduceMax();
    const exponent = y.builder.op('Floor', [most.max(LEAST).log().mul(Math.LOG2E)]);
    const k = exponent.mul(most.greater(0).cast('float32')).identity();
    this.found.push(k.name);
    return k;
  }

  /** The node with some other inputs. */
  #applied({ call, builder }: Expansion, changed: readonly (readonly [number, Value])[]): Value[] {
    const { node } = call;
    const inputs = [...node.inputs];
    for (const [slot, value] of changed) inputs[slot] = value.name;
    const outputs = node.outputs.map((name) => (name === '' ? '' : freshName(builder, node)));
    builder.add({ ...node, inputs, outputs });
    return outputs.map((name) => (name === '' ? (undefined as unknown as Value) : builder.value(name)));
  }

  #as(node: Node, outputs: readonly Value[], exponent: Exponent): readonly Value[] {
    for (const name of node.outputs) if (name !== '') this.exponents.set(name, exponent);
    return outputs;
  }
}

const freshName = (builder: Builder, { opType }: Node): string => builder.freshName(opType);

function plus(a: Exponent, b: Exponent): Exponent {
  if (typeof a === 'number') return typeof b === 'number' ? a + b : b.add(a);
  return a.add(b);
}

function minus(a: Exponent, b: Exponent): Exponent {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : b.rsub(a);
  return a.sub(b);
}

function larger(a: Exponent, b: Exponent): Exponent {
  if (typeof a === 'number') return typeof b === 'number' ? Math.max(a, b) : b.max(a);
  return a.max(b);
}

function within(a: Exponent, most: number): Exponent {
  return typeof a === 'number' ? Math.min(most, Math.max(-most, a)) : a.min(most).max(-most);
}

/** A number that large is whole already; rounding has no gradient. */
function withoutGradient(x: Value): Value {
  return x.builder.op('Floor', [x]);
}

/** x·2^e */
function scaled(x: Value, e: Exponent): Value {
  if (typeof e !== 'number') return x.mul(e.mul(Math.LN2).exp().cast(x.dtype));
  return e === 0 ? x : x.mul(2 ** e);
}

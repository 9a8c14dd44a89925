// What quantised operators compute in floats. A tensor q of small integers stands for the numbers (q − zero point) · scale;
// a rule takes the numbers that its inputs stand for and gives those that its outputs stand for. Rounding is left out, so
// results are near what the integers give, not the same.

import { computedTensor } from '../graph/computed-tensor.js';
import { isKnown } from '../graph/dim.js';
import { bitsOf, type DataType, isInteger, kindOf } from '../graph/dtype.js';
import { elementCount, type Tensor, tensorNumbers } from '../graph/tensor.js';
import { isTensor, type TensorType } from '../graph/types.js';
import type { Builder, Value } from './build.js';
import { Expansion } from './gradient.js';
import type { Call, Operator } from './operator.js';
import {
  type Blocks,
  dequantisedTensor,
  isFloatType,
  NO_BLOCKS,
  requantisedTensor,
} from './quantised-tensor.js';
import { traitsOf } from './registry.js';

/** The outputs of a quantised operator in floats; undefined for the whole where it stays as it is. */
export type FloatRule = (node: Dequantisation) => readonly FloatResult[] | undefined;

/** Floats in place of floats, what integers stand for, or undefined for an output that is not asked for. */
export type FloatResult = Value | Quantised | undefined;

/** What a tensor of integers stands for. */
export interface Quantised {
  /** (q − zero point) · scale, without rounding. */
  readonly real: Value;
  /** Undefined for 1. */
  readonly scale?: Value | undefined;
  /** Undefined for 0. */
  readonly zeroPoint?: Value | undefined;
  /** The axis that scales and zero points are along, where there are several. */
  readonly axis?: number | undefined;
  /** Writes `real` times a constant into the weights that it was made with; undefined where that cannot be done. */
  readonly scaled?: ((factor: Value) => Value | undefined) | undefined;
}

/** Where the numbers of a quantised input are, by the names of inputs. */
interface Parameters {
  readonly scale?: Value | undefined;
  readonly zeroPoint?: Value | undefined;
  /** The axis that a list of them is along. */
  readonly axis?: number | undefined;
  /** How many elements along the axis share one; all of them where it is 0. */
  readonly blockSize?: number | undefined;
}

/** A constant in floats that was written already. */
export interface DequantisedConstant {
  /** The scale and the zero point. */
  readonly by: readonly (Tensor | undefined)[];
  readonly dtype: DataType;
  readonly blocks: Blocks;
  readonly value: Value;
}

/** What a rule may know of the network around its node. */
export interface QuantisedNetwork {
  /** What a tensor of integers stands for, where that was found out. */
  quantised(name: string): Quantised | undefined;
  /** The tensor of a constant. */
  constant(name: string): Tensor | undefined;
  readonly rounding: Rounding;
  readonly saturation: Saturation;
  /** Numbers that a value is known to lie between. */
  bounds(name: string): Bounds;
  /** Constants in floats, by those that they were made of: branches share their weights. */
  readonly dequantised: Map<Tensor, DequantisedConstant[]>;
}

/**
 * `left-out`: the float network that was quantised. `straight-through`: the numbers of the quantised network, nearly to the
 * bit, with the gradients of the float network.
 */
export type Rounding = 'left-out' | 'straight-through';

/**
 * Where numbers are kept within what integers can say: `everywhere`, as in the quantised network, or at `rectifiers` only,
 * as in the float network that was quantised.
 */
export type Saturation = 'everywhere' | 'rectifiers';

/** Rounded to so much finer steps, a float32 stays what it is: a power of two that lets all its bits be whole. */
const FINER = 2 ** 60;

export type Bounds = readonly [lowest: number, highest: number];

export const UNBOUNDED: Bounds = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** One quantised node that is written in floats. */
export class Dequantisation extends Expansion {
  readonly network: QuantisedNetwork;

  constructor(call: Call, builder: Builder, network: QuantisedNetwork) {
    super(call, builder);
    this.network = network;
  }

  /** An input by name, where it is given. */
  named(name: string): Value | undefined {
    const slot = this.call.slot(name);
    return slot < 0 ? undefined : this.optionalInput(slot);
  }

  /** An input by name that must be given. */
  required(name: string): Value {
    return this.named(name) ?? this.call.fail(`input ${name} is missing`, 'OP_INPUT');
  }

  /** The constant that a value is. */
  constant(value: Value | undefined): Tensor | undefined {
    return value && this.network.constant(value.name);
  }

  /** The numbers that integers stand for: (q − zero point) · scale. */
  real(q: Value, parameters: Parameters): Value {
    const { scale, zeroPoint, axis } = parameters;
    const known = this.network.quantised(q.name);
    if (known !== undefined && this.#areSame(known, parameters)) return known.real;
    const blocks = this.#blocks(q, parameters);
    const tensors = [q, scale, zeroPoint].map((value) => this.constant(value));
    const isFixed = [q, scale, zeroPoint].every(
      (value, i) => value === undefined || tensors[i] !== undefined,
    );
    const dtype = floatTypeOf(scale);
    if (isFixed) return this.#fixed(q.name, tensors, dtype, blocks);
    const numbers = known ? this.#integers(known, dtype) : q.cast(dtype);
    const shifted = isZero(zeroPoint) ? numbers : numbers.sub(this.#along(zeroPoint!.cast(dtype), q, axis));
    return scale === undefined || isOne(scale) ? shifted : shifted.mul(this.#along(scale, q, axis));
  }

  /** The numbers that a constant stands for, as a constant that is written once. */
  #fixed(
    name: string,
    [data, ...by]: readonly (Tensor | undefined)[],
    dtype: ReturnType<typeof floatTypeOf>,
    blocks: Blocks,
  ): Value {
    const known = this.network.dequantised.get(data!) ?? [];
    const same = known.find(
      (each) =>
        each.dtype === dtype &&
        each.by.every((tensor, i) => tensor === by[i]) &&
        each.blocks.axis === blocks.axis &&
        each.blocks.size === blocks.size,
    );
    if (same !== undefined) return same.value;
    const [scale, zeroPoint] = by;
    const value = this.builder.initializer(
      dequantisedTensor(this.#plainName(name), dtype, data!, { scale, zeroPoint }, blocks),
    );
    this.network.dequantised.set(data!, [...known, { by, dtype, blocks, value }]);
    return value;
  }

  /** Floats as the integers that they are rounded to, which keep them within what the integers can say. */
  quantised(real: Value, { scale, zeroPoint, axis }: Parameters, dtype: DataType): Quantised {
    const tensors = [real, scale, zeroPoint].map((value) => this.constant(value));
    const isFixed = [real, scale, zeroPoint].every(
      (value, i) => value === undefined || tensors[i] !== undefined,
    );
    if (isFixed && isFloatType(real.dtype)) {
      const blocks = this.#blocks(real, { scale, zeroPoint, axis });
      const name = this.#plainName(real.name);
      const parameters = { scale: tensors[1], zeroPoint: tensors[2] };
      const fixed = requantisedTensor(name, real.dtype, tensors[0]!, parameters, dtype, blocks);
      return { real: this.builder.initializer(fixed), scale, zeroPoint, axis };
    }
    return { real: this.#saturated(real, { scale, zeroPoint }, dtype), scale, zeroPoint, axis };
  }

  /**
   * A value within the range that integers of a type can say, where that is known and one number for all. A lowest
   * number of 0 is how quantisers write a ReLU, and the highest may be that of a ReLU6.
   */
  #saturated(real: Value, { scale, zeroPoint }: Parameters, dtype: DataType): Value {
    const range = integerRange(dtype);
    const [s, z] = [numberOf(scale, 1), numberOf(zeroPoint, 0)];
    if (range === undefined || s === undefined || z === undefined || !(s > 0)) return real;
    const [lowest, highest] = range.map((q) => (q - z) * s) as [number, number];
    const [least, most] = this.network.bounds(real.name);
    // Half a step beyond the range is rounded into it.
    const isLow = least < lowest - s / 2;
    const isHigh = most > highest + s / 2;
    const isRectified = lowest === 0;
    const isExact = this.network.rounding === 'straight-through';
    const bound = (x: number, isNeeded: boolean): Value | undefined =>
      isNeeded ? this.builder.constant(Math.fround(x), real.dtype) : undefined;
    const isWanted = (isRectified && isLow) || this.network.saturation === 'everywhere';
    const isNeeded = isWanted && (isLow || isHigh);
    const inputs = isHigh ? [real, bound(lowest, isLow), bound(highest, true)] : [real, bound(lowest, true)];
    const kept = isNeeded ? this.builder.op('Clip', inputs) : real;
    return isExact ? this.rounded(kept, Math.fround(s)) : kept;
  }

  /**
   * Whole steps, with the gradient of the value itself: v − hidden is 0 to the bit, but gradients lead through v only. It
   * must be: a network of rounded numbers amplifies the smallest difference to that of a whole step.
   *
   * @param within keeps numbers of steps within those that integers can say
   */
  rounded(real: Value, step: number | Value, within = (whole: Value): Value => whole): Value {
    const { builder } = this;
    const steps = real.cast('float32').div(step);
    const hidden = builder.op('Round', [steps.mul(FINER)]).div(FINER);
    const whole = builder.op('Round', [steps]).add(steps.sub(hidden));
    return within(whole).mul(step).cast(real.dtype);
  }

  /** The product of two scales; a constant where both are. */
  product(a: Value, b: Value): Value {
    const [x, y] = [this.constant(a), this.constant(b)];
    if (x === undefined || y === undefined || !isFloatType(x.dtype)) return a.mul(b);
    const dims = x.dims.length > y.dims.length || elementCount(x) > elementCount(y) ? x.dims : y.dims;
    const tensor = computedTensor(this.builder.freshName('scale'), x.dtype, dims, (from, to) => {
      const [left, right] = [tensorNumbers(x), tensorNumbers(y)];
      return Float64Array.from({ length: to - from }, (_, i) => {
        return left[(from + i) % left.length]! * right[(from + i) % right.length]!;
      });
    });
    return this.builder.initializer(tensor);
  }

  /**
   * A constant that is repeated over all axes but one, as a list along it; undefined where it is something else.
   *
   * @param axis where the list would be in the constant; before its first axis where it has too few.
   */
  listOf(factor: Value, length: number, axis: number): Value | undefined {
    const tensor = this.constant(factor);
    if (tensor === undefined) return undefined;
    const count = elementCount(tensor);
    if (count === 1)
      return this.builder.initializer({ ...tensor, name: this.builder.freshName('scale'), dims: [] });
    if (count !== length || tensor.dims[axis] !== length) return undefined;
    return this.builder.initializer({ ...tensor, name: this.builder.freshName('scale'), dims: [length] });
  }

  /** The integers themselves as floats. */
  integers(q: Value, dtype: DataType = 'float32'): Value {
    const known = this.network.quantised(q.name);
    return known ? this.#integers(known, dtype) : q.cast(dtype);
  }

  #integers({ real, scale, zeroPoint, axis }: Quantised, dtype: DataType): Value {
    const steps = scale === undefined || isOne(scale) ? real : real.div(this.#along(scale, real, axis));
    return isZero(zeroPoint) ? steps : steps.add(this.#along(zeroPoint!.cast(dtype), real, axis));
  }

  /** A list of numbers along an axis, under a shape that is repeated over the others. */
  #along(list: Value, like: Value, axis: number | undefined): Value {
    if (axis === undefined || list.rank !== 1 || list.size(0) === 1) return list;
    const at = this.call.axis(axis, like.rank);
    return at === like.rank - 1 ? list : list.unsqueeze(range(1, like.rank - at));
  }

  #blocks(q: Value, { scale, axis, blockSize = 0 }: Parameters): Blocks {
    const rank = q.tensor.rank;
    const isList = scale !== undefined && scale.tensor.size !== 1;
    if (!isList || axis === undefined || rank === undefined) return NO_BLOCKS;
    return { axis: rank === 1 ? 0 : this.call.axis(axis, rank), size: blockSize };
  }

  /** `conv.weight_quantized` was made of `conv.weight`. */
  #plainName(name: string): string {
    const plain = name.replace(/_(quantized|quant|q)$/i, '');
    return this.builder.within('', () => {
      const { prefix } = this.builder;
      this.builder.prefix = '';
      const free = this.builder.freshName(plain === name ? `${name}/float` : plain);
      this.builder.prefix = prefix;
      return free;
    });
  }

  /** Whether two tensors of integers have one scale and one zero point. */
  areAlike(a: Quantised, b: Quantised): boolean {
    return this.#areSame(a, b);
  }

  /** Whether integers are read with the numbers that they were written with. */
  #areSame(known: Quantised, { scale, zeroPoint, axis, blockSize = 0 }: Parameters): boolean {
    if (blockSize !== 0) return false;
    const isList = scale !== undefined && scale.tensor.size !== 1;
    return (
      this.#areEqual(known.scale, scale, 1) &&
      this.#areEqual(known.zeroPoint, zeroPoint, 0) &&
      (!isList || known.axis === axis)
    );
  }

  #areEqual(a: Value | undefined, b: Value | undefined, absent: number): boolean {
    if (a?.name === b?.name) return true;
    const numbers = [a, b].map((value) => (value === undefined ? [absent] : value.tensor.elements));
    const [x, y] = numbers;
    if (x === undefined || y === undefined) return false;
    const isOneNumber = [x, y].some((list) => list.every((e) => e === list[0]));
    if (isOneNumber) return [...x, ...y].every((e) => e === x[0]);
    return x.length === y.length && x.every((e, i) => e === y[i]);
  }
}

/** Whether an operator computes with integers that stand for other numbers; those that also take floats have gradients. */
export function isQuantised(operator: Operator | undefined): boolean {
  return operator?.float !== undefined && operator.gradient === undefined && operator.decompose === undefined;
}

/** An operator that does the same to integers and to what they stand for: it moves, chooses or averages them. */
export const carriedFloat: FloatRule = (node) => {
  const { call, builder, network } = node;
  const isJoin = traitsOf(call.node).moves === 'join';
  const known = call.node.inputs.map((name, i) => (isJoin || i === 0 ? network.quantised(name) : undefined));
  const [first] = known;
  if (first === undefined || numberOf(first.scale, 1) === undefined) return undefined;
  if (isJoin && !known.every((each) => each && node.areAlike(first, each))) return undefined;
  const inputs = call.node.inputs.map((name, i) => known[i]?.real.name ?? name);
  const outputs = call.node.outputs.map((name) => (name === '' ? '' : builder.freshName(call.node.opType)));
  builder.add({ ...call.node, name: outputs[0]!, inputs, outputs });
  // Further outputs are places, not numbers.
  return outputs.map((name, i) => {
    const { scale, zeroPoint } = first;
    const type = call.outputs[i];
    if (name === '') return undefined;
    const isNumbers = isTensor(type) && type.dtype === node.input(0).tensor.dtype;
    return isNumbers ? { real: builder.value(name), scale, zeroPoint } : builder.value(name);
  });
};

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** The one number that all elements of a value are, where that is known. */
export function numberOf(value: Value | undefined, absent: number): number | undefined {
  if (value === undefined) return absent;
  const elements = isTensor(value.type) ? value.type.elements : undefined;
  const [first] = elements ?? [];
  return isKnown(first) && elements!.every((e) => e === first) ? first : undefined;
}

function isZero(value: Value | undefined): boolean {
  return numberOf(value, 0) === 0;
}

function isOne(value: Value): boolean {
  return numberOf(value, 1) === 1;
}

/** The floats that a scale makes of integers. */
function floatTypeOf(scale: Value | undefined): 'float16' | 'bfloat16' | 'float32' {
  const dtype = isTensor(scale?.type) ? (scale.type as TensorType).dtype : undefined;
  return dtype === 'float16' || dtype === 'bfloat16' ? dtype : 'float32';
}

/** The lowest and the highest integer of a type. */
function integerRange(dtype: DataType): Bounds | undefined {
  if (!isInteger(dtype)) return undefined;
  const bits = bitsOf(dtype);
  return kindOf(dtype) === 'uint' ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
}

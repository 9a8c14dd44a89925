// A value of a graph that is being written: what is known of it, and the operators that can be applied to it.
import { type Dim, isKnown, sameDim } from '../graph/dim.js';
import { codeOfDataType, type DataType } from '../graph/dtype.js';
import { isTensor, type Shape, type TensorType, type ValueType } from '../graph/types.js';
import { AuspexError } from '../util/errors.js';
import type { AttributeValues, Builder } from './build.js';

/** A value or a number, which takes the element type of what it is combined with. */
export type Operand = Value | number;
/** A shape: numbers, or an integer tensor where sizes are only known when the graph runs. */
export type ShapeLike = readonly number[] | Value;

/** A value of a graph that is being written; its methods write nodes. */
export class Value {
  readonly builder: Builder;
  readonly name: string;
  readonly type: ValueType;

  constructor(builder: Builder, name: string, type: ValueType) {
    this.builder = builder;
    this.name = name;
    this.type = type;
  }

  get tensor(): TensorType {
    if (isTensor(this.type)) return this.type;
    throw new AuspexError('TYPE_MISMATCH', `'${this.name}' is not a tensor`);
  }

  get dtype(): DataType {
    const { dtype } = this.tensor;
    if (dtype !== undefined) return dtype;
    throw new AuspexError('TYPE_UNKNOWN', `the element type of '${this.name}' is not known`);
  }

  /** The shape; some sizes may be symbolic. */
  get shape(): Shape {
    const { shape } = this.tensor;
    if (shape !== undefined) return shape;
    throw new AuspexError('SHAPE_UNKNOWN', `the shape of '${this.name}' is not known`, {
      hint: 'fix the shapes of the inputs',
    });
  }

  get rank(): number {
    return this.shape.length;
  }

  /** The shape, all sizes being numbers. */
  get sizes(): readonly number[] {
    const { shape } = this;
    if (shape.every(isKnown)) return shape as readonly number[];
    throw new AuspexError('SHAPE_UNKNOWN', `'${this.name}' has shape [${shape}], which must be known here`, {
      hint: 'fix the sizes of the inputs',
    });
  }

  /** The sizes for `reshape`, which finds out a single one that is not known: −1. */
  get freeSizes(): readonly number[] {
    const { shape } = this;
    const isOneFree = shape.filter((d) => !isKnown(d)).length === 1;
    return isOneFree ? shape.map((d) => (isKnown(d) ? d : -1)) : this.sizes;
  }

  size(axis: number): Dim {
    return this.shape[axis < 0 ? axis + this.rank : axis]!;
  }

  /** The size along one axis, which must be a number. */
  length(axis: number): number {
    const size = this.size(axis);
    return isKnown(size) ? size : this.sizes[axis]!;
  }

  /** An operand: a number becomes a constant of this value's type. */
  operand(other: Operand): Value {
    return typeof other === 'number' ? this.builder.constant(other, this.dtype) : other;
  }

  #unary(opType: string, attributes?: AttributeValues): Value {
    return this.builder.op(opType, [this], attributes);
  }

  #binary(opType: string, other: Operand): Value {
    return this.builder.op(opType, [this, this.operand(other)]);
  }

  // Arithmetic, with broadcasting ----------------------------------------------------------------------------

  add(other: Operand): Value {
    return other === 0 ? this : this.#binary('Add', other);
  }
  sub(other: Operand): Value {
    return other === 0 ? this : this.#binary('Sub', other);
  }
  mul(other: Operand): Value {
    return other === 1 ? this : this.#binary('Mul', other);
  }
  div(other: Operand): Value {
    return other === 1 ? this : this.#binary('Div', other);
  }
  pow(other: Operand): Value {
    return this.#binary('Pow', other);
  }
  mod(other: Operand): Value {
    return this.#binary('Mod', other);
  }
  min(other: Operand): Value {
    return this.#binary('Min', other);
  }
  max(other: Operand): Value {
    return this.#binary('Max', other);
  }
  matmul(other: Value): Value {
    return this.builder.op('MatMul', [this, other]);
  }
  /** `number − this` */
  rsub(number: number): Value {
    return this.operand(number).sub(this);
  }
  square(): Value {
    return this.mul(this);
  }

  // Comparison and logic -------------------------------------------------------------------------------------

  less(other: Operand): Value {
    return this.#binary('Less', other);
  }
  lessOrEqual(other: Operand): Value {
    return this.#binary('LessOrEqual', other);
  }
  greater(other: Operand): Value {
    return this.#binary('Greater', other);
  }
  greaterOrEqual(other: Operand): Value {
    return this.#binary('GreaterOrEqual', other);
  }
  equal(other: Operand): Value {
    return this.#binary('Equal', other);
  }
  and(other: Value): Value {
    return this.#binary('And', other);
  }
  or(other: Value): Value {
    return this.#binary('Or', other);
  }
  not(): Value {
    return this.#unary('Not');
  }

  // Functions of one value -----------------------------------------------------------------------------------

  neg(): Value {
    return this.#unary('Neg');
  }
  abs(): Value {
    return this.#unary('Abs');
  }
  sign(): Value {
    return this.#unary('Sign');
  }
  exp(): Value {
    return this.#unary('Exp');
  }
  log(): Value {
    return this.#unary('Log');
  }
  sqrt(): Value {
    return this.#unary('Sqrt');
  }
  reciprocal(): Value {
    return this.#unary('Reciprocal');
  }
  sin(): Value {
    return this.#unary('Sin');
  }
  cos(): Value {
    return this.#unary('Cos');
  }
  tanh(): Value {
    return this.#unary('Tanh');
  }
  erf(): Value {
    return this.#unary('Erf');
  }
  sigmoid(): Value {
    return this.#unary('Sigmoid');
  }
  softplus(): Value {
    return this.#unary('Softplus');
  }
  relu(): Value {
    return this.#unary('Relu');
  }
  softmax(axis = -1): Value {
    return this.#unary('Softmax', { axis });
  }
  logSoftmax(axis = -1): Value {
    return this.#unary('LogSoftmax', { axis });
  }
  identity(): Value {
    return this.#unary('Identity');
  }
  cast(dtype: DataType): Value {
    return dtype === this.dtype ? this : this.#unary('Cast', { to: codeOfDataType(dtype) });
  }

  // Reductions; over all axes where none are given -----------------------------------------------------------

  sum(axes?: readonly number[], keepdims = false): Value {
    if (axes?.length === 0) return this;
    const inputs = axes ? [this, this.builder.ints(axes)] : [this];
    return this.builder.op('ReduceSum', inputs, { keepdims: Number(keepdims) });
  }
  mean(axes?: readonly number[], keepdims = false): Value {
    return this.#reduce('ReduceMean', axes, keepdims);
  }
  reduceMax(axes?: readonly number[], keepdims = false): Value {
    return this.#reduce('ReduceMax', axes, keepdims);
  }
  reduceMin(axes?: readonly number[], keepdims = false): Value {
    return this.#reduce('ReduceMin', axes, keepdims);
  }
  prod(axes?: readonly number[], keepdims = false): Value {
    return this.#reduce('ReduceProd', axes, keepdims);
  }

  /** Since opset 18 these take their axes as an input. */
  #reduce(opType: string, axes: readonly number[] | undefined, keepdims: boolean): Value {
    if (axes?.length === 0) return this;
    const { builder } = this;
    const flags = { keepdims: Number(keepdims) };
    return builder.opset < 18
      ? builder.op(opType, [this], { ...flags, axes })
      : builder.op(opType, axes ? [this, builder.ints(axes)] : [this], flags);
  }

  // Shapes ---------------------------------------------------------------------------------------------------

  /** The shape as a tensor: a constant where it is known. */
  shapeValue(): Value {
    const { shape } = this;
    return shape.every(isKnown) ? this.builder.ints(shape as readonly number[]) : this.#unary('Shape');
  }

  #shapeInput(shape: ShapeLike): Value {
    return shape instanceof Value ? shape : this.builder.ints(shape);
  }

  /** −1 once: whatever is left. */
  reshape(shape: ShapeLike): Value {
    if (!(shape instanceof Value) && this.hasShape(shape)) return this;
    // Otherwise a size of 0 would mean the one that is there.
    const allowzero =
      !(shape instanceof Value) && shape.includes(0) && this.builder.opset >= 14 ? 1 : undefined;
    return this.builder.op('Reshape', [this, this.#shapeInput(shape)], { allowzero });
  }

  /** The last dimension as several: (…, a·b) → (…, a, b). Those before it may be unknown. */
  splitLast(sizes: readonly number[]): Value {
    const before = this.shape.slice(0, -1);
    if (before.every(isKnown)) return this.reshape([...(before as readonly number[]), ...sizes]);
    // 0 stands for the size that is there.
    return this.builder.op('Reshape', [this, this.builder.ints([...before.map(() => 0), ...sizes])]);
  }

  expand(shape: ShapeLike): Value {
    if (!(shape instanceof Value) && this.hasShape(shape)) return this;
    return this.builder.op('Expand', [this, this.#shapeInput(shape)]);
  }

  hasShape(shape: Shape): boolean {
    const own = this.tensor.shape;
    return own?.length === shape.length && own.every((d, i) => sameDim(d, shape[i]!));
  }

  /** Reversed, or permuted. */
  transpose(perm?: readonly number[]): Value {
    if (perm?.every((p, i) => p === i)) return this;
    return this.#unary('Transpose', { perm });
  }

  /** The last two dimensions swapped. */
  transposeLast(): Value {
    const { rank } = this;
    return this.transpose([...Array(rank - 2).keys(), rank - 1, rank - 2]);
  }

  squeeze(axes: readonly number[]): Value {
    return axes.length === 0 ? this : this.builder.op('Squeeze', [this, this.builder.ints(axes)]);
  }

  unsqueeze(axes: readonly number[]): Value {
    return axes.length === 0 ? this : this.builder.op('Unsqueeze', [this, this.builder.ints(axes)]);
  }

  /** Elements `start` … `end` − 1 along axes. */
  slice(
    starts: readonly number[],
    ends: readonly number[],
    axes: readonly number[],
    steps?: readonly number[],
  ): Value {
    const inputs = [starts, ends, axes, ...(steps ? [steps] : [])].map((list) => this.builder.ints(list));
    return this.builder.op('Slice', [this, ...inputs]);
  }

  gather(indices: Value, axis = 0): Value {
    return this.builder.op('Gather', [this, indices], { axis });
  }

  /** Zeros around: as many before each dimension, then as many behind each. */
  pad(pads: readonly number[]): Value {
    if (pads.every((p) => p === 0)) return this;
    return this.builder.op('Pad', [this, this.builder.ints(pads)]);
  }

  /** Parts of given sizes along an axis. */
  split(sizes: readonly number[], axis: number): Value[] {
    const { builder } = this;
    return builder.apply('Split', [this, builder.ints(sizes)], { axis }, { outputs: sizes.length });
  }

  zerosLike(): Value {
    return this.builder.full(this.#knownShape(), 0, this.dtype);
  }
  onesLike(): Value {
    return this.builder.full(this.#knownShape(), 1, this.dtype);
  }

  #knownShape(): ShapeLike {
    const { shape } = this;
    return shape.every(isKnown) ? (shape as readonly number[]) : this.#unary('Shape');
  }

  /** Repeated to the shape of another. */
  expandTo(like: Value): Value {
    return this.hasShape(like.shape) ? this : this.expand(like.#knownShape());
  }

  /** Under the shape of another of the same number of elements. */
  reshapeTo(like: Value): Value {
    return this.hasShape(like.shape) ? this : this.reshape(like.#knownShape());
  }

  /** Summed over what broadcasting repeated, so that it has the shape of what was repeated: Expand, backwards. */
  sumTo(like: Value): Value {
    const from = this.shape;
    const to = like.shape;
    const added = from.length - to.length;
    const axes: number[] = [];
    for (let i = 0; i < from.length; i++) {
      const d = to[i - added];
      if (d === undefined) axes.push(i);
      else if (d === 1 && from[i] !== 1) axes.push(i);
      else if (!isKnown(d) && !sameDim(d, from[i]!)) {
        throw new AuspexError(
          'SHAPE_UNKNOWN',
          `whether [${to}] is broadcast to [${from}] depends on sizes that are not fixed`,
          { hint: 'fix the sizes of the inputs' },
        );
      }
    }
    if (axes.length === 0) return this;
    const summed = this.sum(axes, added === 0);
    return added === 0 ? summed : summed.reshapeTo(like);
  }
}

/** Whether a value can have a gradient. */
export function isDifferentiable(type: ValueType | undefined): boolean {
  return isTensor(type) && type.dtype !== undefined && /^b?float(16|32|64)$/.test(type.dtype);
}

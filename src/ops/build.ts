// Writing graphs. Every step is an ordinary node whose type is inferred at once, so whatever builds one (a
// gradient rule, a layer, a loss) can look at the shapes as it goes. Opset 13 or later: older forms of the
// operators are read, but not written.
import { type Dim, isKnown, sameDim, symbol } from '../graph/dim.js';
import { codeOfDataType, type DataType } from '../graph/dtype.js';
import { type Attribute, isDefaultDomain, type Node, operatorName, type ValueInfo } from '../graph/graph.js';
import { fromNumbers, type Tensor } from '../graph/tensor.js';
import { isTensor, type Shape, TensorType, UNKNOWN, type ValueType } from '../graph/types.js';
import { AuspexError } from '../util/errors.js';
import { constantType } from './constant.js';
import { Call, type CallScope, type Operator } from './operator.js';
import { operatorFor } from './registry.js';
import { schemaFor } from './schemas.js';

/** What building needs of the operator sets. */
export const LEAST_OPSET = 13;

/** An attribute as code writes it: the operator's schema says whether a number is an int or a float. */
export type AttributeValue = number | string | readonly number[] | Attribute;
export type AttributeValues = Readonly<Record<string, AttributeValue | undefined>>;

export interface NodeOptions {
  readonly domain?: string;
  /** How many outputs are wanted; 1 unless told. */
  readonly outputs?: number;
}

/** A node that was written, and its operator. */
export interface Application {
  readonly node: Node;
  readonly call: Call;
  readonly operator: Operator;
  readonly isFunction: false;
}

const NO_BODIES: CallScope = {
  inferBody: () => {
    throw new Error('a builder writes no control flow');
  },
  sameWork: () => false,
};

/** What a builder starts from: the values of a graph that is there already. */
export interface BuilderStart {
  readonly opsets: ReadonlyMap<string, number>;
  readonly types?: ReadonlyMap<string, ValueType>;
}

/**
 * Collects nodes.
 *
 * @example
 * const b = new Builder({ opsets: new Map([['', 21]]) });
 * const x = b.input('x', 'float32', ['batch', 8].map(parseDim));
 * const y = x.matmul(b.constant(weights, 'float32', [8, 4])).relu();
 */
export class Builder {
  readonly opsets: ReadonlyMap<string, number>;
  readonly inputs: ValueInfo[] = [];
  readonly nodes: Node[] = [];
  /** What was written here, with the types that were found. */
  readonly applied: Application[] = [];
  readonly initializers = new Map<string, Tensor>();
  readonly types: Map<string, ValueType>;
  readonly #constants = new Map<string, Value>();
  readonly #counts = new Map<string, number>();
  /** In front of the names of all that is written next. */
  prefix = '';

  constructor({ opsets, types }: BuilderStart) {
    this.opsets = opsets;
    this.types = new Map(types);
    if (this.opset < LEAST_OPSET) {
      throw new AuspexError('OPSET_TOO_OLD', `the model uses opset ${this.opset}; ${LEAST_OPSET} is needed`, {
        hint: 'convert it first, for example with onnx.version_converter, or export it again',
      });
    }
  }

  /** The version of ai.onnx. */
  get opset(): number {
    return this.opsets.get('') ?? 1;
  }

  /** A value that exists, by name. */
  value(name: string): Value {
    return new Value(this, name, this.#typeOf(name));
  }

  #typeOf(name: string): ValueType {
    const type = this.types.get(name);
    if (type === undefined) throw new Error(`there is no value '${name}'`);
    return type;
  }

  /** A shape whose sizes have these names. */
  sizesNamed(names: readonly string[]): Shape {
    return names.map((name) => symbol(name));
  }

  /** An input of the graph. */
  input(name: string, dtype: DataType, shape: Shape): Value {
    const type = new TensorType(dtype, shape);
    this.inputs.push({ name, type });
    this.types.set(name, type);
    return new Value(this, name, type);
  }

  /** Runs `write` with more in front of the names of what it writes. */
  within<T>(prefix: string, write: () => T): T {
    const before = this.prefix;
    this.prefix = prefix === '' ? before : `${before}${prefix}/`;
    try {
      return write();
    } finally {
      this.prefix = before;
    }
  }

  /** A name nobody has. */
  freshName(hint: string): string {
    const base = `${this.prefix}${hint}`;
    for (;;) {
      const count = this.#counts.get(base) ?? 0;
      this.#counts.set(base, count + 1);
      const name = count === 0 ? base : `${base}_${count}`;
      if (!this.types.has(name)) return name;
    }
  }

  /** A constant tensor. Numbers, and short lists of them, are written once however often they are asked for. */
  constant(values: number | ArrayLike<number>, dtype: DataType, dims?: readonly number[]): Value {
    const list = typeof values === 'number' ? [values] : values;
    const shape = dims ?? (typeof values === 'number' ? [] : [list.length]);
    const key = list.length <= 16 ? `${dtype}[${shape}]${Array.from(list)}` : undefined;
    const known = key === undefined ? undefined : this.#constants.get(key);
    if (known) return known;
    const before = this.prefix;
    if (key !== undefined) this.prefix = '';
    const name = this.freshName('constant');
    this.prefix = before;
    const value = this.initializer(fromNumbers(name, dtype, shape, list));
    if (key !== undefined) this.#constants.set(key, value);
    return value;
  }

  /** A tensor that is part of the graph, under its own name. */
  initializer(tensor: Tensor): Value {
    const type = constantType(tensor);
    this.initializers.set(tensor.name, tensor);
    this.types.set(tensor.name, type);
    return new Value(this, tensor.name, type);
  }

  /** Integers: a shape, axes, indices. */
  ints(values: readonly number[]): Value {
    return this.constant(values, 'int64');
  }

  /** Applies an operator that has one output. */
  op(opType: string, inputs: readonly (Value | undefined)[], attributes: AttributeValues = {}): Value {
    return this.apply(opType, inputs, attributes)[0]!;
  }

  /** Applies an operator. */
  apply(
    opType: string,
    inputs: readonly (Value | undefined)[],
    attributes: AttributeValues = {},
    { domain = '', outputs = 1 }: NodeOptions = {},
  ): Value[] {
    const name = this.freshName(opType);
    const names = [name];
    while (names.length < outputs) names.push(this.freshName(opType));
    const node = {
      name,
      opType,
      domain,
      inputs: inputs.map((v) => v?.name ?? ''),
      outputs: names,
      attributes: this.#attributes(domain, opType, attributes),
    };
    return this.add(node).map((type, i) => new Value(this, names[i]!, type));
  }

  /** Adds a node as it is, and infers what comes out. */
  add(node: Node): readonly ValueType[] {
    const operator = operatorFor(node);
    if (operator === undefined) throw new Error(`${operatorName(node)} is not defined`);
    const inputs = node.inputs.map((name) => (name === '' ? undefined : this.#typeOf(name)));
    const call = new Call(node, this.opsetOf(node.domain), inputs, NO_BODIES);
    const types = operator.infer(call);
    this.nodes.push(node);
    call.outputs = node.outputs.map((name, i) => {
      const type = types[i] ?? UNKNOWN;
      if (name !== '') this.types.set(name, type);
      return type;
    });
    this.applied.push({ node, call, operator, isFunction: false });
    return call.outputs;
  }

  /** The version of a domain's operators; contrib operators may be written whether or not they were imported. */
  opsetOf(domain: string): number {
    return this.opsets.get(isDefaultDomain(domain) ? '' : domain) ?? 1;
  }

  #attributes(domain: string, opType: string, values: AttributeValues): ReadonlyMap<string, Attribute> {
    const attributes = new Map<string, Attribute>();
    let schema: ReturnType<typeof schemaFor>;
    for (const name in values) {
      const value = values[name];
      if (value === undefined) continue;
      if (typeof value === 'object' && 'type' in value) attributes.set(name, value);
      else {
        schema ??= schemaFor(domain, opType, this.opsetOf(domain));
        const type = schema?.attributes[name]?.type;
        if (type === undefined)
          throw new Error(`${opType} of opset ${this.opset} has no attribute '${name}'`);
        attributes.set(name, { type, value } as Attribute);
      }
    }
    return attributes;
  }

  // Operators of several values ------------------------------------------------------------------------------

  concat(values: readonly Value[], axis: number): Value {
    return values.length === 1 ? values[0]! : this.op('Concat', values, { axis });
  }

  where(condition: Value, yes: Operand, no: Operand): Value {
    const like = yes instanceof Value ? yes : no;
    if (!(like instanceof Value)) throw new Error('where() needs a value to choose from');
    return this.op('Where', [condition, like.operand(yes), like.operand(no)]);
  }

  sum(values: readonly Value[]): Value {
    return values.reduce((a, b) => a.add(b));
  }

  /** A tensor of one number. */
  full(shape: ShapeLike, value: number, dtype: DataType): Value {
    return this.constant(value, dtype).expand(shape);
  }
}

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
    throw new AuspexError('TYPE_MISMATCH', `'${this.name}' is no tensor`);
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
          `whether [${to}] is repeated to [${from}] depends on sizes that are not fixed`,
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

// Writing graphs. Every step is an ordinary node whose type is inferred at once, so whatever builds one (a
// gradient rule, a layer, a loss) can look at the shapes as it goes. Opset 13 or later: older forms of the
// operators are read, but not written.
import { symbol } from '../graph/dim.js';
import type { DataType } from '../graph/dtype.js';
import { type Attribute, isDefaultDomain, type Node, operatorName, type ValueInfo } from '../graph/graph.js';
import { fromNumbers, type Tensor } from '../graph/tensor.js';
import { type Shape, TensorType, UNKNOWN, type ValueType } from '../graph/types.js';
import { AuspexError } from '../util/errors.js';
import { constantType } from './families/arrays/constant.js';
import { Call, type CallScope, type Operator } from './operator.js';
import { operatorFor } from './registry.js';
import { schemaFor } from './schemas.js';
import { type Operand, type ShapeLike, Value } from './value.js';

export { type Operand, type ShapeLike, Value } from './value.js';

/** What building needs of the operator sets. */
export const LEAST_OPSET = 13;

/** An attribute as code writes it: the operator's schema says whether a number is an int or a float. */
export type AttributeValue = number | string | readonly number[] | Attribute;
export type AttributeValues = Readonly<Record<string, AttributeValue | undefined>>;

interface NodeOptions {
  readonly domain?: string;
  /** How many outputs are wanted; 1 unless told. */
  readonly outputs?: number;
}

/** A node that was written, and its operator. */
interface Application {
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
interface BuilderStart {
  readonly opsets: ReadonlyMap<string, number>;
  readonly types?: ReadonlyMap<string, ValueType>;
  /** Whether what is written will run once, so that few nodes are worth more than fast ones. Default false. */
  readonly runsOnce?: boolean;
  /** Whether gradients of what is written will be taken, so that it may have operators of our own. Default false. */
  readonly isDifferentiatedAgain?: boolean;
  /** Channels in a block of the runtime's blocked kernels, where what is written may have them. */
  readonly channelBlock?: number | undefined;
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
  readonly runsOnce: boolean;
  readonly isDifferentiatedAgain: boolean;
  readonly channelBlock: number | undefined;
  readonly #constants = new Map<string, Value>();
  readonly #counts = new Map<string, number>();
  /** In front of the names of all that is written next. */
  prefix = '';

  constructor(start: BuilderStart) {
    const { opsets, types, runsOnce = false, isDifferentiatedAgain = false, channelBlock } = start;
    this.opsets = opsets;
    this.types = new Map(types);
    this.runsOnce = runsOnce;
    this.isDifferentiatedAgain = isDifferentiatedAgain;
    this.channelBlock = channelBlock;
    if (this.opset < LEAST_OPSET) {
      throw new AuspexError(
        'OPSET_TOO_OLD',
        `the model uses opset ${this.opset}; at least ${LEAST_OPSET} is needed`,
        {
          hint: 'convert it first, for example with onnx.version_converter, or export it again',
        },
      );
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
    let count = this.#counts.get(base) ?? 0;
    // Of a graph that is there already, many may be taken: those that were tried double.
    for (let step = 1; ; step *= 2, count += step) {
      const name = count === 0 ? base : `${base}_${count}`;
      if (this.types.has(name)) continue;
      this.#counts.set(base, count + 1);
      return name;
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

  /** A node of the graph with the types of what goes in and out. */
  callOf(node: Node): Call {
    const type = (name: string) => (name === '' ? undefined : this.types.get(name));
    const call = new Call(node, this.opsetOf(node.domain), node.inputs.map(type), NO_BODIES);
    call.outputs = node.outputs.map((name) => type(name)!);
    return call;
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

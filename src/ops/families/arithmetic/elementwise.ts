// Operators that treat every element on its own. The tables are the knowledge: name, FLOPs per element, the
// type that comes out and, for what exporters compute shapes with, how known elements combine.

import {
  add,
  ceilOf,
  compare,
  type Dim,
  divideExactly,
  floorDivide,
  floorOf,
  maximum,
  minimum,
  multiply,
  sameDim,
  subtract,
} from '../../../graph/dim.js';
import type { DataType } from '../../../graph/dtype.js';
import { bitsOf, isFloat, isInteger, kindOf } from '../../../graph/dtype.js';
import { TensorType, type ValueType } from '../../../graph/types.js';
import { expectBroadcastTo } from '../../arguments.js';
import { perOutput } from '../../cost.js';
import { type Call, commonDtype, type InputRoles, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import type { Traits } from '../../traits.js';
import { withVersions } from '../../versions.js';
import { activationGradients } from '../layers/activation.gradient.js';
import { broadcastShapes, foldElementwise } from './broadcast.js';
import { elementwiseGradients } from './elementwise.gradient.js';
import { elementwiseVersions } from './elementwise.versions.js';

type Fold = (dtype: DataType | undefined, ...elements: Dim[]) => Dim | undefined;

interface Elementwise {
  readonly flops: number;
  /** The element type of the output when it is not that of the inputs. */
  readonly result?: DataType;
  readonly fold?: Fold;
  readonly roles?: InputRoles;
  readonly traits?: Traits;
}

/** A function of plain numbers; symbolic elements give up. */
function onNumbers(apply: (...x: number[]) => number): Fold {
  return (_, ...elements) =>
    elements.every((e) => typeof e === 'number') ? apply(...(elements as number[])) : undefined;
}

/** Whether a comparison holds, where that is certain for all values of the symbols. */
function comparison(holds: (order: -1 | 0 | 1) => boolean): Fold {
  return (_, a, b) => {
    const order = compare(a!, b!);
    return order === undefined ? undefined : Number(holds(order));
  };
}

/** Integer division truncates; floats divide. */
const divide: Fold = (dtype, a, b) => {
  if (b === 0) return undefined;
  if (!isInteger(dtype)) {
    if (typeof b !== 'number') return divideExactly(a!, b!);
    return typeof a === 'number' ? a / b : multiply(a!, 1 / b);
  }
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b);
  return floorDivide(a!, b!);
};

/** Of a symbolic size that float arithmetic made a fraction (`0.5*h`), the whole part is symbolic too. */
function rounding(round: (x: number) => number, symbolic: (x: Dim) => Dim): Fold {
  return (_, x) => (typeof x === 'number' ? round(x) : symbolic(x!));
}

/** The nearest integer; halves go to the even one. */
function roundToEven(x: number): number {
  return Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x);
}

const RECTIFIER: Traits = { activation: 'rectifier' };
const POSITIVE = [0, Number.POSITIVE_INFINITY] as const;
const UNIT = [0, 1] as const;

const UNARY: Readonly<Record<string, Elementwise>> = {
  Abs: { flops: 1, fold: onNumbers(Math.abs), traits: { range: POSITIVE } },
  Acos: { flops: 1 },
  Acosh: { flops: 1 },
  Asin: { flops: 1 },
  Asinh: { flops: 1 },
  Atan: { flops: 1 },
  Atanh: { flops: 1 },
  BitwiseNot: { flops: 1 },
  Ceil: { flops: 1, fold: rounding(Math.ceil, ceilOf), traits: { rounds: true } },
  Celu: { flops: 4, traits: { ...RECTIFIER, float32: true } },
  Cos: { flops: 1 },
  Cosh: { flops: 1 },
  Elu: { flops: 3, traits: RECTIFIER },
  Erf: { flops: 1, traits: { activation: 'erf' } },
  Exp: { flops: 1, traits: { range: POSITIVE } },
  Floor: { flops: 1, fold: rounding(Math.floor, floorOf), traits: { rounds: true } },
  Gelu: { flops: 5, traits: RECTIFIER },
  HardSigmoid: { flops: 4, traits: { activation: 'sigmoid', range: UNIT } },
  HardSwish: { flops: 5, traits: RECTIFIER },
  IsInf: { flops: 1, result: 'bool', traits: { float32: true } },
  IsNaN: { flops: 1, result: 'bool' },
  LeakyRelu: { flops: 2, traits: RECTIFIER },
  Log: { flops: 1 },
  Mish: { flops: 5, traits: RECTIFIER },
  Neg: { flops: 1, fold: (_, x) => subtract(0, x!) },
  Not: { flops: 1, result: 'bool', fold: onNumbers((x) => Number(x === 0)) },
  Reciprocal: { flops: 1, fold: onNumbers((x) => 1 / x), traits: { arithmetic: 'reciprocal' } },
  Relu: { flops: 1, fold: onNumbers((x) => Math.max(0, x)), traits: { ...RECTIFIER, range: POSITIVE } },
  Round: {
    flops: 1,
    fold: rounding(roundToEven, (x) => floorOf(add(x, 0.5))),
    traits: { rounds: true },
  },
  Selu: { flops: 4, traits: RECTIFIER },
  Shrink: { flops: 2 },
  Sigmoid: { flops: 4, traits: { activation: 'sigmoid', range: UNIT } },
  Sign: { flops: 1, fold: onNumbers(Math.sign) },
  Sin: { flops: 1 },
  Sinh: { flops: 1 },
  Softplus: { flops: 3, traits: { activation: 'softplus', range: POSITIVE } },
  Softsign: { flops: 3, traits: { activation: 'softsign' } },
  Sqrt: { flops: 1, fold: onNumbers(Math.sqrt), traits: { arithmetic: 'root', range: POSITIVE } },
  Swish: { flops: 5, traits: RECTIFIER },
  Tan: { flops: 1 },
  Tanh: { flops: 1, traits: { activation: 'tanh', range: [-1, 1] } },
  ThresholdedRelu: { flops: 1 },
};

const BINARY: Readonly<Record<string, Elementwise>> = {
  Add: { flops: 1, fold: (_, a, b) => add(a!, b!), traits: { arithmetic: 'add' } },
  And: { flops: 1, result: 'bool', fold: onNumbers((a, b) => a & b) },
  BitShift: { flops: 1 },
  BitwiseAnd: { flops: 1 },
  BitwiseOr: { flops: 1 },
  BitwiseXor: { flops: 1 },
  Div: { flops: 1, fold: divide, traits: { arithmetic: 'divide' } },
  Equal: { flops: 1, result: 'bool', fold: comparison((order) => order === 0), traits: { marks: 'equal' } },
  Greater: { flops: 1, result: 'bool', fold: comparison((order) => order > 0) },
  GreaterOrEqual: { flops: 1, result: 'bool', fold: comparison((order) => order >= 0) },
  Less: { flops: 1, result: 'bool', fold: comparison((order) => order < 0) },
  LessOrEqual: { flops: 1, result: 'bool', fold: comparison((order) => order <= 0) },
  Mul: { flops: 1, fold: (_, a, b) => multiply(a!, b!), traits: { arithmetic: 'multiply' } },
  Or: { flops: 1, result: 'bool', fold: onNumbers((a, b) => a | b) },
  Pow: { flops: 1, fold: power, roles: { setting: ['Y'] }, traits: { arithmetic: 'power' } },
  Sub: { flops: 1, fold: (_, a, b) => subtract(a!, b!), traits: { arithmetic: 'subtract' } },
  Xor: { flops: 1, result: 'bool', fold: onNumbers((a, b) => a ^ b) },
};

/** Any number of inputs; FLOPs per element count one less than inputs. */
const VARIADIC: Readonly<Record<string, Pick<Elementwise, 'fold' | 'traits'>>> = {
  Max: { fold: (_, ...xs) => xs.reduce(maximum), traits: { arithmetic: 'maximum' } },
  Mean: {},
  Min: { fold: (_, ...xs) => xs.reduce(minimum), traits: { arithmetic: 'minimum' } },
  Sum: { fold: (_, ...xs) => xs.reduce(add) },
};

function modulo(dtype: DataType | undefined, a: Dim | undefined, b: Dim | undefined): Dim | undefined {
  if (b === 0 || isFloat(dtype)) return undefined;
  if (typeof a === 'number' && typeof b === 'number') return a - b * Math.floor(a / b);
  return subtract(a!, multiply(b!, floorDivide(a!, b!)));
}

/** The remainder of C's fmod, which has the sign of the dividend. */
const remainder = onNumbers((a, b) => a % b);

function power(_: DataType | undefined, a: Dim | undefined, b: Dim | undefined): Dim | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a ** b;
  return b === 2 ? multiply(a!, a!) : b === 1 ? a : undefined;
}

/** Types whose inputs need not agree: Pow takes any exponent. */
const MIXED_INPUTS = new Set(['Pow']);

function inferElementwise(
  call: Call,
  rule: Pick<Elementwise, 'result' | 'fold'>,
  arity?: number,
): ValueType[] {
  const inputs: TensorType[] = [];
  const count = arity ?? call.inputs.length;
  for (let i = 0; i < count; i++) inputs.push(call.tensor(i));
  const dtype = MIXED_INPUTS.has(call.node.opType) ? inputs[0]!.dtype : commonDtype(call, inputs);
  const shape =
    legacyBroadcast(call, inputs) ??
    broadcastShapes(
      call,
      inputs.map((t) => t.shape),
    );
  const { fold } = rule;
  const result = rule.result ?? dtype;
  const elements =
    fold && inputs.every((t) => t.mayBeKnown)
      ? foldElementwise(inputs, shape, (...xs) => unlessOverflown(result, fold(dtype, ...xs)))
      : undefined;
  return [new TensorType(result, shape, elements)];
}

/** An element, unless it is an integer that its type cannot hold. */
function unlessOverflown(dtype: DataType | undefined, element: Dim | undefined): Dim | undefined {
  if (typeof element !== 'number' || dtype === undefined || !isInteger(dtype)) return element;
  const bits = bitsOf(dtype);
  const limit = 2 ** (kindOf(dtype) === 'int' ? bits - 1 : bits);
  // The greatest 64-bit integers are read as the power of two above them.
  const greatest = bits === 64 ? limit : limit - 1;
  const least = kindOf(dtype) === 'int' ? -limit : 0;
  return element >= least && element <= greatest ? element : undefined;
}

/** Before opset 7 the second operand was fitted into the first at `axis`, and the result had its shape. */
function legacyBroadcast(call: Call, inputs: readonly TensorType[]): TensorType['shape'] {
  return call.opset < 7 && inputs.length === 2 && call.int('broadcast', 0) === 1
    ? inputs[0]!.shape
    : undefined;
}

function elementwise(rule: Elementwise, arity?: number): Operator {
  return {
    infer: (call) => inferElementwise(call, rule, arity),
    cost: perOutput(rule.flops),
    ...(rule.roles && { roles: rule.roles }),
    traits: { ...rule.traits, isElementwise: true },
  };
}

/** Every operator with its gradient, where it has one. */
function withGradients(table: OperatorTable): OperatorTable {
  const entries = Object.entries(table).map(([name, operator]): [string, Operator] => {
    const gradient = elementwiseGradients[name] ?? activationGradients[name];
    return [name, gradient ? { ...operator, gradient } : operator];
  });
  return Object.fromEntries(entries);
}

function mapTable<T>(table: Readonly<Record<string, T>>, define: (rule: T) => Operator): OperatorTable {
  return Object.fromEntries(Object.entries(table).map(([name, rule]) => [name, define(rule)]));
}

/** Min, Max, Sum, Mean. */
function variadic({ fold, traits }: Pick<Elementwise, 'fold' | 'traits'>): Operator {
  return {
    infer: (call) => {
      if (call.inputs.length === 0) call.fail('at least one input is needed', 'OP_INPUT');
      return inferElementwise(call, fold ? { fold } : {});
    },
    cost: {
      describe: '(inputs − 1) per output element',
      of: (call) => {
        const size = call.outputSize();
        return size === undefined ? undefined : { otherFlops: multiply(size, call.inputs.length - 1) };
      },
    },
    traits: { ...traits, isElementwise: true },
  };
}

/** Bounds came as attributes until opset 11, then as inputs. */
const Clip: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const bound = (input: number, name: string, open: number): Dim | undefined =>
      call.opset < 11 ? call.float(name, open) : call.has(input) ? call.scalar(input) : open;
    const low = bound(1, 'min', -Infinity);
    const high = bound(2, 'max', Infinity);
    const elements =
      low === undefined || high === undefined || !x.mayBeKnown
        ? undefined
        : foldElementwise([x], x.shape, (e) => {
            const raised = low === -Infinity ? e : maximum(e, low);
            return high === Infinity ? raised : minimum(raised, high);
          });
    return [new TensorType(x.dtype, x.shape, elements)];
  },
  cost: perOutput(2),
  roles: { setting: ['min', 'max'] },
  traits: { activation: 'clip', isElementwise: true },
};

const Mod: Operator = {
  infer: (call) => inferElementwise(call, { fold: call.int('fmod', 0) === 1 ? remainder : modulo }, 2),
  cost: perOutput(1),
  traits: { arithmetic: 'remainder', isElementwise: true },
};

/**
 * The slope is broadcast to the input, never the other way round. Until opset 6 it had one element per
 * channel; some files of later opsets have it still.
 */
const PRelu: Operator = {
  infer: (call) => {
    const [x, slope] = [call.tensor(0), call.tensor(1)];
    const channels = x.shape?.[1];
    const isPerChannel = slope.rank === 1 && channels !== undefined && sameDim(slope.shape![0]!, channels);
    if (!isPerChannel) expectBroadcastTo(call, 1, 'the slope', x.shape);
    return [new TensorType(commonDtype(call, [x, slope]), x.shape)];
  },
  cost: perOutput(2),
  roles: { scale: ['slope'] },
  traits: { activation: 'rectifier', isElementwise: true },
};

const Where: Operator = {
  infer: (call) => {
    const [condition, x, y] = [call.tensor(0), call.tensor(1), call.tensor(2)];
    const dtype = commonDtype(call, [x, y]);
    const shape = broadcastShapes(call, [condition.shape, x.shape, y.shape]);
    const elements = foldElementwise([condition, x, y], shape, (c, a, b) =>
      c === 1 ? a : c === 0 ? b : sameDim(a, b) ? a : undefined,
    );
    return [new TensorType(dtype, shape, elements)];
  },
  cost: perOutput(1),
  traits: { arithmetic: 'select', isElementwise: true },
};

export const elementwiseOperators: OperatorTable = withVersions(
  withGradients({
    ...mapTable(UNARY, (rule) => elementwise(rule, 1)),
    ...mapTable(BINARY, (rule) => elementwise(rule, 2)),
    ...mapTable(VARIADIC, variadic),
    Clip,
    Mod,
    PRelu,
    Where,
  }),
  elementwiseVersions,
);

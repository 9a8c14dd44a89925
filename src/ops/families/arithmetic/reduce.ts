// Reductions: one number out of all elements along some axes. The axes were an attribute first; they became
// an input in opset 13 for ReduceSum and in opset 18 for all others.
import { add, type Dim, divideExactly, floorDivide, maximum, minimum, multiply } from '../../../graph/dim.js';
import { type DataType, isInteger } from '../../../graph/dtype.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { times, total } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import type { Traits } from '../../traits.js';
import { smallShape } from './broadcast.js';
import { reduceGradients } from './reduce.gradient.js';
import { reduceVersions } from './reduce.versions.js';

interface Reduction {
  /** What is kept, where something above asks. */
  readonly keeps?: Traits['reduction'];
  /** FLOPs per element that is read, and per element that comes out. */
  readonly perInput: number;
  readonly perOutput?: number;
  /** The result for known elements; undefined where it cannot be written as a size. */
  readonly fold?: (elements: readonly Dim[], dtype: DataType | undefined) => Dim | undefined;
}

const REDUCTIONS: Readonly<Record<string, Reduction>> = {
  ReduceL1: { perInput: 2 },
  ReduceL2: { perInput: 2, perOutput: 1 },
  ReduceLogSum: { perInput: 1, perOutput: 1 },
  ReduceLogSumExp: { perInput: 2, perOutput: 1 },
  ReduceMax: { keeps: 'maximum', perInput: 1, fold: (x) => (x.length > 0 ? x.reduce(maximum) : undefined) },
  ReduceMean: { keeps: 'mean', perInput: 1, perOutput: 1, fold: mean },
  ReduceMin: { perInput: 1, fold: (x) => (x.length > 0 ? x.reduce(minimum) : undefined) },
  ReduceProd: { perInput: 1, fold: (x) => x.reduce(multiply, 1) },
  ReduceSum: { keeps: 'sum', perInput: 1, fold: (x) => x.reduce(add, 0) },
  ReduceSumSquare: { perInput: 2, fold: (x) => x.reduce((sum: Dim, e) => add(sum, multiply(e, e)), 0) },
};

/** The mean of integers is truncated. */
function mean(elements: readonly Dim[], dtype: DataType | undefined): Dim | undefined {
  const count = elements.length;
  if (count === 0) return undefined;
  const sum = elements.reduce(add, 0);
  if (typeof sum === 'number') return isInteger(dtype) ? Math.trunc(sum / count) : sum / count;
  return isInteger(dtype) ? floorDivide(sum, count) : divideExactly(sum, count);
}

/** The opset from which the axes are the second input. */
function axesInputSince(opType: string): number {
  return opType === 'ReduceSum' ? 13 : 18;
}

/** The axes to reduce, perhaps negative: 'all' of them, or undefined when only running the network can tell. */
function reducedAxes(call: Call): readonly number[] | 'all' | undefined {
  const asInput = call.opset >= axesInputSince(call.node.opType);
  if (asInput) expectInteger(call, 1);
  const axes = asInput ? (call.has('axes') ? call.numbers('axes') : []) : (call.ints('axes') ?? []);
  if (axes?.length !== 0) return axes;
  return asInput && call.int('noop_with_empty_axes', 0) !== 0 ? [] : 'all';
}

function infer(call: Call, { fold }: Reduction): TensorType {
  const x = call.tensor(0);
  const axes = reducedAxes(call);
  const keepDims = call.int('keepdims', 1) !== 0;
  if (x.shape === undefined) return new TensorType(x.dtype, axes === 'all' && !keepDims ? [] : undefined);
  if (axes === undefined) return new TensorType(x.dtype, shapeForUnknownAxes(call, x.shape, keepDims));
  const reduced = new Set(axes === 'all' ? x.shape.keys() : call.axes(axes, x.shape.length));
  const shape = keepDims
    ? x.shape.map((d, i) => (reduced.has(i) ? 1 : d))
    : x.shape.filter((_, i) => !reduced.has(i));
  return new TensorType(x.dtype, shape, fold && foldAxes(x, reduced, fold));
}

/** Where the axes are not known, their number may be: it is the size of the second input. */
function shapeForUnknownAxes(call: Call, shape: Shape, keepDims: boolean): Shape | undefined {
  const count = call.shape(1)?.[0];
  const rank = keepDims ? shape.length : count !== 0 && typeof count === 'number' ? shape.length - count : -1;
  return rank < 0 ? undefined : Array.from({ length: rank }, (_, axis) => call.unknownSize(0, axis));
}

/** Reduces known elements over a set of axes. */
function foldAxes(
  x: TensorType,
  reduced: ReadonlySet<number>,
  fold: NonNullable<Reduction['fold']>,
): readonly Dim[] | undefined {
  const shape = smallShape(x.shape);
  const kept = shape && smallShape(shape.filter((_, i) => !reduced.has(i)));
  const elements = kept && x.mayBeKnown ? x.elements : undefined;
  if (shape === undefined || kept === undefined || elements === undefined) return undefined;
  const groups = Array.from({ length: kept.reduce((n, d) => n * d, 1) }, (): Dim[] => []);
  elements.forEach((element, index) => {
    let rest = index;
    let group = 0;
    let stride = 1;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const at = rest % shape[axis]!;
      rest = Math.floor(rest / shape[axis]!);
      if (reduced.has(axis)) continue;
      group += at * stride;
      stride *= shape[axis]!;
    }
    groups[group]!.push(element);
  });
  const out: Dim[] = [];
  for (const group of groups) {
    const value = fold(group, x.dtype);
    if (value === undefined) return undefined;
    out.push(value);
  }
  return out;
}

function reduction(rule: Reduction): Operator {
  const { perInput, perOutput = 0 } = rule;
  return {
    infer: (call) => [infer(call, rule)],
    cost: {
      describe: `${perInput} per input element${perOutput > 0 ? ` + ${perOutput} per output element` : ''}`,
      of: (call) => {
        const otherFlops = total(
          times(call.inputSize(), perInput),
          perOutput > 0 ? times(call.outputSize(), perOutput) : 0,
        );
        return otherFlops === undefined ? undefined : { otherFlops };
      },
    },
    roles: { setting: ['axes'] },
    traits: { reduction: rule.keeps ?? 'other' },
  };
}

export const reduceOperators: OperatorTable = Object.fromEntries(
  Object.entries(REDUCTIONS).map(([name, rule]) => {
    const gradient = reduceGradients[name];
    const operator = { ...reduction(rule), versions: reduceVersions(axesInputSince(name)) };
    return [name, gradient ? { ...operator, gradient } : operator];
  }),
);

// Slice: every `step`-th index from `start` up to `end` along some dimensions. Bounds may be symbolic, and are
// mostly when a network is exported with a free batch or sequence length.
import { add, atLeast, ceilDivide, type Dim, type Expr, isKnown, subtract } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { knownTensors, PARTIAL_READ, tabulate, unknownSizes } from './data-movement.js';
import { sliceGradient } from './slice.gradient.js';
import { sliceVersions } from './slice.versions.js';

/** What is taken of one dimension. */
export interface Cut {
  readonly start: Dim;
  readonly step: number;
  readonly size: Dim;
}

/** Bounds from here on mean the end of a symbolic dimension; exporters write 1e9, INT32_MAX or INT64_MAX. */
const OPEN_BOUND = 2 ** 24;

const Slice: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    if (shape === undefined) return [new TensorType(x.dtype, undefined)];
    const cuts = cutsOf(call, shape);
    if (cuts === undefined) return [new TensorType(x.dtype, unknownSizes(call, shape.length))];
    const sliced = cuts.map((taken, axis) => taken?.size ?? call.unknownSize(0, axis));
    return [new TensorType(x.dtype, sliced, slicedElements(x, sliced, cuts))];
  },
  cost: PARTIAL_READ,
  roles: { data: ['data'], others: 'setting' },
  gradient: (g) => sliceGradient(g, cutsOf(g.call, g.input(0).shape)),
  traits: { moves: 'part' },
};

/** What is taken of each dimension, where it is known; undefined when not even the dimensions are. */
function cutsOf(call: Call, shape: Shape): readonly (Cut | undefined)[] | undefined {
  const bounds = call.opset < 10 ? attributeBounds(call) : inputBounds(call);
  if (bounds === undefined) return undefined;
  const { starts, ends, steps } = bounds;
  const cuts: (Cut | undefined)[] = shape.map((size) => ({ start: 0, step: 1, size }));
  call.axes(bounds.axes, shape.length).forEach((axis, i) => {
    const [start, end, step] = [starts?.[i], ends?.[i], steps?.[i]];
    cuts[axis] =
      start === undefined || end === undefined || step === undefined
        ? undefined
        : cut(call, shape[axis]!, start, end, step);
  });
  return cuts;
}

/** Lists of equal length; those whose values are unknown are undefined. */
interface Bounds {
  readonly axes: readonly number[];
  readonly starts: readonly Dim[] | undefined;
  readonly ends: readonly Dim[] | undefined;
  readonly steps: readonly Dim[] | undefined;
}

function attributeBounds(call: Call): Bounds {
  const starts = call.required(call.ints('starts'), 'starts');
  const ends = call.required(call.ints('ends'), 'ends');
  const axes = call.ints('axes') ?? starts.map((_, i) => i);
  if (starts.length !== axes.length || ends.length !== axes.length) {
    call.fail(`${starts.length} starts, ${ends.length} ends and ${axes.length} axes`, 'OP_ATTRIBUTE');
  }
  return { axes, starts, ends, steps: axes.map(() => 1) };
}

/** Undefined when it is not even known which dimensions are cut. */
function inputBounds(call: Call): Bounds | undefined {
  for (let index = 1; index <= 4; index++) expectInteger(call, index);
  const [starts, ends] = [call.tensor(1).elements, call.tensor(2).elements];
  let axes = call.numbers(3);
  if (axes === undefined) {
    if (call.has('axes')) return undefined;
    const count = (starts ?? ends)?.length ?? call.shape(1)?.[0] ?? call.shape(2)?.[0];
    const rank = call.shape(0)!.length;
    if (typeof count !== 'number') return undefined;
    if (count > rank) call.fail(`bounds for ${count} dimensions do not fit ${call.tensor(0)}`);
    axes = Array.from({ length: count }, (_, i) => i);
  }
  const { length } = axes;
  const steps = call.has('steps') ? call.elements('steps') : axes.map(() => 1);
  if ([starts, ends, steps].some((list) => list !== undefined && list.length !== length)) {
    call.fail(`${starts?.length} starts, ${ends?.length} ends, ${steps?.length} steps, ${length} axes`);
  }
  return { axes, starts, ends, steps };
}

function cut(call: Call, size: Dim, start: Dim, end: Dim, step: Dim): Cut | undefined {
  if (step === 0) call.fail('a step of 0 never ends', 'OP_INPUT');
  if (typeof step !== 'number') return undefined;
  if (size === 0) return { start: 0, step, size };
  const from = placed(start, size, step, 0);
  const to = placed(end, size, step, step > 0 ? 0 : -1);
  const span = step > 0 ? subtract(to, from) : subtract(from, to);
  const taken = ceilDivide(span, Math.abs(step));
  return { start: from, step, size: atLeast(0, taken) ? 0 : taken };
}

/**
 * A bound as an index from the start, moved into the range that its step can reach: `low` … size going up,
 * `low` … size − 1 going down, where the end may be −1: before the first element. Where it cannot be told whether a bound lies inside (`x[:, 1:seq]` of a size
 * `max`), it is taken to: a slice is written to take what it names.
 */
function placed(bound: Dim, size: Dim, step: number, low: number): Dim {
  const high = step > 0 ? size : subtract(size, 1);
  if (!isKnown(size) && isKnown(bound) && Math.abs(bound) >= OPEN_BOUND) return bound > 0 ? high : low;
  const index = isNegative(bound) ? add(bound, size) : bound;
  if (atLeast(low, index)) return low;
  return atLeast(index, high) ? high : index;
}

/** Symbols count as large: `1-seq` is negative. */
function isNegative(bound: Dim): boolean {
  return isKnown(bound) ? bound < 0 : variableCoefficients(bound).every((c) => c < 0);
}

function variableCoefficients(expr: Expr): number[] {
  return [...expr.terms].flatMap(([key, term]) => (key === '' ? [] : [term.coefficient]));
}

function slicedElements(
  x: TensorType,
  shape: readonly Dim[],
  cuts: readonly (Cut | undefined)[],
): readonly Dim[] | undefined {
  if (!x.mayBeKnown || !cuts.every((taken) => isKnown(taken?.start))) return undefined;
  const [known] = knownTensors(x) ?? [];
  if (known === undefined) return undefined;
  let first = 0;
  const steps = known.strides.map((stride, axis) => {
    first += (cuts[axis]!.start as number) * stride;
    return cuts[axis]!.step * stride;
  });
  return tabulate(shape, (index) => {
    let at = first;
    for (let axis = 0; axis < steps.length; axis++) at += index[axis]! * steps[axis]!;
    return known.elements[at];
  });
}

export const sliceOperators: OperatorTable = withVersions({ Slice }, sliceVersions);

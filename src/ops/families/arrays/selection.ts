// Operators that choose elements by their values: NonZero, Compress, Unique, TopK, ArgMax, ArgMin, and OneHot
// that goes the other way. How much they choose is mostly known only when a network runs.
import { atLeast, type Dim } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { FREE, perInput } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import {
  checkSize,
  elementAt,
  type KnownTensor,
  knownTensors,
  linesAlong,
  orderedNumbers,
  PARTIAL_READ,
  sizeOf,
  tabulate,
} from './data-movement.js';
import { compressGradient, oneHotGradient, topKGradient } from './selection.gradient.js';
import { selectionVersions } from './selection.versions.js';

/** The indices of all elements that are not 0, one column each: (rank, count). */
const NonZero: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const [known] = knownTensors(x) ?? [];
    const places = known && nonZeroPlaces(known);
    if (places === undefined) {
      return [new TensorType('int64', [x.rank ?? call.unknownSize(0, 0), call.unknownSize(0, 1)])];
    }
    const shape = [x.rank!, places.length];
    const elements = tabulate(shape, ([axis, place]) => places[place!]![axis!]);
    return [new TensorType('int64', shape, elements)];
  },
  cost: perInput(1),
};

/** Undefined when for some element it is not certain. */
function nonZeroPlaces(x: KnownTensor): readonly (readonly number[])[] | undefined {
  const places: (readonly number[])[] = [];
  const certain = tabulate(x.shape, (index, position) => {
    const element = x.elements[position]!;
    if (typeof element !== 'number' && !atLeast(element, 1)) return undefined;
    if (element !== 0) places.push([...index]);
    return 0;
  });
  return certain && places;
}

/** Slices along an axis (or single elements) where a condition holds. */
const Compress: Operator = {
  infer: (call) => {
    const [x, condition] = [call.tensor(0), call.tensor(1)];
    const { shape } = x;
    const given = call.int('axis');
    if (shape === undefined) {
      return [new TensorType(x.dtype, given === undefined ? [call.unknownSize(0, 0)] : undefined)];
    }
    const axis = given === undefined ? 0 : call.axis(given, shape.length);
    if (condition.shape !== undefined && condition.shape.length !== 1) {
      call.fail(`the condition must have one dimension, not ${condition}`, 'OP_INPUT');
    }
    const [mask] = knownTensors(condition) ?? [];
    const limit = given === undefined ? x.size! : shape[axis]!;
    const kept =
      mask && nonZeroPlaces(mask)?.flatMap(([i]) => (typeof limit === 'number' && i! >= limit ? [] : i!));
    const size = kept?.length ?? call.unknownSize(0, axis);
    const chosen = given === undefined ? [size] : shape.with(axis, size);
    const [known] = (kept && knownTensors(x)) || [];
    const elements =
      known &&
      tabulate(chosen, (index) => {
        const place = kept![index[axis]!]!;
        return given === undefined ? known.elements[place] : elementAt(known, index.with(axis, place));
      });
    return [new TensorType(x.dtype, chosen, elements)];
  },
  cost: PARTIAL_READ,
  roles: { setting: ['condition'] },
  gradient: compressGradient,
};

/** The largest (or smallest) k along an axis and their indices. k was an attribute before opset 10. */
const TopK: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    if (shape === undefined) return [new TensorType(x.dtype, undefined), new TensorType('int64', undefined)];
    const axis = call.axis(call.int('axis', -1), shape.length);
    expectInteger(call, 1);
    const k = call.opset < 10 ? call.required(call.int('k'), 'k') : call.tensor(1).elements?.[0];
    if (k !== undefined) checkSize(call, k, 'k');
    const size = shape[axis];
    if (typeof k === 'number' && typeof size === 'number' && k > size) {
      call.fail(`k = ${k} exceeds dimension ${axis} of [${shape}]`);
    }
    const chosen = shape.with(axis, k ?? call.unknownSize(0, axis));
    const [known] = knownTensors(x) ?? [];
    const top = known && topElements(call, known, chosen, axis);
    return [new TensorType(x.dtype, chosen, top?.values), new TensorType('int64', chosen, top?.indices)];
  },
  cost: perInput(1),
  roles: { setting: ['K'] },
  gradient: topKGradient,
};

function topElements(
  call: Call,
  x: KnownTensor,
  shape: Shape,
  axis: number,
): { values: number[]; indices: number[] } | undefined {
  const numbers = orderedNumbers(x);
  if (numbers === undefined || typeof shape[axis] !== 'number' || call.int('sorted', 1) === 0)
    return undefined;
  const sign = call.int('largest', 1) !== 0 ? -1 : 1;
  const outShape = shape as readonly number[];
  const values = new Array<number>(sizeOf(outShape));
  const indices = new Array<number>(values.length);
  const outLines = linesAlong(outShape, axis);
  for (const line of linesAlong(x.shape, axis)) {
    const order = line
      .map((_, i) => i)
      .sort((i, j) => sign * (numbers[line[i]!]! - numbers[line[j]!]!) || i - j);
    const places: readonly number[] = outLines.next().value ?? [];
    places.forEach((place, i) => {
      indices[place] = order[i]!;
      values[place] = numbers[line[order[i]!]!]!;
    });
  }
  return { values, indices };
}

/** The index of the greatest (or least) element along an axis; of several, the first or the last. */
function argExtreme(sign: 1 | -1): Operator {
  return {
    infer: (call) => {
      const x = call.tensor(0);
      const { shape } = x;
      if (shape === undefined) return [new TensorType('int64', undefined)];
      const axis = call.axis(call.int('axis', 0), shape.length);
      const reduced = call.int('keepdims', 1) !== 0 ? shape.with(axis, 1) : shape.toSpliced(axis, 1);
      const [known] = knownTensors(x) ?? [];
      const numbers = orderedNumbers(known);
      if (numbers === undefined || numbers.length === 0) return [new TensorType('int64', reduced)];
      const last = call.int('select_last_index', 0) !== 0;
      const indices: number[] = [];
      for (const line of linesAlong(known!.shape, axis)) {
        let best = 0;
        for (let i = 1; i < line.length; i++) {
          const gain = sign * (numbers[line[i]!]! - numbers[line[best]!]!);
          if (gain > 0 || (last && gain === 0)) best = i;
        }
        indices.push(best);
      }
      return [new TensorType('int64', reduced, indices)];
    },
    cost: perInput(1),
  };
}

/** values[1] where the new dimension's index is the one given, values[0] elsewhere. */
const OneHot: Operator = {
  infer: (call) => {
    const [indices, depth, values] = [call.tensor(0), call.tensor(1).elements?.[0], call.tensor(2)];
    if (indices.shape === undefined) return [new TensorType(values.dtype, undefined)];
    const axis = call.axis(call.int('axis', -1), indices.shape.length + 1);
    const classes = depthOf(call, depth) ?? call.unknownSize(0, axis);
    const shape = indices.shape.toSpliced(axis, 0, classes);
    const [at, offOn] = knownTensors(indices, values) ?? [];
    const numbers = orderedNumbers(at);
    const elements =
      numbers && typeof classes === 'number'
        ? tabulate(shape, (index) => {
            const hot = Math.trunc(elementAt(at!, index.toSpliced(axis, 1)) as number);
            return offOn!.elements[hot === index[axis] || hot + classes === index[axis] ? 1 : 0];
          })
        : undefined;
    return [new TensorType(values.dtype, shape, elements)];
  },
  cost: FREE,
  roles: { setting: ['depth', 'values'] },
  gradient: oneHotGradient,
  traits: { marks: 'index' },
};

function depthOf(call: Call, depth: Dim | undefined): Dim | undefined {
  if (depth === undefined) return undefined;
  return checkSize(call, typeof depth === 'number' ? Math.trunc(depth) : depth, 'a depth of');
}

const SELECTING: Pick<Operator, 'traits'> = { traits: { selects: true } };

export const selectionOperators: OperatorTable = withVersions(
  {
    ArgMax: { ...argExtreme(1), ...SELECTING },
    ArgMin: { ...argExtreme(-1), ...SELECTING },
    Compress: { ...Compress, ...SELECTING },
    NonZero: { ...NonZero, ...SELECTING },
    OneHot,
    TopK: { ...TopK, ...SELECTING },
  },
  selectionVersions,
);

// Unique: the distinct elements of a tensor, or its distinct slices along an axis, with where they come from.
import type { Dim } from '../../../graph/dim.js';
import { TensorType } from '../../../graph/types.js';
import { perInput } from '../../cost.js';
import type { Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import {
  elementAt,
  type KnownTensor,
  knownTensors,
  linesAlong,
  orderedNumbers,
  tabulate,
} from './data-movement.js';

/** Outputs: the distinct slices; the first place of each; for every slice its distinct one; how often each occurs. */
const Unique: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const given = call.int('axis');
    const whole = given === undefined ? flattened(x, x.size ?? call.unknownSize(2, 0)) : x;
    const { dtype, shape } = whole;
    if (shape === undefined) {
      const list = (output: number) => new TensorType('int64', [call.unknownSize(output, 0)]);
      return [new TensorType(dtype, undefined), list(1), list(2), list(3)];
    }
    const axis = given === undefined ? 0 : call.axis(given, shape.length);
    const [known] = knownTensors(whole) ?? [];
    const distinct = known && distinctSlices(known, axis, call.int('sorted', 1) !== 0);
    const count = distinct?.first.length ?? call.unknownSize(0, axis);
    const slices = shape.with(axis, count);
    const elements =
      distinct &&
      tabulate(slices, (index) => elementAt(known, index.with(axis, distinct.first[index[axis]!]!)));
    return [
      new TensorType(dtype, slices, elements),
      new TensorType('int64', [count], distinct?.first),
      new TensorType('int64', [shape[axis]!], distinct?.inverse),
      new TensorType('int64', [count], distinct?.counts),
    ];
  },
  cost: perInput(1),
};

function flattened(x: TensorType, size: Dim): TensorType {
  return new TensorType(x.dtype, [size], x.mayBeKnown ? x.elements : undefined);
}

interface Distinct {
  /** Of each distinct slice, the first one like it. */
  readonly first: readonly number[];
  /** Of every slice, which distinct one it equals. */
  readonly inverse: readonly number[];
  readonly counts: readonly number[];
}

/** In ascending order, or in that of their first occurrence. */
function distinctSlices(x: KnownTensor, axis: number, sorted: boolean): Distinct | undefined {
  const numbers = orderedNumbers(x);
  if (numbers === undefined || numbers.length === 0) return undefined;
  const slices: number[][] = Array.from({ length: x.shape[axis]! }, () => []);
  for (const line of linesAlong(x.shape, axis)) {
    line.forEach((place, i) => {
      slices[i]!.push(numbers[place]!);
    });
  }
  const places = new Map<string, number[]>();
  slices.forEach((slice, i) => {
    const key = slice.join();
    const same = places.get(key);
    if (same) same.push(i);
    else places.set(key, [i]);
  });
  const groups = [...places.values()];
  if (sorted) groups.sort(([a], [b]) => compareSlices(slices[a!]!, slices[b!]!));
  const inverse = new Array<number>(slices.length);
  groups.forEach((group, n) => {
    for (const i of group) inverse[i] = n;
  });
  return { first: groups.map(([i]) => i!), inverse, counts: groups.map((group) => group.length) };
}

function compareSlices(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

export const uniqueOperators: OperatorTable = { Unique: { ...Unique, traits: { selects: true } } };

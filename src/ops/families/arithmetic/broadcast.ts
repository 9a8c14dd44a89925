// NumPy's broadcasting for shapes and for the small known tensors that shapes are computed from.
import { type Dim, isKnown, maximum, sameDim } from '../../../graph/dim.js';
import { MAX_KNOWN_ELEMENTS, type Shape, type TensorType } from '../../../graph/types.js';
import type { Call } from '../../operator.js';

/** The common shape of several, or undefined when one is unknown. Fails when they do not fit. */
export function broadcastShapes(call: Call, shapes: readonly (Shape | undefined)[]): Shape | undefined {
  let result: Shape | undefined;
  for (const shape of shapes) {
    if (shape === undefined) return undefined;
    result = result === undefined ? shape : broadcastTwo(call, result, shape);
  }
  return result ?? [];
}

function broadcastTwo(call: Call, a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length);
  const out: Dim[] = [];
  for (let i = 0; i < rank; i++) {
    const x = a[i - rank + a.length] ?? 1;
    const y = b[i - rank + b.length] ?? 1;
    out.push(broadcastDim(x, y) ?? call.fail(`shapes [${a}] and [${b}] cannot be broadcast together`));
  }
  return out;
}

/** The size two dimensions broadcast to. A symbol beside a number over 1 must be 1 or that number. */
export function broadcastDim(x: Dim, y: Dim): Dim | undefined {
  if (sameDim(x, y) || y === 1) return x;
  if (x === 1) return y;
  if (isKnown(x) && isKnown(y)) return undefined;
  if (isKnown(x)) return x === 0 ? 0 : x;
  if (isKnown(y)) return y;
  return maximum(x, y);
}

/** A shape whose sizes are all numbers and that is small enough to carry its elements. */
export function smallShape(shape: Shape | undefined): readonly number[] | undefined {
  if (!shape?.every(isKnown)) return undefined;
  let size = 1;
  for (const d of shape as readonly number[]) size *= d;
  return size <= MAX_KNOWN_ELEMENTS ? (shape as readonly number[]) : undefined;
}

/**
 * Applies a function to known tensors element by element, with broadcasting.
 * Undefined when something is unknown, too large, or when the function gives undefined for an element.
 */
export function foldElementwise(
  inputs: readonly TensorType[],
  outputShape: Shape | undefined,
  apply: (...elements: Dim[]) => Dim | undefined,
): readonly Dim[] | undefined {
  const shape = smallShape(outputShape);
  if (shape === undefined || !inputs.every((t) => t.mayBeKnown)) return undefined;
  const operands: (readonly Dim[])[] = [];
  for (const input of inputs) {
    const elements = input.elements;
    if (elements === undefined) return undefined;
    operands.push(elements);
  }
  const size = shape.reduce((n, d) => n * d, 1);
  if (size === 1) {
    const only = apply(...operands.map((elements) => elements[0]!));
    return only === undefined ? undefined : [only];
  }
  const strides = inputs.map((t) => broadcastStrides(t.shape as readonly number[], shape));
  const index = new Array<number>(shape.length).fill(0);
  const args = new Array<Dim>(operands.length);
  const out: Dim[] = [];
  for (let n = 0; n < size; n++) {
    for (let k = 0; k < args.length; k++) {
      let at = 0;
      for (let axis = 0; axis < shape.length; axis++) at += index[axis]! * strides[k]![axis]!;
      args[k] = operands[k]![at]!;
    }
    const value = apply(...args);
    if (value === undefined) return undefined;
    out.push(value);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      if (++index[axis]! < shape[axis]!) break;
      index[axis] = 0;
    }
  }
  return out;
}

/** Row-major strides of a shape seen under a larger one: 0 where it is repeated. */
function broadcastStrides(from: readonly number[], to: readonly number[]): number[] {
  const strides = new Array<number>(to.length).fill(0);
  let step = 1;
  for (let i = from.length - 1; i >= 0; i--) {
    if (from[i] !== 1) strides[i + to.length - from.length] = step;
    step *= from[i]!;
  }
  return strides;
}

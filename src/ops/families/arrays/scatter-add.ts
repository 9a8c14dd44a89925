// Adding values to zeros at indices, of which some may be equal: Gather, backwards. Operators that add have been
// there since opset 16; before, a matrix of ones and zeros says what goes where.
import type { Builder, Value } from '../../build.js';
import { sizeOf, stridesOf } from './data-movement.js';

const ADDS_SINCE = 16;

/** Zeros of shape (d1 … dk, rest…) with updates (i…, rest…) added at indices (i…, k). */
export function scatterNdAdd(shape: readonly number[], indices: Value, updates: Value): Value {
  const { builder } = updates;
  if (builder.opset >= ADDS_SINCE) {
    const zeros = builder.full(shape, 0, updates.dtype);
    return builder.op('ScatterND', [zeros, indices.cast('int64'), updates], { reduction: 'add' });
  }
  const depth = indices.length(-1);
  const [places, rest] = [shape.slice(0, depth), shape.slice(depth)];
  const strides = builder.ints(stridesOf(places));
  const rows = nonNegative(indices, builder.ints(places)).mul(strides).sum([-1]).reshape([1, -1]);
  const matrix = numbersTo(builder, sizeOf(places)).reshape([-1, 1]).equal(rows).cast(updates.dtype);
  return matrix.matmul(updates.reshape([-1, sizeOf(rest)])).reshape(shape);
}

/** Zeros of a shape with updates added at indices along an axis, as by ScatterElements. */
export function scatterElementsAdd(
  shape: readonly number[],
  axis: number,
  indices: Value,
  updates: Value,
): Value {
  const { builder } = updates;
  if (builder.opset >= ADDS_SINCE) {
    const zeros = builder.full(shape, 0, updates.dtype);
    return builder.op('ScatterElements', [zeros, indices, updates], { axis, reduction: 'add' });
  }
  // (… 1, k) · (… k, n), with the axis at the end.
  const size = shape[axis]!;
  const last = shape.length - 1;
  const swap = shape.map((_, i) => (i === axis ? last : i === last ? axis : i));
  const places = nonNegative(indices, builder.ints([size]))
    .transpose(swap)
    .unsqueeze([-1]);
  const matrix = places.equal(numbersTo(builder, size)).cast(updates.dtype);
  const sums = updates.transpose(swap).unsqueeze([-2]).matmul(matrix).squeeze([-2]).transpose(swap);
  // Other dimensions of the indices may be smaller than those of the data.
  return sums.pad([...shape.map(() => 0), ...shape.map((d, i) => d - sums.length(i))]);
}

/** Negative indices count from the end. */
function nonNegative(indices: Value, sizes: Value): Value {
  return indices.cast('int64').mod(sizes);
}

function numbersTo(builder: Builder, end: number): Value {
  return builder.ints([...Array(end).keys()]);
}

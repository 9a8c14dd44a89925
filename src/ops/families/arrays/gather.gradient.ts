// Gradients of reading elements by their indices: zeros to which what comes back is added where it was read.
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';
import { scatterElementsAdd, scatterNdAdd } from './scatter-add.js';

/** x (a…, n, b…) read at (i…) is (a…, i…, b…). */
export const gatherGradient: GradientRule = (g) => {
  const [x, indices] = [g.input(0), g.input(1)];
  const axis = g.call.axis(g.call.int('axis', 0), x.rank);
  const first = firstOfConsecutive(g, x, axis);
  if (first !== undefined) {
    const taken = indices.rank === 0 ? g.dy.unsqueeze([axis]) : g.dy;
    const pads = new Array<number>(2 * x.rank).fill(0);
    pads[axis] = first;
    pads[x.rank + axis] = x.length(axis) - first - taken.length(axis);
    return [taken.pad(pads)];
  }
  // The indices in front, so that whole slices are added: (i…, a…, b…) to (n, a…, b…).
  const read = range(axis, axis + indices.rank);
  const front = [...read, ...range(0, axis), ...range(axis + indices.rank, g.dy.rank)];
  const slices = [axis, ...range(0, axis), ...range(axis + 1, x.rank)];
  const places = indices.unsqueeze([indices.rank]);
  const sum = scatterNdAdd(
    slices.map((i) => x.sizes[i]!),
    places,
    g.dy.transpose(front),
  );
  return [sum.transpose([...range(1, axis + 1), 0, ...range(axis + 1, x.rank)])];
};

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** The first index, if it is known that all follow each other: then reading is cutting out, and the way back padding. */
function firstOfConsecutive(g: Differentiation, x: Value, axis: number): number | undefined {
  const indices = g.call.numbers(1);
  if (indices === undefined || indices.length === 0 || g.input(1).rank > 1) return undefined;
  const size = x.length(axis);
  const places = indices.map((i) => (i < 0 ? i + size : i));
  const [first] = places;
  return places.every((place, i) => place === first! + i) ? first : undefined;
}

export const gatherElementsGradient: GradientRule = (g) => {
  const x = g.input(0);
  const axis = g.call.axis(g.call.int('axis', 0), x.rank);
  return [scatterElementsAdd(x.sizes, axis, g.input(1), g.dy)];
};

/** x (b…, d1 … dk, rest…) read at (b…, i…, k) is (b…, i…, rest…). */
export const gatherNdGradient: GradientRule = (g) => {
  const [x, indices] = [g.input(0), g.input(1)];
  const batch = g.call.int('batch_dims', 0);
  return [scatterNdAdd(x.sizes, withBatch(indices, batch), g.dy)];
};

/** Indices (b…, i…, k) that also name the places in the first dimensions, which they share with the data. */
function withBatch(indices: Value, batch: number): Value {
  if (batch === 0) return indices;
  const shape = indices.sizes.with(-1, 1);
  const own = shape.slice(0, batch).map((size, axis) => {
    const line = shape.map((_, i) => (i === axis ? size : 1));
    return indices.builder.constant(range(0, size), indices.dtype, line).expand(shape);
  });
  return indices.builder.concat([...own, indices], -1);
}

// Reading images between their elements: each point takes a few taps along every axis, whose weights are
// polynomials of how far it lies from them. Written so that gradients reach both the image and the points.
import type { Value } from '../../build.js';

/** The taps of every point along one axis. */
export interface Taps {
  /** (B, P, k): places inside the axis, as whole numbers of a float type. */
  readonly places: Value;
  /** (B, P, k); all 1 where undefined. */
  readonly weights: Value | undefined;
}

/** The distance to tap i is sign·f + offset, with f how far a point lies behind the element before it. */
interface Filter {
  /** Places, counted from the element before the point. */
  readonly places: readonly number[];
  readonly signs: readonly number[];
  readonly offsets: readonly number[];
  /** Coefficients of the powers of the distance, from the highest down; one for each tap. */
  readonly polynomial: readonly (readonly number[])[];
}

const LINEAR: Filter = {
  places: [0, 1],
  signs: [1, -1],
  offsets: [0, 1],
  polynomial: [
    [-1, -1],
    [1, 1],
  ],
};

/** Keys' kernel, a = −0.75: one cubic for the outer and one for the inner taps. */
const CUBIC: Filter = {
  places: [-1, 0, 1, 2],
  signs: [1, 1, -1, -1],
  offsets: [1, 0, 1, 2],
  polynomial: [
    [-0.75, 1.25, 1.25, -0.75],
    [3.75, -2.25, -2.25, 3.75],
    [-6, 0, 0, -6],
    [3, 1, 1, 3],
  ],
};

/** Taps of points x (B, P, 1); their places may lie outside of the axis. */
export function filterTaps(x: Value, mode: 'linear' | 'cubic'): { places: Value; weights: Value } {
  const { places, signs, offsets, polynomial } = mode === 'linear' ? LINEAR : CUBIC;
  const vector = (values: readonly number[]): Value => x.builder.constant(values, x.dtype);
  const before = x.builder.op('Floor', [x]);
  const distance = x.sub(before).mul(vector(signs)).add(vector(offsets));
  const [highest, next, ...lower] = polynomial.map(vector);
  const weights = lower.reduce(
    (sum, coefficients) => sum.mul(distance).add(coefficients),
    distance.mul(highest!).add(next!),
  );
  return { places: before.add(vector(places)), weights };
}

/** Kept between 0 and `size` − 1. */
export function clipped(value: Value, size: number): Value {
  return value.builder.op('Clip', [value, value.operand(0), value.operand(size - 1)]);
}

/** Every tap along some axes with every one along the next: (B, P, j) and (B, P, k) make (B, P, j·k). */
function paired(a: Value, b: Value, combine: (a: Value, b: Value) => Value): Value {
  const [batch, points] = a.sizes;
  return combine(a.unsqueeze([3]), b.unsqueeze([2])).reshape([batch!, points!, -1]);
}

/**
 * An image (N, C, D1 … Dn) at points with taps along each of its n axes: (B, P, C). Points of row b lie in image
 * b, or in the one that `images` (B) names. Either all taps have weights or none.
 */
export function sampled(image: Value, taps: readonly Taps[], images?: Value): Value {
  const [n, c, ...spatial] = image.sizes as [number, number, ...number[]];
  const [batch, points] = taps[0]!.places.sizes as [number, number];
  const place = taps
    .map(({ places }) => places.cast('int64'))
    .reduce((outer, inner, axis) => paired(outer, inner, (a, b) => a.mul(spatial[axis]!).add(b)));
  let indices = place.reshape([batch, -1, 1]);
  if (images) {
    const named = images.cast('int64').reshape([batch, 1, 1]).expand(indices.sizes);
    indices = image.builder.concat([named, indices], 2);
  }
  const pixels = image.reshape([n, c, -1]).transpose([0, 2, 1]);
  const found = image.builder.op('GatherND', [pixels, indices], { batch_dims: images ? 0 : 1 });
  const values = found.reshape([batch, points, -1, c]);
  const weights = taps.flatMap((axis) => axis.weights ?? []);
  if (weights.length === 0) return values.squeeze([2]);
  const weight = weights.reduce((outer, inner) => paired(outer, inner, (a, b) => a.mul(b)));
  return values.mul(weight.unsqueeze([3])).sum([2]);
}

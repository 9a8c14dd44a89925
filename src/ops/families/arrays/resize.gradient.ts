// The gradient of Resize, which is linear and treats each axis on its own: with Y = W·X along an axis,
// dX = Wᵀ·dY. Where whole elements are repeated, their gradients are just summed.
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';
import { type Interpolation, interpolationWeights } from './interpolation.js';

/** Rows of weights, one for each element of the output along an axis. */
type Weights = readonly (readonly number[])[];

/** A scale that changes no size changes nothing, in ONNX Runtime: of all axes, or of one with antialiasing. */
export const resizeGradient: GradientRule = (g) => {
  if (g.dy.hasShape(g.input(0).shape)) return [g.dy];
  const axes = settingsOf(g);
  if (axes.some(({ to }) => to === 0)) return [g.input(0).zerosLike()];
  const changed = new Map<number, Weights>();
  for (const [axis, settings] of axes.entries()) {
    if (settings.antialias && settings.from === settings.to) continue;
    const weights =
      interpolationWeights(settings) ?? g.call.fail('its modes are not known', 'GRADIENT_UNSUPPORTED');
    if (repeatsOf(weights) !== 1) changed.set(axis, weights);
  }
  const repeats = [...changed].map(([axis, weights]) => [axis, repeatsOf(weights)] as const);
  if (repeats.every(([, times]) => times !== undefined)) {
    return [summed(g.dy, new Map(repeats as [number, number][]))];
  }
  // The last axis first: it is one product of two matrices.
  return [[...changed].reverse().reduce((dx, [axis, weights]) => weighted(dx, axis, weights), g.dy)];
};

/** How each axis is resized. */
function settingsOf(g: Differentiation): Interpolation[] {
  const { call } = g;
  const x = g.input(0);
  const axes = call.axes(call.ints('axes') ?? [...Array(x.rank).keys()], x.rank);
  const scales = scalesOf(g, axes);
  const region = call.has(1) ? call.numbers(1) : [];
  const antialias = call.int('antialias', 0) !== 0;
  const transformation = call.string('coordinate_transformation_mode', 'half_pixel');
  const isCrop = transformation === 'tf_crop_and_resize';
  if (isCrop && (region === undefined || antialias)) {
    call.fail(
      antialias ? 'a region is cut out with antialiasing' : 'the region is not known',
      'GRADIENT_UNSUPPORTED',
    );
  }
  return x.sizes.map((from, axis) => {
    const at = axes.indexOf(axis);
    return {
      from,
      to: g.dy.length(axis),
      scale: scales[axis]!,
      mode: call.string('mode', 'nearest') as Interpolation['mode'],
      transformation: at < 0 ? 'half_pixel' : transformation,
      rounding: call.string('nearest_mode', 'round_prefer_floor'),
      cubicA: call.float('cubic_coeff_a', -0.75),
      excludeOutside: call.int('exclude_outside', 0) !== 0,
      antialias,
      region: [region?.[at] ?? 0, region?.[at + axes.length] ?? 1],
    };
  });
}

/** A scale for every dimension: given, or what makes the sizes that are; in 32 bits. */
function scalesOf(g: Differentiation, axes: readonly number[]): number[] {
  const { call } = g;
  const { sizes } = g.input(0);
  const isGiven = call.has(2) && call.shape(2)?.[0] !== 0;
  const list = call.numbers(isGiven ? 2 : 3) ?? call.fail('the scales are not known', 'GRADIENT_UNSUPPORTED');
  const asked = list.map((value, i) => Math.fround(isGiven ? value : value / sizes[axes[i]!]!));
  const policy = isGiven ? 'stretch' : call.string('keep_aspect_ratio_policy', 'stretch');
  const common = policy === 'not_larger' ? Math.min(...asked) : Math.max(...asked);
  const scales = sizes.map(() => 1);
  axes.forEach((axis, i) => {
    scales[axis] = policy === 'stretch' ? asked[i]! : common;
  });
  return scales;
}

/** How often every element is repeated, if all that happens is that; 1 if nothing changes. */
function repeatsOf(weights: Weights): number | undefined {
  const from = weights[0]?.length ?? 0;
  const times = weights.length / from;
  const repeats = weights.every((row, i) =>
    row.every((weight, k) => weight === Number(k === Math.floor(i / times))),
  );
  return Number.isInteger(times) && repeats ? times : undefined;
}

/** (n · r) seen as (n, r) and summed over the repeats r. */
function summed(dy: Value, repeats: ReadonlyMap<number, number>): Value {
  const shape: number[] = [];
  const axes: number[] = [];
  dy.sizes.forEach((size, axis) => {
    const times = repeats.get(axis) ?? 1;
    shape.push(size / times);
    if (times !== 1) axes.push(shape.push(times) - 1);
  });
  return dy.reshape(shape).sum(axes);
}

/** Wᵀ·dY along an axis. */
function weighted(dy: Value, axis: number, weights: Weights): Value {
  const from = weights[0]!.length;
  const { sizes } = dy;
  const matrix = (rows: Weights): Value =>
    dy.builder.constant(rows.flat(), dy.dtype, [rows.length, rows[0]!.length]);
  if (axis === dy.rank - 1) return dy.matmul(matrix(weights));
  const transposed = matrix(weights[0]!.map((_, k) => weights.map((row) => row[k]!)));
  const behind = sizes.slice(axis + 1).reduce((n, d) => n * d, 1);
  return transposed.matmul(dy.reshape([-1, sizes[axis]!, behind])).reshape(sizes.with(axis, from));
}

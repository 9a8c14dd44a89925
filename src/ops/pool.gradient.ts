// Gradients of poolings: what comes back goes to where the maximum was, or is spread over the window.
import { geometryOf, spread } from './conv.gradient.js';
import type { Decomposition, Differentiation, GradientRule } from './gradient.js';
import { scatterElementsAdd } from './scatter-add.js';

/** The attributes that say how a window moves, as they are. */
const WINDOW = ['auto_pad', 'ceil_mode', 'dilations', 'kernel_shape', 'pads', 'strides', 'storage_order'];

function windowAttributes({ call }: Differentiation, more: readonly string[] = []) {
  const names = [...WINDOW, ...more].filter((name) => call.hasAttribute(name));
  return Object.fromEntries(names.map((name) => [name, call.node.attributes.get(name)!]));
}

/** The first of equal maxima gets it all, as in PyTorch. Where it was, a second pooling says unless the first did. */
export const maxPoolGradient: GradientRule = (g) => {
  const x = g.input(0);
  if (g.call.int('storage_order', 0) !== 0) {
    g.call.fail('indices in column-major order', 'GRADIENT_UNSUPPORTED');
  }
  const indices = g.call.wants(1)
    ? g.output(1)
    : g.builder.apply('MaxPool', [x], windowAttributes(g), { outputs: 2 })[1]!;
  const count = x.sizes.reduce((n, d) => n * d, 1);
  const flat = scatterElementsAdd([count], 0, indices.reshape([-1]), g.dy.reshape([-1]));
  return [flat.reshape(x.sizes)];
};

/**
 * Every dY over the number of elements its mean was taken of, to all elements of its window. That number depends on
 * padding and on who counts it: pooling ones tells it.
 */
export const averagePoolGradient: GradientRule = (g) => {
  const { builder, dy } = g;
  const x = g.input(0);
  const [batch, channels, ...large] = x.sizes as [number, number, ...number[]];
  const small = dy.sizes.slice(2);
  const kernel = g.call.required(g.call.ints('kernel_shape'), 'kernel_shape');
  const geometry = geometryOf(g, kernel, large, small);
  const ones = builder.full([1, 1, ...large], 1, x.dtype);
  const share = builder.op('AveragePool', [ones], windowAttributes(g, ['count_include_pad']));
  const seen = inside(geometry.begins, geometry, large, small);
  const weights = share.mul(
    builder.constant(
      seen.map((n) => 1 / n),
      x.dtype,
      [1, 1, ...small],
    ),
  );
  const images = dy.mul(weights).reshape([batch * channels, 1, ...small]);
  const window = builder.full([1, 1, ...kernel], 1, x.dtype);
  return [spread(images, window, 1, geometry, large).reshape(x.sizes)];
};

/** How many elements of the input each window sees, without padding; row-major over the positions. */
function inside(
  begins: readonly number[],
  {
    kernel,
    strides,
    dilations,
  }: { kernel: readonly number[]; strides: readonly number[]; dilations: readonly number[] },
  large: readonly number[],
  small: readonly number[],
): number[] {
  const perAxis = small.map((positions, i) =>
    Array.from({ length: positions }, (_, p) => {
      const start = p * strides[i]! - begins[i]!;
      let count = 0;
      for (let k = 0; k < kernel[i]!; k++) {
        const at = start + k * dilations[i]!;
        if (at >= 0 && at < large[i]!) count++;
      }
      return count;
    }),
  );
  return perAxis.reduce<number[]>((list, counts) => list.flatMap((n) => counts.map((c) => n * c)), [1]);
}

function spatialAxes(rank: number): number[] {
  return Array.from({ length: rank - 2 }, (_, i) => i + 2);
}

/** A mean over all positions. */
export const globalAveragePoolGradient: GradientRule = (g) => {
  const x = g.input(0);
  const positions = x.sizes.slice(2).reduce((n, d) => n * d, 1);
  return [g.dy.mul(1 / positions).expandTo(x)];
};

export const globalMaxPoolParts: Decomposition = (node) => {
  const x = node.input(0);
  return [x.reduceMax(spatialAxes(x.rank), true)];
};

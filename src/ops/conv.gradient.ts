// Gradients of convolutions, over X (N, C, …), W (M, C/group, k…), dY (N, M, …):
//
//   dX spreads every dY over the window it was computed from: a transposed convolution with the same weights.
//   dW is one product of matrices: dY as (M, N·positions) times the windows of X as (N·positions, k·C/group), so
//   that the sum over the batch happens inside it. The windows are strided slices, one for each kernel element.
//
// A transposed convolution is the same with X and Y changing places.
import type { Value } from './build.js';
import type { Differentiation, GradientRule } from './gradient.js';

/** A window's attributes as numbers, padding resolved. */
export interface Geometry {
  readonly kernel: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  /** Padding before the first element, per axis. */
  readonly begins: readonly number[];
}

/** @param small the sizes of the positions. @param large the sizes that windows slide over. */
export function geometryOf(
  g: Differentiation,
  kernel: readonly number[],
  large: readonly number[],
  small: readonly number[],
  outputPadding: readonly number[] = [],
): Geometry {
  const ones = kernel.map(() => 1);
  const [strides, dilations] = [g.call.ints('strides') ?? ones, g.call.ints('dilations') ?? ones];
  const mode = g.call.string('auto_pad', 'NOTSET');
  const pads = g.call.ints('pads') ?? [];
  const isTransposed = outputPadding.length > 0;
  const isFitted =
    mode.startsWith('SAME') || (isTransposed && (g.call.ints('output_shape')?.length ?? 0) > 0);
  const begins = kernel.map((size, i) => {
    if (mode === 'VALID' && !isFitted) return 0;
    if (!isFitted) return pads[i] ?? 0;
    const covered = (small[i]! - 1) * strides[i]! + (size - 1) * dilations[i]! + 1 + (outputPadding[i] ?? 0);
    const total = Math.max(0, covered - large[i]!);
    // Of an odd number SAME_UPPER pads the end once more; for transposed ones everything else pads the begin.
    const isLower = isTransposed ? mode !== 'SAME_UPPER' : mode === 'SAME_LOWER';
    return isLower ? Math.ceil(total / 2) : Math.floor(total / 2);
  });
  if (begins.some((p) => p < 0)) g.call.fail('windows with negative padding', 'GRADIENT_UNSUPPORTED');
  return { kernel, strides, dilations, begins };
}

/** Elements that a window's positions reach over, with its padding. */
function reach({ kernel, strides, dilations }: Geometry, small: readonly number[], axis: number): number {
  return (small[axis]! - 1) * strides[axis]! + (kernel[axis]! - 1) * dilations[axis]! + 1;
}

/** Spreads values (N, M, positions…) over what their windows cover: (N, C, large…). Weights are (M, C/group, k…). */
export function spread(
  values: Value,
  weights: Value,
  group: number,
  geometry: Geometry,
  large: readonly number[],
): Value {
  const small = values.sizes.slice(2);
  const { strides, dilations, begins, kernel } = geometry;
  // Behind the last window there may be elements that none covers, or padding.
  const ends = large.map((size, i) => reach(geometry, small, i) - size - begins[i]!);
  return values.builder.op('ConvTranspose', [values, weights], {
    group,
    strides,
    dilations,
    kernel_shape: kernel,
    pads: [...begins, ...ends.map((end) => Math.max(0, end))],
    output_padding: ends.map((end) => Math.max(0, -end)),
  });
}

/** dW (M, C/group, k…), from what windows slide over, (N, C, large…), and dY (N, M, positions…). */
function weightGradient(x: Value, dy: Value, group: number, geometry: Geometry): Value {
  const { builder } = x;
  const { kernel, strides, dilations, begins } = geometry;
  const [batch, channels, ...large] = x.sizes as [number, number, ...number[]];
  const [, outputs, ...small] = dy.sizes as [number, number, ...number[]];
  const front = [1, 0, ...large.map((_, i) => i + 2)];
  const positions = batch * small.reduce((n, d) => n * d, 1);
  const rows = (v: Value, count: number): Value =>
    v.reshape(group === 1 ? [count, positions] : [group, count / group, positions]);
  const ends = large.map((size, i) => Math.max(0, reach(geometry, small, i) - size - begins[i]!));
  const turned = x.transpose(front).pad([0, 0, ...begins, 0, 0, ...ends]);
  const axes = large.map((_, i) => i + 2);
  const windows = offsets(kernel).map((offset) => {
    const starts = offset.map((o, i) => o * dilations[i]!);
    const stops = starts.map((start, i) => start + (small[i]! - 1) * strides[i]! + 1);
    const isAll = starts.every((start, i) => start === 0 && stops[i] === turned.sizes[i + 2]);
    const isDense = strides.every((s) => s === 1);
    if (isAll && isDense) return rows(turned, channels);
    return rows(turned.slice(starts, stops, axes, isDense ? undefined : strides), channels);
  });
  const columns = builder.concat(windows, group === 1 ? 0 : 1);
  const product = rows(dy.transpose(front), outputs).matmul(columns.transposeLast());
  const perGroup = channels / group;
  const turnedBack = product.reshape([outputs, windows.length, perGroup]).transpose([0, 2, 1]);
  return turnedBack.reshape([outputs, perGroup, ...kernel]);
}

/** All positions in a kernel, row-major. */
function offsets(kernel: readonly number[]): number[][] {
  return kernel.reduce<number[][]>(
    (list, size) => list.flatMap((head) => Array.from({ length: size }, (_, i) => [...head, i])),
    [[]],
  );
}

function biasGradient(dy: Value): Value {
  return dy.sum(dy.sizes.flatMap((_, i) => (i === 1 ? [] : [i])));
}

export const convGradient: GradientRule = (g) => {
  const [x, weights] = [g.input(0), g.input(1)];
  const group = g.call.int('group', 1);
  const large = x.sizes.slice(2);
  const geometry = geometryOf(g, weights.sizes.slice(2), large, g.dy.sizes.slice(2));
  return [
    g.when(0, () => spread(g.dy, weights, group, geometry, large)),
    g.when(1, () => weightGradient(x, g.dy, group, geometry)),
    g.when(2, () => biasGradient(g.dy)),
  ];
};

export const convTransposeGradient: GradientRule = (g) => {
  const [x, weights, { dy }] = [g.input(0), g.input(1), g];
  const group = g.call.int('group', 1);
  const kernel = weights.sizes.slice(2);
  const large = dy.sizes.slice(2);
  const small = x.sizes.slice(2);
  const outputPadding = g.call.ints('output_padding') ?? [];
  const padding = kernel.map((_, i) => outputPadding[i] ?? 0);
  const geometry = geometryOf(g, kernel, large, small, padding);
  const ends = large.map((size, i) => Math.max(0, reach(geometry, small, i) - size - geometry.begins[i]!));
  return [
    g.when(0, () =>
      g.builder
        .op('Conv', [dy, weights], {
          group,
          strides: geometry.strides,
          dilations: geometry.dilations,
          kernel_shape: kernel,
          pads: [...geometry.begins, ...ends],
        })
        .slice(
          small.map(() => 0),
          small,
          small.map((_, i) => i + 2),
        ),
    ),
    g.when(1, () => weightGradient(dy, x, group, geometry)),
    g.when(2, () => biasGradient(dy)),
  ];
};

// Gradients of convolutions, with Y = Conv(X, W): X (N, C, …), W (O, C/g, k…), Y (N, O, …), g groups.
//
//   dX[n, c, s·t + d·i − p] += Σ over o of W[o, c, i] · dY[n, o, t]
//   dW[o, c, i]              = Σ over n, t of dY[n, o, t] · X[n, c, s·t + d·i − p]
//
// for positions t and kernel elements i, with stride s, dilation d and padding p. A transposed convolution is one
// read backwards, Y = dX(X, W): so its dX is Conv(dY, W), and its dW that of a Conv which got dY and gave X.
//
// Several ways lead to each. Which one is taken depends on the shape alone; the thresholds were measured with
// ONNX Runtime on a CPU, with the weights among the inputs, on layers of ResNet, MobileNet and ConvNeXt.
import type { Value } from './build.js';
import type { Differentiation, GradientRule } from './gradient.js';
import { type PlacedAxis, padAxes, place, sizesAfterBatch, underKernel } from './window.gradient.js';
import { kernelOf, perAxis, windowOf } from './window.js';

/** Below this a matrix of C rows is too flat for a matrix product of its own. */
const FEW_CHANNELS = 8;
/** Kernels with more elements than this are not taken apart into their elements. */
const MANY_ELEMENTS = 64;

interface Convolution {
  readonly axes: readonly PlacedAxis[];
  readonly group: number;
  /** C */
  readonly channels: number;
  /** O */
  readonly filters: number;
  readonly kernel: readonly number[];
  /** k1 · … · kn */
  readonly kernelSize: number;
}

export const convGradient: GradientRule = (g) => {
  const [x, w, dy] = [g.input(0), g.input(1), g.dy];
  const conv = describe(g, x, w, dy);
  return [
    g.when(0, () => inputGradient(conv, dy, w)),
    g.when(1, () => weightGradient(conv, x, dy)),
    g.when(2, () => biasGradient(dy)),
  ];
};

export const convTransposeGradient: GradientRule = (g) => {
  const [x, w, dy] = [g.input(0), g.input(1), g.dy];
  const fromSizes = g.call.ints('output_shape')?.length || /^SAME/.test(g.call.string('auto_pad', ''));
  const spare = fromSizes ? perAxis(g.call, 'output_padding', x.rank - 2, 0) : undefined;
  const conv = describe(g, dy, w, x, spare);
  return [
    g.when(0, () => convolve(dy, w, conv.axes, conv.group)),
    g.when(1, () => weightGradient(conv, dy, x)),
    g.when(2, () => biasGradient(dy)),
  ];
};

/** @param input what the convolution slides over, (N, C, …); @param output what it gives, (N, O, …) */
function describe(
  g: Differentiation,
  input: Value,
  weights: Value,
  output: Value,
  spare?: readonly number[],
): Convolution {
  const { call } = g;
  const [channels, ...sizes] = sizesAfterBatch(input);
  const [filters, ...positions] = sizesAfterBatch(output);
  const window = windowOf(call, kernelOf(call, weights.shape)!);
  const axes = place(call, { window, sizes, positions, ...(spare && { spare }) });
  const kernel = axes.map((axis) => axis.kernel);
  const kernelSize = product(kernel);
  return { axes, group: call.int('group', 1), channels: channels!, filters: filters!, kernel, kernelSize };
}

function biasGradient(dy: Value): Value {
  return dy.sum([0, ...Array.from({ length: dy.rank - 2 }, (_, i) => i + 2)]);
}

// Convolutions -------------------------------------------------------------------------------------------------

interface ConvAxis {
  readonly stride: number;
  readonly dilation: number;
  readonly begin: number;
  readonly end: number;
}

/** Conv; negative padding, which ONNX does not know, takes elements away. */
function convolve(x: Value, w: Value, axes: readonly ConvAxis[], group: number): Value {
  const [begins, ends] = [axes.map((axis) => axis.begin), axes.map((axis) => axis.end)];
  const cut = (pads: readonly number[]): number[] => pads.map((p) => Math.min(0, p));
  return x.builder.op('Conv', [padAxes(x, 2, cut(begins), cut(ends)), w], {
    strides: axes.map((axis) => axis.stride),
    dilations: axes.map((axis) => axis.dilation),
    pads: [...begins, ...ends].map((p) => Math.max(0, p)),
    group,
  });
}

/**
 * dX. With stride 1 it is a Conv of dY with the kernels reversed, and input and output channels swapped: that
 * takes as long as the forward one. Larger strides need ConvTranspose, and few channels run faster with it.
 */
function inputGradient(conv: Convolution, dy: Value, w: Value): Value {
  const { axes, group, channels } = conv;
  const isDense = axes.every((axis) => axis.stride === 1) && (group > 1 || channels >= FEW_CHANNELS);
  if (isDense) return reversedConv(conv, dy, w);
  return dy.builder.op('ConvTranspose', [dy, w], {
    strides: axes.map((axis) => axis.stride),
    dilations: axes.map((axis) => axis.dilation),
    pads: [...axes.map((axis) => axis.begin), ...axes.map((axis) => Math.max(0, axis.end))],
    output_padding: axes.map((axis) => Math.max(0, -axis.end)),
    group,
  });
}

function reversedConv(conv: Convolution, dy: Value, w: Value): Value {
  const { axes, group, channels, filters, kernel, kernelSize } = conv;
  const flat = w.reshape([filters, channels / group, kernelSize]);
  const weights = (of: Value): Value =>
    swapChannels(of, group).reshape([channels, filters / group, ...kernel]);
  const forwards = axes.map(({ dilation, span, size, positions, begin }): ConvAxis => {
    const before = span - 1 - begin;
    return { stride: 1, dilation, begin: before, end: size + span - 1 - positions - before };
  });
  // Reversed in all of dY, W and dX is reversed in none: of two ways the one with fewer elements to reverse.
  const moved = axes.reduce(
    (n, { size, positions }) => [n[0]! * size, n[1]! * positions],
    [channels, filters],
  );
  const batch = dy.shape[0]!;
  const isSmaller = typeof batch === 'number' && batch * (moved[0]! + moved[1]!) < product(w.sizes);
  if (kernelSize === 1) return convolve(dy, weights(flat), forwards, group);
  if (!isSmaller) return convolve(dy, weights(reverseLast(flat)), forwards, group);
  const backwards = forwards.map((axis) => ({ ...axis, begin: axis.end, end: axis.begin }));
  return reverseSpatial(convolve(reverseSpatial(dy), weights(flat), backwards, group));
}

/** (O, C/g, k) to (C, O/g, k). */
function swapChannels(weights: Value, group: number): Value {
  const [filters, perGroup, size] = weights.sizes as [number, number, number];
  if (filters === group && perGroup === 1) return weights;
  if (group === 1) return weights.transpose([1, 0, 2]);
  return weights
    .reshape([group, filters / group, perGroup, size])
    .transpose([0, 2, 1, 3])
    .reshape([group * perGroup, filters / group, size]);
}

function reverseLast(value: Value): Value {
  const last = value.rank - 1;
  return value.slice([-1], [-1 - product(sizesAfterBatch(value).slice(-1))], [last], [-1]);
}

/** (N, C, …) with every spatial axis reversed, which is their elements in row-major order reversed. */
function reverseSpatial(value: Value): Value {
  const [channels, ...sizes] = sizesAfterBatch(value);
  return reverseLast(value.reshape([-1, channels!, product(sizes)])).reshape([-1, channels!, ...sizes]);
}

// Weights ------------------------------------------------------------------------------------------------------

function weightGradient(conv: Convolution, x: Value, dy: Value): Value {
  return wayToWeights(conv)(conv, x, dy).reshape([conv.filters, conv.channels / conv.group, ...conv.kernel]);
}

type WeightGradient = (conv: Convolution, x: Value, dy: Value) => Value;

function wayToWeights({ axes, group, channels, filters, kernelSize }: Convolution): WeightGradient {
  const isTiling = axes.every((axis) => axis.stride === axis.kernel && axis.dilation === 1);
  if (group === 1 && kernelSize > 1 && isTiling) return byTiles;
  if (kernelSize > MANY_ELEMENTS) return byConvolution;
  if (group === channels && group === filters) return byProducts;
  return group === 1 && channels >= FEW_CHANNELS ? byElement : byColumns;
}

/**
 * Windows side by side (patches): X is cut into them, (N·T, C·k) where T are the positions, and
 * dW (O, C·k) = dY (O, N·T) · X.
 */
function byTiles(conv: Convolution, x: Value, dy: Value): Value {
  const { axes, channels, kernelSize } = conv;
  const cut = axes.flatMap((axis) => [axis.positions, axis.kernel]);
  const perm = [0, ...axes.map((_, i) => 2 + 2 * i), 1, ...axes.map((_, i) => 3 + 2 * i)];
  const windows = pad(conv, x, 2)
    .reshape([-1, channels, ...cut])
    .transpose(perm);
  return rowPerFilter(conv, dy).matmul(windows.reshape([-1, channels * kernelSize]));
}

/** Per element i of the kernel, dW[i] (O, C) = dY (O, N·T) · X[i] (N·T, C) with what lies under i: no copy of X k times. */
function byElement(conv: Convolution, x: Value, dy: Value): Value {
  const { channels, filters } = conv;
  const rows = rowPerFilter(conv, dy);
  const under = underKernel(pad(conv, channelsLast(x), 1), 1, conv.axes);
  return stack(
    under.map((seen) => rows.matmul(seen.reshape([-1, channels])).reshape([1, filters * channels])),
  );
}

/** Depthwise: per element i of the kernel, dW[i] (C) is the sum of dY · X[i], the channels last. */
function byProducts(conv: Convolution, x: Value, dy: Value): Value {
  const [input, output] = [channelsLast(x), channelsLast(dy)];
  const axes = Array.from({ length: x.rank - 1 }, (_, i) => i);
  const under = underKernel(pad(conv, input, 1), 1, conv.axes);
  return stack(under.map((seen) => seen.mul(output).sum(axes, true).reshape([1, conv.channels])));
}

/** Per group, dW (O/g, C/g·k) = dY (O/g, N·T) · Xᵀ, where X (C/g·k, N·T) holds what lies under each element. */
function byColumns(conv: Convolution, x: Value, dy: Value): Value {
  const { group, channels, filters, kernelSize } = conv;
  const under = underKernel(pad(conv, batchSecond(x), 2), 2, conv.axes);
  const columns = x.builder.concat(
    under.map((seen) => seen.reshape([channels, 1, -1])),
    1,
  );
  const perGroup = (value: Value, rows: number): Value =>
    value.reshape(group === 1 ? [rows, -1] : [group, rows / group, -1]);
  const rows = perGroup(batchSecond(dy), filters);
  return rows.matmul(perGroup(columns, channels * kernelSize).transposeLast());
}

/** One Conv that slides dY over X, batch and channels swapped, stride and dilation as well. */
function byConvolution(conv: Convolution, x: Value, dy: Value): Value {
  const { axes, group, channels } = conv;
  const sizes = sizesAfterBatch(x).slice(1);
  const spatial = sizes.map((_, i) => i + 3);
  const input =
    group === 1
      ? batchSecond(x)
      : x
          .reshape([-1, group, channels / group, ...sizes])
          .transpose([2, 1, 0, ...spatial])
          .reshape([channels / group, -1, ...sizes]);
  const swapped = axes.map((axis) => ({ ...axis, stride: axis.dilation, dilation: axis.stride }));
  return batchSecond(convolve(input, batchSecond(dy), swapped, group));
}

/** As much of X as the windows see, zeros around it. */
function pad({ axes }: Convolution, x: Value, first: number): Value {
  return padAxes(
    x,
    first,
    axes.map((axis) => axis.begin),
    axes.map((axis) => axis.end),
  );
}

/** (N, O, …) to (O, N·T). */
function rowPerFilter({ filters }: Convolution, dy: Value): Value {
  return batchSecond(dy).reshape([filters, -1]);
}

/** (N, C, …) to (C, N, …) or back. */
function batchSecond(value: Value): Value {
  return value.transpose([1, 0, ...Array.from({ length: value.rank - 2 }, (_, i) => i + 2)]);
}

/** (N, C, …) to (N, …, C). A transposition of two axes is much faster than one of more. */
function channelsLast(value: Value): Value {
  const [channels, ...sizes] = sizesAfterBatch(value);
  const isFlat = sizes.length === 1;
  const flat = isFlat ? value : value.reshape([-1, channels!, product(sizes)]);
  const last = flat.transpose([0, 2, 1]);
  return isFlat ? last : last.reshape([-1, ...sizes, channels!]);
}

/** Rows (1, n), one per element of the kernel, to (n, k). */
function stack(rows: readonly Value[]): Value {
  return rows.length === 1 ? rows[0]! : rows[0]!.builder.concat(rows, 0).transpose();
}

function product(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a * b, 1);
}

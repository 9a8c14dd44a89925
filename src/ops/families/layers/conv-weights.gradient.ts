// dW of a convolution, for X (N, C, …) and dY (N, O, …) with T positions:
//
//   dW[o, c, i] = Σ over n, t of dY[n, o, t] · X[n, c, s·t + d·i − p]
//
// the sum over the batch being part of a matrix product or convolution wherever there is one. Several ways lead
// there. Which one is fast depends on the shape; with ONNX Runtime on a CPU, for layers like those of ResNet,
// MobileNet, ConvNeXt and ViT, it was this one:
//
//   1 group, at least 8 channels    one element of the kernel: byImages; up to 64: byElement
//   as many groups as channels      fewer than 16: byProducts
//   other groups, fewer channels    fewer than 16: byColumns
//   all                             more elements: byConvolution
//
// What runs once is compiled for longer than it runs, and so does best with few nodes: byUnfolding instead of the first
// three. Where there are blocked kernels, bySliding or another way in blocks comes before all of these.
import type { Builder, Value } from '../../build.js';
import { OWN_DOMAIN } from '../../operator.js';
import { sizeOf } from '../arrays/data-movement.js';
import { isDepthwise } from './blocked-conv.js';
import { wayInBlocks } from './blocked-weights.gradient.js';
import type { Convolution } from './placed-convolution.js';
import { bySliding, isSliding } from './sliding-weights.gradient.js';
import { convolve, type PlacedAxis, padAxes, sizesAfterBatch, underKernel } from './window.gradient.js';

/** Fewer make matrices too flat for products of their own. */
export const FEW_CHANNELS = 8;

/** The operator of our own that is dW(X, dY): see conv-weights.ts. */
export const WEIGHT_GRADIENT = 'ConvWeightGradient';

/** dW (O, C/g, k1, …, kn). */
export function weightGradient(conv: Convolution, x: Value, dy: Value): Value {
  return x.builder.isDifferentiatedAgain ? asOneNode(conv, x, dy) : writtenWeightGradient(conv, x, dy);
}

function asOneNode({ axes, group }: Convolution, x: Value, dy: Value): Value {
  const ints = (of: (axis: PlacedAxis) => number) => ({ type: 'ints', value: axes.map(of) }) as const;
  const attributes = {
    kernel: ints((axis) => axis.kernel),
    stride: ints((axis) => axis.stride),
    dilation: ints((axis) => axis.dilation),
    begin: ints((axis) => axis.begin),
    end: ints((axis) => axis.end),
    group: { type: 'int', value: group },
  } as const;
  return x.builder.apply(WEIGHT_GRADIENT, [x, dy], attributes, { domain: OWN_DOMAIN })[0]!;
}

/** dW in operators that runtimes have. */
export function writtenWeightGradient(conv: Convolution, x: Value, dy: Value): Value {
  const { kernel, group, channels, filters } = conv;
  return wayTo(conv, x)(conv, x, dy).reshape([filters, channels / group, ...kernel]);
}

function wayTo(conv: Convolution, x: Value): typeof writtenWeightGradient {
  const { kernelSize, group, channels } = conv;
  if (isSliding(conv, x)) return bySliding;
  const inBlocks = wayInBlocks(conv, x);
  const isUnfolded = x.builder.runsOnce && kernelSize < 16 && typeof x.size(0) === 'number';
  if (inBlocks && (!isUnfolded || isDepthwise(conv))) return inBlocks;
  if (isUnfolded) return byUnfolding;
  const isDense = group === 1 && channels >= FEW_CHANNELS;
  if (isDense && kernelSize === 1) return byImages;
  if (isDense && kernelSize <= 64) return byElement;
  if (kernelSize >= 16) return byConvolution;
  return isDepthwise(conv) ? byProducts : byColumns;
}

/** Fewer positions of an image make products whose results take longer to write than to compute. */
const MANY_POSITIONS = 128;

/** For kernels of one element: dW (O, C) = dY (O, T) · Xᵀ for every image, or for all together, where X (C, T) is what lies under it. */
function byImages(conv: Convolution, x: Value, dy: Value): Value {
  const { axes, channels, filters } = conv;
  const [seen] = underEach(conv, x, 2) as [Value];
  const positions = sizeOf(axes.map((axis) => axis.positions));
  if (positions < MANY_POSITIONS) {
    const matrix = (value: Value, rows: number): Value => batchSecond(value).reshape([rows, -1]);
    return matrix(dy, filters).matmul(matrix(seen, channels).transposeLast());
  }
  const matrices = (value: Value, rows: number): Value => value.reshape([-1, rows, positions]);
  return matrices(dy, filters).matmul(matrices(seen, channels).transposeLast()).sum([0]);
}

/** Per element i of the kernel, dW[i] (O, C) = dY (O, N·T) · X[i] (N·T, C), where X[i] is what lies under it. */
function byElement(conv: Convolution, x: Value, dy: Value): Value {
  const { channels, filters } = conv;
  const rows = batchSecond(dy).reshape([filters, -1]);
  return perElement(underEach(conv, channelsLast(x), 1), (seen) =>
    rows.matmul(seen.reshape([-1, channels])).reshape([1, filters * channels]),
  );
}

/** Depthwise: per element i of the kernel, dW[i] (C) is the sum of dY · X[i] over all but the channels. */
function byProducts(conv: Convolution, x: Value, dy: Value): Value {
  const output = channelsLast(dy);
  const axes = Array.from({ length: x.rank - 1 }, (_, i) => i);
  return perElement(underEach(conv, channelsLast(x), 1), (seen) =>
    seen.mul(output).sum(axes).reshape([1, conv.channels]),
  );
}

/** Per group, dW (O/g, C/g·k) = dY (O/g, N·T) · Xᵀ, where X (C/g·k, N·T) holds what lies under every element. */
function byColumns(conv: Convolution, x: Value, dy: Value): Value {
  const { group, channels, filters, kernelSize } = conv;
  const under = underEach(conv, batchSecond(x), 2).map((seen) => seen.reshape([channels, 1, -1]));
  const matrix = (value: Value, rows: number): Value =>
    value.reshape(group === 1 ? [rows, -1] : [group, rows / group, -1]);
  const columns = matrix(x.builder.concat(under, 1), channels * kernelSize);
  return matrix(batchSecond(dy), filters).matmul(columns.transposeLast());
}

/** Per sample and group, dW (O/g, C/g·k) = dY (O/g, T) · Xᵀ, where one Conv puts what lies under every element into X. */
function byUnfolding(
  { axes, kernel, kernelSize, group, channels, filters }: Convolution,
  x: Value,
  dy: Value,
): Value {
  const isWhole = axes.every((a) => a.kernel === 1 && a.stride === 1 && a.begin === 0 && a.end === 0);
  const columns = isWhole ? x : convolve(x, oneForEach(x, channels, kernel), axes, channels);
  const batch = x.length(0);
  const matrix = (value: Value, rows: number): Value => value.reshape([batch, group, rows / group, -1]);
  const product = matrix(dy, filters).matmul(matrix(columns, channels * kernelSize).transposeLast());
  return product.sum([0]);
}

const written = new WeakMap<Builder, Map<string, Value>>();

/** For every channel as many kernels as they have elements, each of them 1 at another one and 0 elsewhere. */
function oneForEach({ builder, dtype }: Value, channels: number, kernel: readonly number[]): Value {
  const kernels = written.get(builder) ?? new Map<string, Value>();
  written.set(builder, kernels);
  const dims = [channels * sizeOf(kernel), 1, ...kernel];
  let found = kernels.get(`${dtype} ${dims}`);
  if (found === undefined) {
    const size = sizeOf(kernel);
    const values = new Float32Array(channels * size * size);
    for (let row = 0; row < channels * size; row++) values[row * size + (row % size)] = 1;
    found = builder.constant(values, dtype, dims);
    kernels.set(`${dtype} ${dims}`, found);
  }
  return found;
}

/** One Conv that slides dY over X, batch and channels changing places, and so stride and dilation. */
function byConvolution(conv: Convolution, x: Value, dy: Value): Value {
  const { axes, group, channels } = conv;
  const sizes = sizesAfterBatch(x).slice(1);
  // (N, C, …) to (C/g, g·N, …).
  const input =
    group === 1
      ? batchSecond(x)
      : x
          .reshape([-1, group, channels / group, ...sizes])
          .transpose([2, 1, 0, ...sizes.map((_, i) => i + 3)])
          .reshape([channels / group, -1, ...sizes]);
  const swapped = axes.map((axis) => ({ ...axis, stride: axis.dilation, dilation: axis.stride }));
  return batchSecond(convolve(input, batchSecond(dy), swapped, group));
}

/** What lies under each element of the kernel. @param first where the spatial axes of X begin. */
function underEach({ axes }: Convolution, x: Value, first: number): Value[] {
  const begins = axes.map((axis) => axis.begin);
  const ends = axes.map((axis) => Math.max(0, axis.end));
  return underKernel(padAxes(x, first, begins, ends), first, axes);
}

/** A row (1, n) for each element of the kernel, to (n, k). */
function perElement(under: readonly Value[], row: (seen: Value) => Value): Value {
  const rows = under.map(row);
  return rows.length === 1 ? rows[0]! : rows[0]!.builder.concat(rows, 0).transpose();
}

/** (N, C, …) to (C, N, …) or back. */
function batchSecond(value: Value): Value {
  return value.transpose([1, 0, ...Array.from({ length: value.rank - 2 }, (_, i) => i + 2)]);
}

/** (N, C, …) to (N, …, C). Transposing two axes is several times faster than more of them. */
function channelsLast(value: Value): Value {
  const [channels, ...sizes] = sizesAfterBatch(value) as [number, ...number[]];
  if (sizes.length === 1) return value.transpose([0, 2, 1]);
  const flat = value.reshape([-1, channels, sizeOf(sizes)]);
  return flat.transpose([0, 2, 1]).reshape([-1, ...sizes, channels]);
}

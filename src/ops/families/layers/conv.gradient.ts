// Gradients of convolutions, with Y = Conv(X, W): X (N, C, …), W (O, C/g, k…), Y (N, O, …), g groups.
//
//   dX[n, c, s·t + d·i − p] = Σ over o, i of W[o, c, i] · dY[n, o, t]
//   dW[o, c, i]             = Σ over n, t of dY[n, o, t] · X[n, c, s·t + d·i − p]
//
// for positions t and kernel elements i, with stride s, dilation d and padding p. A transposed convolution is one
// read backwards, Y = dX(X, W): so its dX is Conv(dY, W), and its dW that of a Conv which got dY and gave X.
import type { Value } from '../../build.js';
import type { GradientRule } from '../../gradient.js';
import { sizeOf } from '../arrays/data-movement.js';
import { convolvedByPlanes, isBlocked, reversedBlocked } from './blocked-conv.js';
import { FEW_CHANNELS, weightGradient } from './conv-weights.gradient.js';
import { type Convolution, describe } from './placed-convolution.js';
import { type ConvAxis, convolve, convolveTransposed, sizesAfterBatch } from './window.gradient.js';
import { perAxis } from './window.js';

export const convGradient: GradientRule = (g) => {
  const [x, w, dy] = [g.input(0), g.input(1), g.dy];
  const conv = describe(g.call, x, w, dy);
  return [
    g.when(0, () => inputGradient(conv, dy, w)),
    g.when(1, () => weightGradient(conv, x, dy)),
    g.when(2, () => biasGradient(dy)),
  ];
};

export const convTransposeGradient: GradientRule = (g) => {
  const [x, w, dy] = [g.input(0), g.input(1), g.dy];
  const isFitted = g.call.ints('output_shape')?.length || /^SAME/.test(g.call.string('auto_pad', ''));
  const spare = isFitted ? perAxis(g.call, 'output_padding', x.rank - 2, 0) : undefined;
  const conv = describe(g.call, dy, w, x, spare);
  return [
    g.when(0, () => convolve(dy, w, conv.axes, conv.group)),
    g.when(1, () => weightGradient(conv, dy, x)),
    g.when(2, () => biasGradient(dy)),
  ];
};

function biasGradient(dy: Value): Value {
  return dy.sum([0, ...Array.from({ length: dy.rank - 2 }, (_, i) => i + 2)]);
}

/**
 * dX. With stride 1 it is a Conv of dY with the kernels reversed, and input and output channels swapped: that
 * takes as long as the forward one. Larger strides need ConvTranspose, and few channels run faster with it.
 */
export function inputGradient(conv: Convolution, dy: Value, w: Value): Value {
  const { axes, group, channels } = conv;
  const isDense = axes.every((axis) => axis.stride === 1) && (group > 1 || channels >= FEW_CHANNELS);
  return isDense ? reversedConv(conv, dy, w) : convolveTransposed(dy, w, axes, group);
}

function reversedConv(conv: Convolution, dy: Value, w: Value): Value {
  const { axes, group, channels, filters, kernel, kernelSize } = conv;
  const padded = axes.map(({ dilation, span, size, positions, begin }): ConvAxis => {
    const before = span - 1 - begin;
    return { stride: 1, dilation, begin: before, end: size + span - 1 - positions - before };
  });
  const { channelBlock } = dy.builder;
  const swapped = { ...conv, channels: filters, filters: channels };
  if (isBlocked(swapped, dy, channelBlock)) {
    const blocked = reversedBlocked(conv, dy, w, padded);
    if (blocked) return blocked;
  }
  const flat = w.reshape([filters, channels / group, kernelSize]);
  const weights = (forward: Value): Value =>
    swapChannels(forward, group).reshape([channels, filters / group, ...kernel]);
  if (kernelSize === 1) return convolve(dy, weights(flat), padded, group);
  if (axes.length === 3) {
    const volumes = convolvedByPlanes(swapped, dy, weights(reverseLast(flat)), padded);
    if (volumes) return volumes;
  }
  // To reverse dY and dX comes to the same as to reverse W; fewer elements are faster.
  const batch = dy.size(0);
  const seen = channels * sizeOf(axes.map((axis) => axis.size));
  const given = filters * sizeOf(axes.map((axis) => axis.positions));
  if (typeof batch !== 'number' || batch * (seen + given) >= sizeOf(w.sizes)) {
    return convolve(dy, weights(reverseLast(flat)), padded, group);
  }
  const mirrored = padded.map((axis) => ({ ...axis, begin: axis.end, end: axis.begin }));
  return reverseSpatial(convolve(reverseSpatial(dy), weights(flat), mirrored, group));
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
  return value.slice([-1], [-1 - value.length(-1)], [value.rank - 1], [-1]);
}

/** (N, C, …) with every spatial axis reversed, which is their elements in row-major order reversed. */
function reverseSpatial(value: Value): Value {
  const [channels, ...sizes] = sizesAfterBatch(value) as [number, ...number[]];
  return reverseLast(value.reshape([-1, channels, sizeOf(sizes)])).reshape([-1, channels, ...sizes]);
}

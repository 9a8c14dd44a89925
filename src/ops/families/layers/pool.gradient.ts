// Gradients of poolings: what comes back goes to where the maximum was, or is spread over the window.
import type { AttributeValues, Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';
import type { Call } from '../../operator.js';
import { sizeOf } from '../arrays/data-movement.js';
import { convolveTransposed, type PlacedAxis, place, sizesAfterBatch } from './window.gradient.js';
import { windowOf } from './window.js';

/** Attributes that say which elements a window sees. */
const WINDOW = ['auto_pad', 'ceil_mode', 'dilations', 'kernel_shape', 'pads', 'strides'];
/** The opset since which ScatterElements can add. */
const ADDS_SINCE = 16;

function windowAttributes({ call }: Differentiation): AttributeValues {
  return Object.fromEntries(WINDOW.map((name) => [name, call.node.attributes.get(name)]));
}

function placed(g: Differentiation): PlacedAxis[] {
  return placedPool(g.call, g.input(0), g.dy);
}

/** The axes of a pooling. */
export function placedPool(call: Call, x: Value, y: Value): PlacedAxis[] {
  const window = windowOf(call, call.required(call.ints('kernel_shape'), 'kernel_shape'));
  const [, ...sizes] = sizesAfterBatch(x);
  const [, ...positions] = sizesAfterBatch(y);
  return place(call, { window, sizes, positions });
}

// Maxima -------------------------------------------------------------------------------------------------------

/** The first of equal maxima gets it all, as in PyTorch. Where it was, a second pooling says unless the first did. */
export const maxPoolGradient: GradientRule = (g) => {
  const x = g.input(0);
  const isTold = g.call.wants(1) && g.call.int('storage_order', 0) === 0;
  const indices = isTold
    ? g.output(1)
    : g.builder.apply('MaxPool', [x], windowAttributes(g), { outputs: 2 })[1]!;
  const zeros = x.zerosLike().reshape([-1]);
  const scatter = (from: (v: Value) => Value, reduction?: string): Value => {
    const inputs = [zeros, from(indices).reshape([-1]), from(g.dy).reshape([-1])];
    return g.builder.op('ScatterElements', inputs, { axis: 0, reduction });
  };
  const flat =
    g.builder.opset >= ADDS_SINCE
      ? scatter((all) => all, 'add')
      : g.builder.sum(apart(placed(g)).map((some) => scatter(some)));
  return [flat.reshapeTo(x)];
};

/** Of all positions those that have no element in common, so that none is hit twice: enough such choices for all. */
function apart(axes: readonly PlacedAxis[]): ((all: Value) => Value)[] {
  const spacing = axes.map(({ span, stride, positions }) => Math.min(positions, Math.ceil(span / stride)));
  if (spacing.every((n) => n === 1)) return [(all) => all];
  const spatial = axes.map((_, i) => i + 2);
  const ends = axes.map((axis) => axis.positions);
  let starts: number[][] = [[]];
  for (const n of spacing) starts = starts.flatMap((s) => Array.from({ length: n }, (_, i) => [...s, i]));
  return starts.map((start) => (all) => all.slice(start, ends, spatial, spacing));
}

/** One window over everything: the first of equal maxima gets it all. */
export const globalMaxPoolGradient: GradientRule = (g) => {
  const x = g.input(0);
  const [channels, ...sizes] = sizesAfterBatch(x) as [number, ...number[]];
  const flat = x.reshape([-1, channels, sizeOf(sizes)]);
  const first = g.builder.op('ArgMax', [flat], { axis: 2 });
  const inputs = [flat.zerosLike(), first, g.dy.reshape([-1, channels, 1])];
  return [g.builder.op('ScatterElements', inputs, { axis: 2 }).reshapeTo(x)];
};

/** What was put to indices of Y, flat, is taken from there. */
export const maxUnpoolGradient: GradientRule = (g) => [g.dy.reshape([-1]).gather(g.input(1))];

// Means and norms ----------------------------------------------------------------------------------------------

/** Every dY, over the number of elements its mean was taken of, to all elements of its window. */
export const averagePoolGradient: GradientRule = (g) => {
  const axes = placed(g);
  const counts = axes.map((axis, i) => elementCounts(g.call, axis, i));
  if (counts.every((list) => list.every((n) => n === list[0]))) {
    return [spread(g.dy, axes, 1 / sizeOf(counts.map((list) => list[0]!)))];
  }
  let shares = [1];
  for (const list of counts) shares = shares.flatMap((share) => list.map((n) => share / n));
  const dims = [1, 1, ...axes.map((axis) => axis.positions)];
  return [spread(g.dy.mul(g.builder.constant(shares, g.dy.dtype, dims)), axes)];
};

/** Over how many elements of an axis each position takes its mean: padding counts if it is said to. */
export function elementCounts(call: Call, axis: PlacedAxis, index: number): number[] {
  const { kernel, stride, dilation, begin, size, positions } = axis;
  const countsPadding = call.int('count_include_pad', 0) !== 0;
  const pads = call.string('auto_pad', 'NOTSET') === 'NOTSET' ? (call.ints('pads') ?? []) : undefined;
  const behind = pads === undefined ? Math.max(0, axis.end) : (pads[pads.length / 2 + index] ?? 0);
  const [from, to] = countsPadding ? [-begin, size + behind] : [0, size];
  return Array.from({ length: positions }, (_, t) => {
    const seen = Array.from({ length: kernel }, (_, i) => t * stride + i * dilation - begin);
    return seen.filter((at) => at >= from && at < to).length;
  });
}

/** Every position's value, times a factor, to all elements of its window; summed where windows overlap. */
function spread(values: Value, axes: readonly PlacedAxis[], factor = 1): Value {
  const { builder } = values;
  const kernel = axes.map((axis) => axis.kernel);
  // With stride 1 the positions that see an element are a window themselves.
  if (axes.every(({ stride, dilation }) => stride === 1 && dilation === 1)) {
    const pads = [...axes.map((a) => a.kernel - 1 - a.begin), ...axes.map((a) => a.kernel - 1 - a.end)];
    const mean = builder.op('AveragePool', [values], { kernel_shape: kernel, pads, count_include_pad: 1 });
    return mean.mul(sizeOf(kernel) * factor);
  }
  const channels = sizesAfterBatch(values)[0]!;
  const weights = builder.full([channels, 1, ...kernel], factor, values.dtype);
  return convolveTransposed(values, weights, axes, channels);
}

export const globalAveragePoolGradient: GradientRule = (g) => {
  const x = g.input(0);
  const [, ...sizes] = sizesAfterBatch(x);
  return [g.dy.mul(1 / sizeOf(sizes)).expandTo(x)];
};

/**
 * Y = (Σ |X|^p)^(1/p), so dX = sign(X)·|X|^(p−1) · dY/Y^(p−1), the second factor spread over the window. Where Y is
 * 0 so is X, and dX.
 */
function normGradient(toWindow: (g: Differentiation, values: Value) => Value): GradientRule {
  return (g) => {
    const [x, y] = [g.input(0), g.output(0)];
    const p = g.call.int('p', 2);
    if (p === 1) return [x.sign().mul(toWindow(g, g.dy))];
    const norm = g.builder.where(y.equal(0), 1, y);
    const share = g.dy.div(p === 2 ? norm : norm.pow(p - 1));
    return [(p === 2 ? x : x.mul(x.abs().pow(p - 2))).mul(toWindow(g, share))];
  };
}

export const lpPoolGradient = normGradient((g, values) => spread(values, placed(g)));
/** Repeated over everything by broadcasting. */
export const globalLpPoolGradient = normGradient((_, values) => values);

// How to write operators in float64 that ONNX Runtime has no such kernel for on a CPU: convolutions, average
// poolings, some activations. They are written with others that have one.
import { isDefaultDomain } from '../graph/graph.js';
import type { TensorType } from '../graph/types.js';
import type { Builder, Value } from './build.js';
import {
  type PlacedAxis,
  padAxes,
  place,
  sizesAfterBatch,
  underKernel,
} from './families/layers/window.gradient.js';
import { kernelOf, windowOf } from './families/layers/window.js';
import type { Expansion } from './gradient.js';
import { operatorFor } from './registry.js';

/** What takes the place of an operator in float64; undefined where it stays as it is. */
export function inFloat64Parts(e: Expansion): readonly (Value | undefined)[] | undefined {
  const { node } = e.call;
  if (!isDefaultDomain(node.domain)) return operatorFor(node)?.decompose?.(e);
  const write = REWRITES[node.opType];
  return write === 'parts' ? operatorFor(node)!.decompose!(e) : write?.(e);
}

type Write = (e: Expansion) => readonly Value[];

const of =
  (f: (x: Value, e: Expansion) => Value): Write =>
  (e) => [f(e.input(0), e)];

const spatialAxes = (x: Value): number[] => Array.from({ length: x.rank - 2 }, (_, i) => i + 2);

/** Operators without a kernel for float64, and how else to write them; `parts`: as they say themselves. */
const REWRITES: Readonly<Record<string, Write | 'parts'>> = {
  AveragePool: of(averagePool),
  Celu: of((x, { call }) => elu(x, call.float('alpha', 1), 1, call.float('alpha', 1))),
  Conv: of(convolution),
  Elu: of((x, { call }) => elu(x, call.float('alpha', 1), 1, 1)),
  Erf: of(erf),
  Gelu: of((x, { call }) =>
    call.string('approximate', 'none') === 'tanh'
      ? x.mul(
          x
            .square()
            .mul(0.044715)
            .add(1)
            .mul(x)
            .mul(2 * Math.sqrt(2 / Math.PI))
            .sigmoid(),
        )
      : x.mul(erf(x.mul(Math.SQRT1_2)).add(1).mul(0.5)),
  ),
  GRU: 'parts',
  GlobalAveragePool: of((x) => x.mean(spatialAxes(x), true)),
  GlobalMaxPool: of((x) => x.reduceMax(spatialAxes(x), true)),
  HardSigmoid: of((x, { call }) => clip(x.mul(call.float('alpha', 0.2)).add(call.float('beta', 0.5)))),
  HardSwish: of((x) => x.mul(clip(x.mul(1 / 6).add(0.5)))),
  LRN: 'parts',
  LSTM: 'parts',
  LeakyRelu: of((x, { call }) => x.max(0).add(x.min(0).mul(call.float('alpha', 0.01)))),
  Mean: (e) => {
    const count = e.inputCount;
    return [e.builder.sum(Array.from({ length: count }, (_, i) => e.input(i))).mul(1 / count)];
  },
  Mish: of((x) => x.mul(softplus(x).tanh())),
  PRelu: of((x, e) => {
    const slope = e.input(1);
    const isPerChannel = slope.rank === 1 && slope.size(0) !== 1 && slope.size(0) !== x.size(-1);
    return x
      .max(0)
      .add(x.min(0).mul(isPerChannel ? slope.reshape([-1, ...spatialAxes(x).map(() => 1)]) : slope));
  }),
  RNN: 'parts',
  Selu: of((x, { call }) => elu(x, call.float('alpha', 1.67326), call.float('gamma', 1.0507), 1)),
  Softplus: of(softplus),
  Softsign: of((x) => x.div(x.abs().add(1))),
};

function clip(x: Value): Value {
  return x.max(0).min(1);
}

/** γ·(max(x, 0) + α·(e^(min(x, 0)/s) − 1)) */
function elu(x: Value, alpha: number, gamma: number, s: number): Value {
  return x.max(0).add(x.min(0).div(s).exp().sub(1).mul(alpha)).mul(gamma);
}

/** max(x, 0) + ln(1 + e^−|x|), which cannot overflow. */
function softplus(x: Value): Value {
  return x.max(0).add(x.abs().neg().exp().add(1).log());
}

/** Abramowitz & Stegun 7.1.26: within 1.5e-7. */
const ERF = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592] as const;

function erf(x: Value): Value {
  const magnitude = x.abs();
  const t = magnitude.mul(0.3275911).add(1).reciprocal();
  const polynomial = ERF.slice(1).reduce((sum, c) => sum.mul(t).add(c), t.operand(ERF[0]));
  return polynomial.mul(t).mul(magnitude.square().neg().exp()).rsub(1).mul(x.sign());
}

/** Y (N·T, O) = X (N·T, k·C) · W (k·C, O), where a row of X is all that lies under a position of the kernel. */
function convolution(x: Value, e: Expansion): Value {
  const { call } = e;
  const [w, bias] = [e.input(1), e.optionalInput(2)];
  const group = call.int('group', 1);
  const [batch, channels] = x.sizes as [number, number];
  const [filters] = w.sizes as [number];
  const [, , ...positions] = (call.outputs[0] as TensorType).shape as readonly number[];
  const axes = placed(e, kernelOf(call, w.shape) as readonly number[], positions as readonly number[]);
  const elements = axes.reduce((n, axis) => n * axis.kernel, 1);
  const isApart = axes.every((a) => a.kernel === a.stride && a.begin === 0 && a.end === 0);
  const isDepthwise = group === channels && group === filters;
  const y =
    group === 1 && isApart ? patches(x, w, axes) : group > 1 && !isDepthwise ? byElement() : byPosition();
  const shaped = y.reshape([batch, filters, ...(positions as readonly number[])]);
  return bias === undefined ? shaped : shaped.add(bias.reshape([filters, ...axes.map(() => 1)]));

  function byPosition(): Value {
    const seen = underEachPosition(x, axes);
    const weights = w.reshape([filters, channels / group, elements]).transpose([2, 1, 0]);
    const rows = isDepthwise
      ? seen.mul(weights.reshape([elements, filters])).sum([1])
      : seen.reshape([-1, elements * channels]).matmul(weights.reshape([elements * channels, filters]));
    return rows.reshape([batch, -1, filters]).transpose([0, 2, 1]);
  }

  /** Σ over elements i of the kernel of W[i] (O, C) · X[i] (N, C, T), X[i] being what lies under i, by group. */
  function byElement(): Value {
    const under = underKernel(padded(x, axes), 2, axes);
    const parts = under.map((seen, i) => {
      const own = w.reshape([filters, channels / group, elements]).slice([i], [i + 1], [2]);
      const weights = own.reshape([group, filters / group, channels / group]);
      return weights.matmul(seen.reshape([batch, group, channels / group, -1]));
    });
    return e.builder.sum(parts);
  }
}

/** (N·T, k, C): what lies under the k elements of the kernel at each of T positions. Few nodes, as one reads all of it. */
function underEachPosition(x: Value, axes: readonly PlacedAxis[]): Value {
  const [batch, channels] = x.sizes as [number, number];
  const around = padded(x, axes);
  const sizes = around.sizes.slice(2);
  const area = sizes.reduce((n, d) => n * d, 1);
  const rows = around
    .reshape([batch, channels, area])
    .transpose([0, 2, 1])
    .reshape([batch * area, channels]);
  return rows.gather(indicesUnder(x.builder, batch, sizes, axes));
}

const written = new WeakMap<Builder, Map<string, Value>>();

/** (N·T, k): which elements of (N, …sizes), counted row by row, lie under the kernel at each position. */
function indicesUnder(
  builder: Builder,
  batch: number,
  sizes: readonly number[],
  axes: readonly PlacedAxis[],
): Value {
  const known = written.get(builder) ?? new Map<string, Value>();
  written.set(builder, known);
  const key = JSON.stringify([batch, sizes, axes]);
  let found = known.get(key);
  if (found === undefined) {
    let places = Array.from({ length: batch }, (_, n) => n);
    let offsets = [0];
    axes.forEach(({ kernel, positions, stride, dilation }, i) => {
      const moved = (from: readonly number[], count: number, step: number): number[] =>
        from.flatMap((at) => Array.from({ length: count }, (_, t) => at * sizes[i]! + t * step));
      places = moved(places, positions, stride);
      offsets = moved(offsets, kernel, dilation);
    });
    const indices = places.flatMap((place) => offsets.map((offset) => place + offset));
    found = builder.constant(indices, 'int64', [places.length, offsets.length]);
    known.set(key, found);
  }
  return found;
}

/** A convolution whose windows do not overlap is a product of patches: (N, C·k, T). */
function patches(x: Value, w: Value, axes: readonly PlacedAxis[]): Value {
  const [batch, channels] = x.sizes as [number, number];
  const split = axes.flatMap((axis) => [axis.positions, axis.kernel]);
  const [outer, inner] = [axes.map((_, i) => 2 + 2 * i), axes.map((_, i) => 3 + 2 * i)];
  const rows = x.reshape([batch, channels, ...split]).transpose([0, 1, ...inner, ...outer]);
  const depth = channels * axes.reduce((n, axis) => n * axis.kernel, 1);
  return w.reshape([w.length(0), depth]).matmul(rows.reshape([batch, depth, -1]));
}

function averagePool(x: Value, e: Expansion): Value {
  const { call } = e;
  const [, , ...positions] = (call.outputs[0] as TensorType).shape as readonly number[];
  const axes = placed(e, call.ints('kernel_shape')!, positions);
  const counts = axes.map((axis) => elementCounts(axis, call.int('count_include_pad', 0) !== 0));
  let shares = [1];
  for (const list of counts) shares = shares.flatMap((share) => list.map((n) => share / n));
  const share = e.builder.constant(shares, x.dtype, [1, 1, ...positions]);
  const [batch, channels] = x.sizes as [number, number];
  const sums = underEachPosition(x, axes).sum([1]).reshape([batch, -1, channels]).transpose([0, 2, 1]);
  return sums.reshape([batch, channels, ...positions]).mul(share);
}

/** Over how many elements of an axis each position takes its mean. */
function elementCounts(axis: PlacedAxis, countsPadding: boolean): number[] {
  const { kernel, stride, dilation, begin, size, positions } = axis;
  return Array.from({ length: positions }, (_, t) => {
    const seen = Array.from({ length: kernel }, (_, i) => t * stride + i * dilation - begin);
    return countsPadding ? kernel : seen.filter((at) => at >= 0 && at < size).length;
  });
}

function placed(e: Expansion, kernel: readonly number[], positions: readonly number[]): PlacedAxis[] {
  const [, ...sizes] = sizesAfterBatch(e.input(0));
  return place(e.call, { window: windowOf(e.call, kernel), sizes, positions });
}

function padded(x: Value, axes: readonly PlacedAxis[]): Value {
  const [begins, ends] = [axes.map((axis) => axis.begin), axes.map((axis) => Math.max(0, axis.end))];
  return padAxes(x, 2, begins, ends);
}

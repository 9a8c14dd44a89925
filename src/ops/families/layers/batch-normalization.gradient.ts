// The gradient of batch normalisation, y = (x − mean)·r·scale + bias with r = 1/√(variance + ε), for every channel.
// Sums and means below are over all axes but that of the channels. With c = x − mean:
//
//   dscale = r·Σ dy·c,   dbias = Σ dy
//   constant statistics:  dx = dy·scale·r,   dmean = −dbias·scale·r,   dvariance = −½·dscale·scale·r²
//   those of the batch:   dx = (dy − mean(dy) − c·r²·mean(dy·c))·scale·r
//
// A factor and a shift per channel are themselves a batch normalisation with constant statistics, which is fewest nodes for what
// runs once; ONNX Runtime's kernel has one thread, so steps have a difference and a product. Its kernel for training is not written, as that one overwrites the
// running statistics it is given.
import { isKnown } from '../../../graph/dim.js';
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';
import { sizeOf } from '../arrays/data-movement.js';

export const batchNormalizationGradient: GradientRule = (g) =>
  isTraining(g) ? throughBatchStatistics(g) : throughConstantStatistics(g);

function isTraining(g: Differentiation): boolean {
  if (g.call.opset >= 14) return g.call.int('training_mode', 0) !== 0;
  if (g.call.outputCount === 1) return false;
  return g.call.fail(
    'the gradient of training mode needs opset 14 or later',
    'GRADIENT_UNSUPPORTED',
    'convert the model, for example with onnx.version_converter',
  );
}

function throughConstantStatistics(g: Differentiation): (Value | undefined)[] {
  const [x, scale, mean, variance] = [g.input(0), g.input(1), g.input(3), g.input(4)];
  const channels = new Channels(g);
  const dScale = once(() => channels.sum(g.dy.mul(channels.normalise(x, { mean, variance }))));
  const dBias = once(() => channels.sum(g.dy));
  const inverse = once(() => variance.add(channels.epsilon).sqrt().reciprocal());
  const scaled = (sum: Value): Value => sum.mul(scale).cast(mean.dtype);
  return [
    g.when(0, () => channels.normalise(g.dy, { scale, variance })),
    g.when(1, dScale),
    g.when(2, dBias),
    g.when(3, () => scaled(dBias()).mul(inverse()).neg()),
    g.when(4, () => scaled(dScale()).mul(inverse().square()).mul(-0.5)),
  ];
}

function throughBatchStatistics(g: Differentiation): (Value | undefined)[] {
  const [x, scale, { dy }] = [g.input(0), g.input(1), g];
  const channels = new Channels(g);
  const found = statisticsGivenOut(g);
  const centred = once(() =>
    x.sub(found ? channels.alongChannels(found.mean, x) : x.mean(channels.axes, true)),
  );
  const variance = once(() => found?.variance ?? channels.mean(centred().square()));
  const inverseSquare = once(() => variance().add(channels.epsilon).reciprocal());
  const productSum = once(() => channels.sumOfProducts(dy, centred()));
  const dBias = once(() => channels.sum(dy));
  const mean = (value: () => Value, sum: () => Value): Value =>
    channels.count === undefined ? channels.mean(value()) : sum().mul(1 / channels.count);
  return [
    g.when(0, () => {
      const slope = mean(() => dy.mul(centred()), productSum).mul(inverseSquare());
      const along = centred().mul(channels.alongChannels(slope, x));
      const average = mean(() => dy, dBias);
      const dx = channels.shiftedAndScaled(dy.sub(along), { scale, mean: average, variance: variance() });
      return channels.withStatistics(g, dx, centred);
    }),
    g.when(1, () => productSum().mul(inverseSquare().sqrt())),
    g.when(2, dBias),
    g.when(3, () => g.outputGradient(1)?.mul(momentumOf(g)) ?? g.input(3).zerosLike()),
    g.when(4, () => g.outputGradient(2)?.mul(momentumOf(g)) ?? g.input(4).zerosLike()),
  ];
}

/** The part of what running statistics were before in what they are next. */
function momentumOf({ call }: Differentiation): number {
  return call.float('momentum', 0.9);
}

/** The batch's own statistics, where the node gives them out: without momentum, the running ones are just those. */
function statisticsGivenOut(g: Differentiation): { mean: Value; variance: Value } | undefined {
  const { outputs } = g.call.node;
  if (momentumOf(g) !== 0 || !outputs[1] || !outputs[2]) return undefined;
  const { dtype } = g.input(1);
  return { mean: g.output(1).cast(dtype), variance: g.output(2).cast(dtype) };
}

/** Writes a value when it is first needed. */
function once(write: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= write();
    return value;
  };
}

interface Normalisation {
  readonly scale?: Value;
  readonly mean?: Value;
  readonly variance: Value;
}

/** Reductions to channels, and operations on all elements of a channel alike. */
class Channels {
  readonly epsilon: number;
  readonly axes: readonly number[];
  /** How many elements a channel has, if that is known. */
  readonly count: number | undefined;
  readonly #scale: Value;
  readonly #noShift: () => Value;
  readonly #noMean: () => Value;
  readonly #statistic: Value;

  constructor(g: Differentiation) {
    const { shape } = g.input(0);
    this.epsilon = g.call.float('epsilon', 1e-5);
    // A single dimension is the batch, of one channel.
    this.axes = [...shape.keys()].filter((axis) => axis !== 1);
    const sizes = this.axes.map((axis) => shape[axis]!).filter(isKnown);
    this.count = sizes.length < this.axes.length ? undefined : sizes.reduce((n, size) => n * size, 1);
    this.#scale = g.input(1);
    this.#noShift = once(() => g.input(1).zerosLike());
    this.#noMean = once(() => g.input(3).zerosLike());
    this.#statistic = g.input(4);
  }

  sum(value: Value): Value {
    return this.#perChannel(value.sum(this.axes));
  }

  mean(value: Value): Value {
    return this.#perChannel(value.mean(this.axes));
  }

  /** Σ a·b. For images that is a row times a column for each, which writes no products. */
  sumOfProducts(a: Value, b: Value): Value {
    const [, channels, ...sizes] = a.shape;
    const isImage = sizes.length > 0 && [channels!, ...sizes].every(isKnown) && !a.builder.runsOnce;
    if (!isImage) return this.sum(a.mul(b));
    const row = (value: Value): Value =>
      value.reshape([-1, channels as number, 1, sizeOf(sizes as number[])]);
    return this.#perChannel(row(a).matmul(row(b).transposeLast()).sum([0]));
  }

  /** dx and what flows back from the running statistics, with share s of n elements: s/n·dmean + 2s/n·c·dvariance. */
  withStatistics(g: Differentiation, dx: Value, centred: () => Value): Value {
    const [dMean, dVariance] = [g.outputGradient(1), g.outputGradient(2)];
    if (!dMean && !dVariance) return dx;
    if (this.count === undefined) return g.call.fail('the size of the batch is not known', 'SHAPE_UNKNOWN');
    const share = (1 - momentumOf(g)) / this.count;
    const ofMean = dMean ? dx.add(this.alongChannels(dMean.mul(share), dx)) : dx;
    if (!dVariance) return ofMean;
    return ofMean.add(centred().mul(this.alongChannels(dVariance.mul(2 * share), dx)));
  }

  /** One number a channel, as it is added to (N, C, …). */
  alongChannels(value: Value, { rank, dtype }: Value): Value {
    const ones = new Array<number>(Math.max(0, rank - 2)).fill(1);
    return value.reshape([-1, ...ones]).cast(dtype);
  }

  #perChannel(value: Value): Value {
    return value.reshapeTo(this.#scale).cast(this.#scale.dtype);
  }

  /** (x − mean)·scale·r: two operators where one would do, but threads share them, which is faster in what runs often. */
  shiftedAndScaled(x: Value, { scale, mean, variance }: Required<Normalisation>): Value {
    if (x.builder.runsOnce) {
      const [average, statistic] = [mean, variance].map((v) => v.cast(this.#statistic.dtype));
      return this.normalise(x, { scale, mean: average!, variance: statistic! });
    }
    const factor = scale.mul(variance.add(this.epsilon).reciprocal().sqrt());
    return x.sub(this.alongChannels(mean, x)).mul(this.alongChannels(factor, x));
  }

  /** (x − mean)·scale·r; a scale of 1 and a mean of 0 unless told. */
  normalise(x: Value, { scale = this.#scale.onesLike(), mean, variance }: Normalisation): Value {
    const inputs = [x, scale, this.#noShift(), mean ?? this.#noMean(), variance];
    return x.builder.op('BatchNormalization', inputs, { epsilon: this.epsilon });
  }
}

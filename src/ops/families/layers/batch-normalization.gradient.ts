// The gradient of batch normalisation, y = (x − mean)·r·scale + bias with r = 1/√(variance + ε), for every channel.
// Sums and means below are over all axes but that of the channels. With c = x − mean:
//
//   dscale = r·Σ dy·c,   dbias = Σ dy
//   constant statistics:  dx = dy·scale·r,   dmean = −dbias·scale·r,   dvariance = −½·dscale·scale·r²
//   those of the batch:   dx = (dy − mean(dy) − c·r²·mean(dy·c))·scale·r
//
// A factor and a shift per channel are themselves a batch normalisation with constant statistics, and ONNX
// Runtime has no faster kernel for them. Its kernel for training is not written, as that one overwrites the
// running statistics it is given.
import { isKnown } from '../../../graph/dim.js';
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';

/** No loss depends on the running statistics that training also gives out, so nothing flows back from them. */
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
  const centred = once(() => x.sub(x.mean(channels.axes, true)));
  const variance = once(() => channels.mean(centred().square()));
  const inverseSquare = once(() => variance().add(channels.epsilon).reciprocal());
  const product = once(() => dy.mul(centred()));
  const productSum = once(() => channels.sum(product()));
  const dBias = once(() => channels.sum(dy));
  const mean = (value: () => Value, sum: () => Value): Value =>
    channels.count === undefined ? channels.mean(value()) : sum().mul(1 / channels.count);
  return [
    g.when(0, () => {
      const slope = mean(product, productSum).mul(inverseSquare());
      const common = channels.affine(
        centred(),
        slope,
        mean(() => dy, dBias),
      );
      const statistic = variance().cast(g.input(4).dtype);
      return channels.normalise(dy.sub(common), { scale, variance: statistic });
    }),
    g.when(1, () => productSum().mul(inverseSquare().sqrt())),
    g.when(2, dBias),
  ];
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
  readonly #unitVariance: () => Value;

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
    this.#unitVariance = once(() => g.input(4).onesLike());
  }

  sum(value: Value): Value {
    return this.#perChannel(value.sum(this.axes));
  }

  mean(value: Value): Value {
    return this.#perChannel(value.mean(this.axes));
  }

  #perChannel(value: Value): Value {
    return value.reshapeTo(this.#scale).cast(this.#scale.dtype);
  }

  /** x·factor + shift. */
  affine(x: Value, factor: Value, shift: Value): Value {
    const inputs = [x, factor, shift, this.#noMean(), this.#unitVariance()];
    return x.builder.op('BatchNormalization', inputs, { epsilon: 0 });
  }

  /** (x − mean)·scale·r; a scale of 1 and a mean of 0 unless told. */
  normalise(x: Value, { scale = this.#scale.onesLike(), mean, variance }: Normalisation): Value {
    const inputs = [x, scale, this.#noShift(), mean ?? this.#noMean(), variance];
    return x.builder.op('BatchNormalization', inputs, { epsilon: this.epsilon });
  }
}

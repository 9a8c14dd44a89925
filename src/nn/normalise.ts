// Normalisations with trained scale and shift, and the scale of a residual branch.
import type { Value } from '../ops/build.js';
import { AuspexError } from '../util/errors.js';
import { constant, ones, zeros } from './initialise.js';
import type { Scope } from './scope.js';

/** Ba et al. 2016, over the last dimension: (…, d) → (…, d). */
export function layerNorm(s: Scope, x: Value, epsilon = 1e-5): Value {
  const d = x.length(-1);
  const scale = s.parameter('weight', [d], ones);
  const shift = s.parameter('bias', [d], zeros);
  return s.builder.op('LayerNormalization', [x, scale, shift], { axis: -1, epsilon });
}

export interface BatchNormOptions {
  /** 1 for images (B, C, …), −1 for features (…, C). */
  readonly channelAxis?: 1 | -1;
  /** The part of the batch's statistics that goes into the running ones, PyTorch's convention; ONNX's is 1 − this. */
  readonly momentum?: number;
  readonly epsilon?: number;
  /** False: without a trained γ and β, which stay 1 and 0. */
  readonly affine?: boolean;
}

/**
 * Batch normalisation (Ioffe & Szegedy 2015): y = (x − μ)/√(σ² + ε)·γ + β for every channel, (B, C, …) → (B, C, …).
 *
 * In training μ and σ² are those of the batch, σ² dividing by n, the number of elements of a channel. The running
 * statistics follow as in PyTorch: r ← (1 − m)·r + m·(μ or σ²·n/(n − 1)). In evaluation they take the place of μ
 * and σ².
 */
export function batchNorm(s: Scope, x: Value, options: BatchNormOptions = {}): Value {
  const { channelAxis = 1, momentum = 0.1, epsilon = 1e-5, affine = true } = options;
  const channels = x.length(channelAxis);
  const rows = channelAxis === 1 || x.rank === 2 ? x : x.reshape([-1, channels]);
  const weight = affine ? s.parameter('weight', [channels], ones) : s.buffer('weight', [channels], ones);
  const bias = affine ? s.parameter('bias', [channels], zeros) : s.buffer('bias', [channels], zeros);
  const running = {
    running_mean: s.buffer('running_mean', [channels], zeros),
    running_var: s.buffer('running_var', [channels], ones),
  };
  if (!s.isTraining) {
    const inputs = [rows, weight, bias, running.running_mean, running.running_var];
    return s.builder.op('BatchNormalization', inputs, { epsilon }).reshapeTo(x);
  }

  const count = rows.sizes.reduce((n, d) => n * d, 1) / channels;
  if (count < 2) {
    throw new AuspexError('BATCH_TOO_SMALL', `batchNorm at '${s.path}' has one element per channel`, {
      hint: 'train with larger batches',
    });
  }
  // A layer that a step applies twice moves its statistics twice.
  const before = (name: keyof typeof running): Value =>
    s.trace.updates.get(`${s.path}${name}`) ?? running[name];
  const follow = (name: keyof typeof running, now: Value, correction: number): void =>
    s.update(
      name,
      before(name)
        .mul(1 - momentum)
        .add(now.mul(momentum * correction)),
    );
  const normalised = channelAxis === -1 ? featuresNorm : channelsNorm;
  const [y, mean, variance] = normalised(rows, weight, bias, epsilon, [
    before('running_mean'),
    before('running_var'),
  ]);
  follow('running_mean', mean, 1);
  follow('running_var', variance, count / (count - 1));
  return y.reshapeTo(x);
}

/** The normalised values, and mean and variance of the batch. */
type Normalised = readonly [y: Value, mean: Value, variance: Value];

/** (B, C, …), by the operator. */
function channelsNorm(
  x: Value,
  weight: Value,
  bias: Value,
  epsilon: number,
  running: readonly [Value, Value],
): Normalised {
  // Without momentum the operator's running statistics are those of the batch, whatever it is given. ONNX Runtime
  // writes them over what it is given, so that must be values which nobody else reads.
  const [y, mean, variance] = x.builder.apply(
    'BatchNormalization',
    [x, weight, bias, running[0].neg(), running[1].neg()],
    { epsilon, momentum: 0, training_mode: 1 },
    { outputs: 3 },
  );
  return [y!, mean!, variance!];
}

/**
 * (B, C), by products with columns of ones: ONNX Runtime's operator goes through a matrix element by element, and takes several
 * times as long. Sums over rows, and rows that are all alike, are such products in the gradient, too.
 */
function featuresNorm(x: Value, weight: Value, bias: Value, epsilon: number): Normalised {
  const { builder, dtype } = x;
  const [count, channels] = [x.length(0), x.length(1)];
  const ones = builder.constant(new Array(count).fill(1), dtype, [count, 1]);
  const part = builder.constant(new Array(count).fill(1 / count), dtype, [1, count]);
  const asRow = (vector: Value): Value => vector.reshape([1, channels]);
  const mean = part.matmul(x);
  const off = x.sub(ones.matmul(mean));
  const variance = part.matmul(off.mul(off));
  const scale = asRow(weight).div(variance.add(epsilon).sqrt());
  const y = off.mul(ones.matmul(scale)).add(ones.matmul(asRow(bias)));
  return [y, mean.reshape([channels]), variance.reshape([channels])];
}

/** LayerScale (Touvron et al. 2021): a residual branch times one trained number per channel, (…, d) → (…, d). */
export function layerScale(s: Scope, x: Value, initial = 1e-4): Value {
  return x.mul(s.parameter('gamma', [x.length(-1)], constant(initial)));
}

// Blocks of mobile networks, which MobileNetV2/V3, MnasNet, EfficientNet, FBNet, ProxylessNAS and the
// once-for-all networks share: the inverted residual with its options, squeeze-and-excitation, activations
// and the rounding of channels. Images are (B, C, H, W). No macro-architecture is here.
import { conv2d } from '../../nn/convolution.js';
import { type BatchNormOptions, batchNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';

/** An elementwise function. Those of mobile networks follow; a network may bring its own. */
export type Activation = (x: Value) => Value;

const linearActivation: Activation = (x) => x;
export const relu: Activation = (x) => x.relu();
/** min(max(x, 0), 6) */
export const relu6: Activation = (x) => x.builder.op('Clip', [x, x.operand(0), x.operand(6)]);
/** x·σ(x), also called SiLU */
export const swish: Activation = (x) => x.mul(x.sigmoid());
/** x·relu6(x + 3)/6 (Howard et al. 2019, section 5.2) */
export const hSwish: Activation = (x) => x.builder.op('HardSwish', [x]);
export const sigmoid: Activation = (x) => x.sigmoid();
/** relu6(x + 3)/6 */
export const hSigmoid: Activation = (x) => x.builder.op('HardSigmoid', [x], { alpha: 1 / 6, beta: 0.5 });

/**
 * A number of channels as a multiple of 8: the nearest one (halves go up), at least `least`, and never less
 * than 90 % of what was asked for. The rule of MobileNetV2's reference code, which all its descendants use.
 */
export function makeDivisible(channels: number, divisor = 8, least = divisor): number {
  const rounded = Math.max(least, Math.floor((channels + divisor / 2) / divisor) * divisor);
  return rounded < 0.9 * channels ? rounded + divisor : rounded;
}

interface ConvNormOptions {
  /** An odd number; zeros around keep H and W where the stride is 1. */
  readonly kernel: number;
  /** Default 1. */
  readonly stride?: number;
  /** Default 1. */
  readonly groups?: number;
  /** Default: none. */
  readonly activation?: Activation;
  readonly norm?: BatchNormOptions | undefined;
}

/** activation(batchNorm(conv(x))), without bias: (B, C, H, W) → (B, out, ⌈H/stride⌉, ⌈W/stride⌉). */
export function convNorm(
  s: Scope,
  x: Value,
  out: number,
  { kernel, stride = 1, groups = 1, activation = linearActivation, norm }: ConvNormOptions,
): Value {
  const padding = (kernel - 1) / 2;
  const y = conv2d(s.at('conv'), x, out, { kernel, stride, padding, groups, bias: false });
  return activation(batchNorm(s.at('norm'), y, norm));
}

export interface SqueezeOptions {
  /** Channels between the two layers. */
  readonly channels: number;
  /** Between the two layers; relu by default, swish in EfficientNet. */
  readonly activation?: Activation;
  /** Makes the weights of channels; hSigmoid by default (MobileNetV3), sigmoid in EfficientNet. */
  readonly gate?: Activation;
}

/**
 * Squeeze-and-excitation (Hu et al. 2018): x·gate(W₂·activation(W₁·mean(x))), (B, C, H, W) → the same. Both
 * layers are 1×1 convolutions with bias.
 */
function squeezeExcite(
  s: Scope,
  x: Value,
  { channels, activation = relu, gate = hSigmoid }: SqueezeOptions,
): Value {
  const squeezed = activation(
    conv2d(s.at('reduce'), x.mean([2, 3], true), channels, { kernel: 1, bias: true }),
  );
  return x.mul(gate(conv2d(s.at('expand'), squeezed, x.length(1), { kernel: 1, bias: true })));
}

interface InvertedResidualOptions {
  /** Channels that come out. */
  readonly out: number;
  /** Channels of the depthwise convolution, rounded as the network rounds them. */
  readonly hidden: number;
  /** Of the depthwise convolution. */
  readonly kernel: number;
  /** Default 1. */
  readonly stride?: number;
  /** After the expansion and the depthwise convolution. */
  readonly activation: Activation;
  /** After the depthwise convolution and its activation; none unless given. */
  readonly squeeze?: SqueezeOptions;
  /** Whether there is a 1×1 convolution from C to `hidden`; by default where the two differ. */
  readonly hasExpansion?: boolean;
  /** Whether x is added to what comes out; by default where the shapes are the same. */
  readonly isResidual?: boolean;
  /** The 1×1 convolutions have so many groups, the channels shuffled behind the first of them. Default 1. */
  readonly groups?: number;
  /** Of all three normalisations. */
  readonly norm?: BatchNormOptions | undefined;
}

/**
 * The inverted residual with a linear bottleneck, MBConv (Sandler et al. 2018): 1×1 expansion, k×k depthwise
 * convolution, squeeze-and-excitation if wanted, linear 1×1 projection, each convolution with batch
 * normalisation. (B, C, H, W) → (B, out, ⌈H/stride⌉, ⌈W/stride⌉).
 */
export function invertedResidual(s: Scope, x: Value, options: InvertedResidualOptions): Value {
  const { out, hidden, kernel, stride = 1, activation, squeeze, groups = 1, norm } = options;
  const { hasExpansion = hidden !== x.length(1), isResidual = stride === 1 && out === x.length(1) } = options;
  let y = x;
  if (hasExpansion) {
    y = convNorm(s.at('expand'), y, hidden, { kernel: 1, groups, activation, norm });
    y = channelShuffle(y, groups);
  }
  y = convNorm(s.at('depth'), y, hidden, { kernel, stride, groups: hidden, activation, norm });
  if (squeeze) y = squeezeExcite(s.at('squeeze'), y, squeeze);
  y = convNorm(s.at('project'), y, out, { kernel: 1, groups, norm });
  return isResidual ? y.add(x) : y;
}

/** Channels in groups, read across the groups (Zhang et al. 2018, ShuffleNet): (B, C, H, W) → the same. */
export function channelShuffle(x: Value, groups: number): Value {
  if (groups === 1) return x;
  const [batch, channels, height, width] = x.sizes as [number, number, number, number];
  return x
    .reshape([batch, groups, channels / groups, height, width])
    .transpose([0, 2, 1, 3, 4])
    .reshape([batch, channels, height, width]);
}

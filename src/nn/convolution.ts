// Convolutions and pooling of images (B, C, H, W).
import type { Value } from '../ops/build.js';
import { fans, type Initialiser, kaimingUniform, uniform } from './initialise.js';
import { type BatchNormOptions, batchNorm } from './normalise.js';
import type { Scope } from './scope.js';

/** Of both axes, or of height and width. */
type Pair = number | readonly [height: number, width: number];

function pair(size: Pair): readonly [number, number] {
  return typeof size === 'number' ? [size, size] : size;
}

/** Zeros at both sides of each axis, as ONNX wants them. */
function pads(padding: Pair): number[] {
  const [height, width] = pair(padding);
  return [height, width, height, width];
}

export interface ConvOptions {
  readonly kernel: Pair;
  /** Default 1. */
  readonly stride?: Pair;
  /** Zeros on each side; none unless told. */
  readonly padding?: Pair;
  /** From one element of the kernel's window to the next. Default 1. */
  readonly dilation?: Pair;
  /** Channels are convolved in so many groups that do not see each other. Default 1. */
  readonly groups?: number;
  readonly bias?: boolean;
  /** Default: PyTorch's, uniform within ±1/√fanIn. */
  readonly weight?: Initialiser;
  readonly biasInit?: Initialiser;
}

/** y = W * x + b: (B, C, H, W) → (B, out, H', W') with H' = ⌊(H + 2·padding − dilation·(kernel − 1) − 1)/stride⌋ + 1. */
export function conv2d(s: Scope, x: Value, out: number, options: ConvOptions): Value {
  const { stride = 1, padding = 0, dilation = 1, groups = 1, bias = true } = options;
  const kernel = pair(options.kernel);
  const dims = [out, x.length(1) / groups, ...kernel];
  const bound = 1 / Math.sqrt(fans(dims).fanIn);
  const inputs = [x, s.parameter('weight', dims, options.weight ?? kaimingUniform(1 / Math.sqrt(3)))];
  if (bias) inputs.push(s.parameter('bias', [out], options.biasInit ?? uniform(-bound, bound)));
  return s.builder.op('Conv', inputs, {
    kernel_shape: kernel,
    strides: pair(stride),
    pads: pads(padding),
    dilations: dilation === 1 ? undefined : pair(dilation),
    group: groups,
  });
}

/** relu(batchNorm(conv2d(x))), the convolution without a bias, which the normalisation would take away again. */
export function convBlock(
  s: Scope,
  x: Value,
  out: number,
  { norm, ...options }: ConvOptions & { readonly norm?: BatchNormOptions },
): Value {
  const y = conv2d(s.at('conv'), x, out, { ...options, bias: false });
  return batchNorm(s.at('norm'), y, norm).relu();
}

/** The mean of every channel: (B, C, H, W) → (B, C). */
export function globalAveragePool(x: Value): Value {
  return x.mean([2, 3]);
}

export interface PoolOptions {
  readonly kernel: Pair;
  /** Default: the kernel. */
  readonly stride?: Pair;
  /** Elements on each side that never are the greatest; none unless told. */
  readonly padding?: Pair;
}

/** The greatest element of every window: (B, C, H, W) → (B, C, H', W'). */
export function maxPool2d(x: Value, { kernel, stride = kernel, padding = 0 }: PoolOptions): Value {
  return x.builder.op('MaxPool', [x], {
    kernel_shape: pair(kernel),
    strides: pair(stride),
    pads: pads(padding),
  });
}

/** The mean of every window, zeros around the image not counted: (B, C, H, W) → (B, C, H', W'). */
export function averagePool2d(x: Value, { kernel, stride = kernel, padding = 0 }: PoolOptions): Value {
  return x.builder.op('AveragePool', [x], {
    kernel_shape: pair(kernel),
    strides: pair(stride),
    pads: pads(padding),
  });
}

// The network of DARTS (Liu et al., ICLR 2019) for CIFAR-10: cells one after another, each reading the two before
// it. Two of them, after a third and two thirds, halve the sides and double the channels. Without the auxiliary
// head, which is only there to train.
import type { Model } from '../../graph/graph.js';
import { averagePool2d, conv2d, globalAveragePool, maxPool2d } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { batchNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { NetworkOptions } from '../space.js';

/** In the order in which NASLib numbers them. */
export const OPERATIONS = [
  'max_pool_3x3',
  'avg_pool_3x3',
  'skip_connect',
  'sep_conv_3x3',
  'sep_conv_5x5',
  'dil_conv_3x3',
  'dil_conv_5x5',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** An operation and what it is applied to: 0 and 1 are the cells before the last and the last, 2 the first node. */
export interface Edge {
  readonly from: number;
  readonly operation: Operation;
}

/** The edges of four nodes, two for each, that of the lower number first. */
export type DartsCell = readonly Edge[];

export interface Darts {
  readonly normal: DartsCell;
  readonly reduce: DartsCell;
}

export const NODES = 4;
const STEM_MULTIPLIER = 3;

interface DartsOptions extends NetworkOptions {
  /** Cells; 8 in NAS-Bench-301, 20 in DARTS itself. */
  readonly layers?: number;
  /** Channels of the first cells; 32 in NAS-Bench-301, 36 in DARTS itself. */
  readonly channels?: number;
  /**
   * How operations are normalised. `evaluation`: with trained scale and shift, pools not at all, as networks are
   * trained that have been found. `search`: without scale and shift, pools too, as in the network that searches;
   * NASLib measures the networks of NAS-Bench-301 so.
   */
  readonly norms?: 'evaluation' | 'search';
}

/** (B, 3, H, W) → (B, classes). */
export function dartsNetwork(name: string, arch: Darts, options: DartsOptions = {}): Model {
  const { classes = 10, seed = 0, layers = 8, norms = 'evaluation' } = options;
  // Even, as two convolutions share the channels where sides are halved.
  const width = scaledWidth(options.channels ?? 32, options, 2);
  const reductions = [Math.floor(layers / 3), Math.floor((2 * layers) / 3)];
  return writeNetwork(name, images(options, 32), seed, (s, x) => {
    const stem = conv2d(s.at('stem', 'conv'), x, STEM_MULTIPLIER * width, {
      kernel: 3,
      padding: 1,
      bias: false,
    });
    let last = batchNorm(s.at('stem', 'norm'), stem);
    let beforeLast = last;
    let channels = width;
    for (let i = 0; i < layers; i++) {
      const isReduction = reductions.includes(i);
      if (isReduction) channels *= 2;
      const inputs = [beforeLast, last] as const;
      beforeLast = last;
      last = writeCell(s.at('cell', i), inputs, channels, arch, { isReduction, norms });
    }
    return linear(s.at('classifier'), globalAveragePool(last), classes);
  });
}

interface CellOptions {
  readonly isReduction: boolean;
  readonly norms: 'evaluation' | 'search';
}

/** Two inputs → (B, 4·channels, H, W): the four nodes, each the sum of its edges. */
function writeCell(
  s: Scope,
  [beforeLast, last]: readonly [Value, Value],
  channels: number,
  arch: Darts,
  { isReduction, norms }: CellOptions,
): Value {
  const isLarger = beforeLast.length(2) !== last.length(2);
  const nodes = [
    isLarger
      ? factorizedReduce(s.at('preprocess', 0), beforeLast, channels, true)
      : reluConvNorm(s.at('preprocess', 0), beforeLast, channels),
    reluConvNorm(s.at('preprocess', 1), last, channels),
  ];
  const edges = isReduction ? arch.reduce : arch.normal;
  for (let node = 0; node < NODES; node++) {
    const [a, b] = [0, 1].map((side) => {
      const { from, operation } = edges[2 * node + side]!;
      const stride = isReduction && from < 2 ? 2 : 1;
      return apply(s.at('edge', 2 * node + side), nodes[from]!, operation, stride, norms);
    });
    nodes.push(a!.add(b!));
  }
  return s.builder.concat(nodes.slice(2), 1);
}

function apply(s: Scope, x: Value, operation: Operation, stride: number, norms: CellOptions['norms']): Value {
  const affine = norms === 'evaluation';
  const pooled = (y: Value): Value => (affine ? y : batchNorm(s.at('norm'), y, { affine }));
  const separable = (part: Scope, from: Value, kernel: number, step: number, dilation: number): Value => {
    const channels = from.length(1);
    const padding = (dilation * (kernel - 1)) / 2;
    const options = { kernel, stride: step, padding, dilation, groups: channels, bias: false };
    const y = conv2d(part.at('depthwise'), from.relu(), channels, options);
    const z = conv2d(part.at('pointwise'), y, channels, { kernel: 1, bias: false });
    return batchNorm(part.at('norm'), z, { affine });
  };
  const twice = (kernel: number): Value =>
    separable(s.at('second'), separable(s.at('first'), x, kernel, stride, 1), kernel, 1, 1);
  switch (operation) {
    case 'max_pool_3x3':
      return pooled(maxPool2d(x, { kernel: 3, stride, padding: 1 }));
    case 'avg_pool_3x3':
      return pooled(averagePool2d(x, { kernel: 3, stride, padding: 1 }));
    case 'skip_connect':
      return stride === 1 ? x : factorizedReduce(s, x, x.length(1), affine);
    case 'sep_conv_3x3':
      return twice(3);
    case 'sep_conv_5x5':
      return twice(5);
    case 'dil_conv_3x3':
      return separable(s, x, 3, stride, 2);
    case 'dil_conv_5x5':
      return separable(s, x, 5, stride, 2);
  }
}

function reluConvNorm(s: Scope, x: Value, out: number): Value {
  return batchNorm(s.at('norm'), conv2d(s.at('conv'), x.relu(), out, { kernel: 1, bias: false }));
}

/**
 * Halves the sides: (B, C, H, W) → (B, out, ⌈H/2⌉, ⌈W/2⌉). One half of the channels looks at the elements of even
 * rows and columns, the other at those of odd ones.
 */
export function factorizedReduce(s: Scope, x: Value, out: number, affine: boolean): Value {
  const rectified = x.relu();
  const [height, width] = [x.length(2), x.length(3)];
  // Sides that are odd have one odd row less than even ones: a row of zeros.
  const odd = rectified.slice([1, 1], [height, width], [2, 3]);
  const shifted = odd.pad([0, 0, 0, 0, 0, 0, height % 2, width % 2]);
  const half = (name: string, from: Value): Value =>
    conv2d(s.at(name), from, out / 2, { kernel: 1, stride: 2, bias: false });
  const y = s.builder.concat([half('even', rectified), half('odd', shifted)], 1);
  return batchNorm(s.at('norm'), y, { affine });
}

// ResNet (He et al. 2016): a stem and four stages of residual blocks, basic ones or bottlenecks.
import { globalAveragePool, maxPool2d } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { convNorm, relu } from '../mobile/mobile-blocks.js';
import { type Base, familySpace, gene, tenths } from './family.js';

const STEM_WIDTH = 64;
const FACTORS = tenths(0.2, 1.2);
const KERNELS = [3, 5, 7];
/** How many times wider a bottleneck's ends are than its middle. */
const EXPANSIONS = [2, 4];

interface Size {
  readonly name: string;
  readonly depths: readonly number[];
  readonly isBottleneck: boolean;
}

const SIZES: readonly Size[] = [
  { name: 'resnet18', depths: [2, 2, 2, 2], isBottleneck: false },
  { name: 'resnet34', depths: [3, 4, 6, 3], isBottleneck: false },
  { name: 'resnet50', depths: [3, 4, 6, 3], isBottleneck: true },
];

function resnet({ name, depths, isBottleneck }: Size): Base {
  const stages = depths.map((count, i) => ({
    at: `stage${i + 1}`,
    out: (isBottleneck ? 4 : 1) * (STEM_WIDTH << i),
    blocks: Array.from({ length: count }, (_, j) => ({
      at: `block${i + 1}_${j + 1}`,
      stride: i > 0 && j === 0 ? 2 : 1,
    })),
  }));
  const blocks = stages.flatMap((stage) => stage.blocks);
  // A first stage as wide as the stem adds to what comes from it, so it keeps the width.
  const varied = stages.filter(({ out }) => out !== STEM_WIDTH);
  return {
    name,
    genes: [
      ...varied.map(({ at }) => gene('w', at, 1, FACTORS)),
      ...blocks.map(({ at }) => gene('k', at, 3, KERNELS)),
      ...(isBottleneck ? blocks.map(({ at }) => gene('e', at, 4, EXPANSIONS)) : []),
    ],
    write: (s, x, layers) => {
      let y = convNorm(s.at('stem'), x, layers.channels(STEM_WIDTH), {
        kernel: 7,
        stride: 2,
        activation: relu,
      });
      y = maxPool2d(y, { kernel: 3, stride: 2, padding: 1 });
      for (const { at: stage, out, blocks } of stages) {
        const width = layers.channels(out, out === STEM_WIDTH ? undefined : stage);
        for (const { at, stride } of blocks) {
          const kernel = layers.of('k', at);
          y = isBottleneck
            ? bottleneck(s.at(at), y, { width, kernel, stride, expansion: layers.of('e', at) })
            : basicBlock(s.at(at), y, { width, kernel, stride });
        }
      }
      return linear(s.at('classifier'), globalAveragePool(y), layers.classes);
    },
  };
}

interface BlockOptions {
  /** Channels that come out. */
  readonly width: number;
  readonly kernel: number;
  readonly stride: number;
}

/** Two k×k convolutions: (B, C, H, W) → (B, width, H/stride, W/stride). */
function basicBlock(s: Scope, x: Value, { width, kernel, stride }: BlockOptions): Value {
  const y = convNorm(s.at('first'), x, width, { kernel, stride, activation: relu });
  return joined(s, x, convNorm(s.at('second'), y, width, { kernel }), stride);
}

/** 1×1, k×k and 1×1 convolutions, the stride at the middle one: (B, C, H, W) → (B, width, H/stride, W/stride). */
function bottleneck(
  s: Scope,
  x: Value,
  { width, kernel, stride, expansion }: BlockOptions & { readonly expansion: number },
): Value {
  const middle = Math.max(1, Math.floor(width / expansion));
  let y = convNorm(s.at('reduce'), x, middle, { kernel: 1, activation: relu });
  y = convNorm(s.at('middle'), y, middle, { kernel, stride, activation: relu });
  return joined(s, x, convNorm(s.at('expand'), y, width, { kernel: 1 }), stride);
}

/** relu(y + x), x through a 1×1 convolution where its shape is another. */
function joined(s: Scope, x: Value, y: Value, stride: number): Value {
  const isSame = stride === 1 && x.length(1) === y.length(1);
  return y.add(isSame ? x : convNorm(s.at('shortcut'), x, y.length(1), { kernel: 1, stride })).relu();
}

/**
 * NNLQP's are variants of ResNet-18; nn-Meter also has 34 and 50 layers. Kernels vary by block and, as in nn-Meter,
 * widths by stage, from 0.2 to 1.2 times the original.
 */
export const nnlqpResNet = familySpace({
  name: 'nnlqp-resnet',
  title: 'NNLQP ResNet',
  paper: 'Liu et al., ICPP 2022; He et al., CVPR 2016',
  bases: SIZES.map(resnet),
});

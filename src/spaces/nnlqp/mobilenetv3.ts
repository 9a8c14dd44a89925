// MobileNetV3 (Howard et al. 2019), large and small: inverted residuals, some with squeeze-and-excitation, and
// h-swish in the later ones.
import { globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { convNorm, hSwish, makeDivisible, relu } from '../mobile/mobile-blocks.js';
import { type Base, familySpace, tenths } from './family.js';
import { type Block, blockGenes, widthPlaces, writeBlocks } from './inverted.js';

/** Kernel, channels of the depthwise convolution, width, squeeze-and-excitation, activation, stride. */
type Row = readonly [
  kernel: number,
  hidden: number,
  out: number,
  hasSqueeze: boolean,
  activation: 'RE' | 'HS',
  stride: number,
];

const LARGE: readonly Row[] = [
  [3, 16, 16, false, 'RE', 1],
  [3, 64, 24, false, 'RE', 2],
  [3, 72, 24, false, 'RE', 1],
  [5, 72, 40, true, 'RE', 2],
  [5, 120, 40, true, 'RE', 1],
  [5, 120, 40, true, 'RE', 1],
  [3, 240, 80, false, 'HS', 2],
  [3, 200, 80, false, 'HS', 1],
  [3, 184, 80, false, 'HS', 1],
  [3, 184, 80, false, 'HS', 1],
  [3, 480, 112, true, 'HS', 1],
  [3, 672, 112, true, 'HS', 1],
  [5, 672, 160, true, 'HS', 2],
  [5, 960, 160, true, 'HS', 1],
  [5, 960, 160, true, 'HS', 1],
];
const SMALL: readonly Row[] = [
  [3, 16, 16, true, 'RE', 2],
  [3, 72, 24, false, 'RE', 2],
  [3, 88, 24, false, 'RE', 1],
  [5, 96, 40, true, 'HS', 2],
  [5, 240, 40, true, 'HS', 1],
  [5, 240, 40, true, 'HS', 1],
  [5, 120, 48, true, 'HS', 1],
  [5, 144, 48, true, 'HS', 1],
  [5, 288, 96, true, 'HS', 2],
  [5, 576, 96, true, 'HS', 1],
  [5, 576, 96, true, 'HS', 1],
];
const STEM_WIDTH = 16;

interface Bottleneck extends Block {
  readonly hidden: number;
  readonly hasSqueeze: boolean;
  readonly hasSwish: boolean;
}

function mobileNetV3(name: string, rows: readonly Row[], denseWidth: number): Base {
  const blocks = rows.map(([kernel, hidden, out, hasSqueeze, activation, stride], i): Bottleneck => {
    const row = { out, kernel, stride, hidden, hasSqueeze, hasSwish: activation === 'HS' };
    return { at: `block${i + 1}`, expansion: 1, ...row };
  });
  return {
    name,
    genes: blockGenes(blocks, {
      widths: widthPlaces(blocks, STEM_WIDTH),
      kernels: [1, 3, 5, 7],
      expansions: tenths(0.8, 1.8),
    }),
    write: (s, x, layers) => {
      let y = convNorm(s.at('stem'), x, layers.channels(STEM_WIDTH), {
        kernel: 3,
        stride: 2,
        activation: hSwish,
      });
      y = writeBlocks(s, y, blocks, layers, {
        widthBefore: STEM_WIDTH,
        activation: ({ hasSwish }) => (hasSwish ? hSwish : relu),
        hidden: (block, factor) => layers.times(block.hidden, factor),
        squeeze: ({ hasSqueeze }, hidden) =>
          hasSqueeze ? { channels: makeDivisible(Math.floor(hidden / 4)) } : undefined,
      });
      y = convNorm(s.at('last'), y, 6 * y.length(1), { kernel: 1, activation: hSwish });
      y = hSwish(linear(s.at('dense'), globalAveragePool(y), layers.channels(denseWidth)));
      return linear(s.at('classifier'), y, layers.classes);
    },
  };
}

/**
 * As in nn-Meter, large and small networks in equal parts, whose stem stays; widths of stages vary, kernels of blocks,
 * and `e` is a factor of the paper's number of channels inside a block.
 */
export const nnlqpMobileNetV3 = familySpace({
  name: 'nnlqp-mobilenetv3',
  title: 'NNLQP MobileNetV3',
  paper: 'Liu et al., ICPP 2022; Howard et al., ICCV 2019',
  bases: [mobileNetV3('mobilenet_v3_large', LARGE, 1280), mobileNetV3('mobilenet_v3_small', SMALL, 1024)],
});

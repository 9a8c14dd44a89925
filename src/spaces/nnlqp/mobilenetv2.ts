// MobileNetV2 (Sandler et al. 2018): seventeen inverted residuals with ReLU6.
import { globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { convNorm, relu6 } from '../mobile/mobile-blocks.js';
import { familySpace, gene, WIDTHS } from './family.js';
import { blockGenes, blocksOf, type Stage, widthPlaces, writeBlocks } from './inverted.js';

const STAGES: readonly Stage[] = [
  [1, 3, 1, 16, 1],
  [6, 3, 2, 24, 2],
  [6, 3, 2, 32, 3],
  [6, 3, 2, 64, 4],
  [6, 3, 1, 96, 3],
  [6, 3, 2, 160, 3],
  [6, 3, 1, 320, 1],
];
const STEM_WIDTH = 32;
const LAST_WIDTH = 1280;
const BLOCKS = blocksOf(STAGES);
const KERNELS = [1, 3, 5, 7];
const EXPANSIONS = [1, 2, 3, 4, 5, 6, 7, 8];

/**
 * As in nn-Meter, the widths of the stem, the stages and the last convolution vary, and kernels and expansions of
 * blocks. The stem's kernel is one of its own here, in nn-Meter that of the first block. Blocks that expand by 1 have
 * no expanding convolution.
 */
export const nnlqpMobileNetV2 = familySpace({
  name: 'nnlqp-mobilenetv2',
  title: 'NNLQP MobileNetV2',
  paper: 'Liu et al., ICPP 2022; Sandler et al., CVPR 2018',
  bases: [
    {
      name: 'mobilenet_v2',
      genes: [
        gene('w', 'stem', 1, WIDTHS),
        gene('k', 'stem', 3, KERNELS),
        ...blockGenes(BLOCKS, {
          widths: widthPlaces(BLOCKS, STEM_WIDTH),
          kernels: KERNELS,
          expansions: EXPANSIONS,
        }),
        gene('w', 'last', 1, WIDTHS),
      ],
      write: (s, x, layers) => {
        const activation = relu6;
        const kernel = layers.of('k', 'stem');
        let y = convNorm(s.at('stem'), x, layers.channels(STEM_WIDTH, 'stem'), {
          kernel,
          stride: 2,
          activation,
        });
        y = writeBlocks(s, y, BLOCKS, layers, { widthBefore: STEM_WIDTH, activation: () => activation });
        y = convNorm(s.at('last'), y, layers.channels(LAST_WIDTH, 'last'), { kernel: 1, activation });
        return linear(s.at('classifier'), globalAveragePool(y), layers.classes);
      },
    },
  ],
});

// MnasNet (Tan et al. 2019), the form B1 without squeeze-and-excitation that torchvision has.
import { globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { convNorm, relu } from '../mobile/mobile-blocks.js';
import { familySpace } from './family.js';
import { blocksOf, mnasGenes, type Stage, writeBlocks } from './inverted.js';

const STAGES: readonly Stage[] = [
  [3, 3, 2, 24, 3],
  [3, 5, 2, 40, 3],
  [6, 5, 2, 80, 3],
  [6, 3, 1, 96, 2],
  [6, 5, 2, 192, 4],
  [6, 3, 1, 320, 1],
];
const STEM_WIDTH = 32;
/** Of the separable convolution after the stem. */
const FIRST_WIDTH = 16;
const LAST_WIDTH = 1280;
const BLOCKS = blocksOf(STAGES);

/**
 * As in nn-Meter, widths of stages, and kernels and expansions of blocks vary; what is before and behind them stays.
 * nn-Meter's blocks are those of form A1, with squeeze-and-excitation.
 */
export const nnlqpMnasNet = familySpace({
  name: 'nnlqp-mnasnet',
  title: 'NNLQP MnasNet',
  paper: 'Liu et al., ICPP 2022; Tan et al., CVPR 2019',
  bases: [
    {
      name: 'mnasnet1_0',
      genes: mnasGenes(BLOCKS, FIRST_WIDTH),
      write: (s, x, layers) => {
        const stem = layers.channels(STEM_WIDTH);
        const activation = relu;
        let y = convNorm(s.at('stem'), x, stem, { kernel: 3, stride: 2, activation });
        y = convNorm(s.at('first', 'depth'), y, stem, { kernel: 3, groups: stem, activation });
        y = convNorm(s.at('first', 'project'), y, layers.channels(FIRST_WIDTH), { kernel: 1 });
        y = writeBlocks(s, y, BLOCKS, layers, { widthBefore: FIRST_WIDTH, activation: () => activation });
        y = convNorm(s.at('last'), y, layers.channels(LAST_WIDTH), { kernel: 1, activation });
        return linear(s.at('classifier'), globalAveragePool(y), layers.classes);
      },
    },
  ],
});

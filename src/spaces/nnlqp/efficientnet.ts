// EfficientNet-B0 (Tan & Le 2019): inverted residuals with squeeze-and-excitation and swish.
import { globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { convNorm, sigmoid, swish } from '../mobile/mobile-blocks.js';
import { familySpace } from './family.js';
import { blocksOf, mnasGenes, type Stage, writeBlocks } from './inverted.js';

const STAGES: readonly Stage[] = [
  [1, 3, 1, 16, 1],
  [6, 3, 2, 24, 2],
  [6, 5, 2, 40, 2],
  [6, 3, 2, 80, 3],
  [6, 5, 1, 112, 3],
  [6, 5, 2, 192, 4],
  [6, 3, 1, 320, 1],
];
const STEM_WIDTH = 32;
const LAST_WIDTH = 1280;
const BLOCKS = blocksOf(STAGES);

/**
 * NNLQP's type is efficientb0, so B0 is the base. nn-Meter has no EfficientNet; what varies is our choice, that of its
 * MnasNet, which has the same blocks.
 */
export const nnlqpEfficientNet = familySpace({
  name: 'nnlqp-efficientnet',
  title: 'NNLQP EfficientNet',
  paper: 'Liu et al., ICPP 2022; Tan & Le, ICML 2019',
  bases: [
    {
      name: 'efficientnet_b0',
      genes: mnasGenes(BLOCKS, STEM_WIDTH),
      write: (s, x, layers) => {
        const activation = swish;
        let y = convNorm(s.at('stem'), x, layers.channels(STEM_WIDTH), { kernel: 3, stride: 2, activation });
        y = writeBlocks(s, y, BLOCKS, layers, {
          widthBefore: STEM_WIDTH,
          activation: () => activation,
          squeeze: (_, __, before) => ({
            channels: Math.max(1, Math.floor(before / 4)),
            activation,
            gate: sigmoid,
          }),
        });
        y = convNorm(s.at('last'), y, layers.channels(LAST_WIDTH), { kernel: 1, activation });
        return linear(s.at('classifier'), globalAveragePool(y), layers.classes);
      },
    },
  ],
});

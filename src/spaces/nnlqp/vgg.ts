// VGG (Simonyan & Zisserman 2015): stages of convolutions, each stage ended by pooling, and three dense layers.
import { conv2d, maxPool2d } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { batchNorm } from '../../nn/normalise.js';
import { type Base, familySpace, gene, WIDTHS } from './family.js';
import { adaptiveAveragePool, flatten } from './pooling.js';

const STAGE_WIDTHS = [64, 128, 256, 512, 512];
/** Convolutions of the stages, by the number of layers with weights. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  16: [2, 2, 3, 3, 3],
  11: [1, 1, 2, 2, 2],
  13: [2, 2, 2, 2, 2],
  19: [2, 2, 4, 4, 4],
};
const DENSE = ['fc1', 'fc2'];
const DENSE_WIDTH = 4096;
const KERNELS = [1, 3, 5, 7];

function vgg(name: string, depths: readonly number[], hasNorm: boolean): Base {
  const stages = depths.map((count, stage) =>
    Array.from({ length: count }, (_, i) => ({ at: `conv${stage + 1}_${i + 1}`, out: STAGE_WIDTHS[stage]! })),
  );
  const places = stages.flat().map(({ at }) => at);
  return {
    name,
    genes: [
      ...[...places, ...DENSE].map((at) => gene('w', at, 1, WIDTHS)),
      ...places.map((at) => gene('k', at, 3, KERNELS)),
    ],
    write: (s, x, layers) => {
      let y = x;
      for (const stage of stages) {
        for (const { at, out } of stage) {
          const kernel = layers.of('k', at);
          // torchvision's have a bias before normalisation too.
          y = conv2d(s.at(at), y, layers.channels(out, at), { kernel, padding: (kernel - 1) / 2 });
          if (hasNorm) y = batchNorm(s.at(at, 'norm'), y);
          y = y.relu();
        }
        y = maxPool2d(y, { kernel: 2 });
      }
      y = flatten(adaptiveAveragePool(y, 7));
      for (const at of DENSE) y = linear(s.at(at), y, layers.channels(DENSE_WIDTH, at)).relu();
      return linear(s.at('classifier'), y, layers.classes);
    },
  };
}

/**
 * NNLQP's are variants of VGG-16; nn-Meter also has 11, 13 and 19 layers, all with batch normalisation, which folded
 * graphs do not show. Both forms are here, as torchvision has them.
 */
export const nnlqpVgg = familySpace({
  name: 'nnlqp-vgg',
  title: 'NNLQP VGG',
  paper: 'Liu et al., ICPP 2022; Simonyan & Zisserman, ICLR 2015',
  bases: [16, 11, 13, 19].flatMap((layers) => [
    vgg(`vgg${layers}_bn`, DEPTHS[layers]!, true),
    vgg(`vgg${layers}`, DEPTHS[layers]!, false),
  ]),
});

// AlexNet (Krizhevsky et al. 2012, in the form of Krizhevsky 2014 that torchvision has): five convolutions and three
// dense layers.
import { conv2d, maxPool2d } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { familySpace, gene, WIDTHS } from './family.js';
import { adaptiveAveragePool, flatten } from './pooling.js';

const CONVOLUTIONS = [
  { at: 'conv1', out: 64, kernel: 11, stride: 4, isPooled: true },
  { at: 'conv2', out: 192, kernel: 5, stride: 1, isPooled: true },
  { at: 'conv3', out: 384, kernel: 3, stride: 1, isPooled: false },
  { at: 'conv4', out: 256, kernel: 3, stride: 1, isPooled: false },
  { at: 'conv5', out: 256, kernel: 3, stride: 1, isPooled: true },
];
const DENSE = ['fc1', 'fc2'];
const DENSE_WIDTH = 4096;
const KERNELS = [1, 3, 5, 7];

/** As in nn-Meter, widths of all hidden layers and all kernels vary. The first kernel may also stay 11. */
export const nnlqpAlexNet = familySpace({
  name: 'nnlqp-alexnet',
  title: 'NNLQP AlexNet',
  paper: 'Liu et al., ICPP 2022; Krizhevsky et al., NeurIPS 2012',
  bases: [
    {
      name: 'alexnet',
      genes: [
        ...[...CONVOLUTIONS.map(({ at }) => at), ...DENSE].map((at) => gene('w', at, 1, WIDTHS)),
        ...CONVOLUTIONS.map(({ at, kernel }) => gene('k', at, kernel, KERNELS)),
      ],
      write: (s, x, layers) => {
        let y = x;
        for (const { at, out, stride, isPooled } of CONVOLUTIONS) {
          const kernel = layers.of('k', at);
          // Of the strided one as much as makes 55 or 56 positions of 224, which pooling makes 27.
          const padding = stride === 1 ? (kernel - 1) / 2 : Math.max(0, (kernel - 7) / 2);
          y = conv2d(s.at(at), y, layers.channels(out, at), { kernel, stride, padding }).relu();
          if (isPooled) y = maxPool2d(y, { kernel: 3, stride: 2 });
        }
        y = flatten(adaptiveAveragePool(y, 6));
        for (const at of DENSE) y = linear(s.at(at), y, layers.channels(DENSE_WIDTH, at)).relu();
        return linear(s.at('classifier'), y, layers.classes);
      },
    },
  ],
});

import { describeFamily } from './family.testing.js';
import { nnlqpVgg } from './vgg.js';

describeFamily(nnlqpVgg, {
  small: { resolution: 32, width: 0.02 },
  refused: [
    ['vgg17', /unknown network 'vgg17'/],
    ['vgg11:k3', /'k' has 1 values, not 8/],
    ['vgg11:k3,3,3,3,3,3,3,9', /value 8 of 'k', of conv5_2/],
  ],
});

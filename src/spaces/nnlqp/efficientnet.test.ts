import { nnlqpEfficientNet } from './efficientnet.js';
import { describeFamily } from './family.testing.js';

describeFamily(nnlqpEfficientNet, {
  small: { resolution: 32, width: 0.1 },
  refused: [
    ['efficientnet_b1', /unknown network/],
    ['efficientnet_b0:k1,3,5,5,5,3,3,3,5,5,5,5,5,5,5,3', /of block1_1, cannot be '1'/],
  ],
});

import { describeFamily } from './family.testing.js';
import { nnlqpSqueezeNet } from './squeezenet.js';

describeFamily(nnlqpSqueezeNet, {
  small: { resolution: 32, width: 0.1 },
  refused: [
    ['squeezenet1_2', /unknown network/],
    ['squeezenet1_1:k3,3,3,3,3,3,3,2', /of fire9, cannot be '2'/],
  ],
});

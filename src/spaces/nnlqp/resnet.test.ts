import { describeFamily } from './family.testing.js';
import { nnlqpResNet } from './resnet.js';

describeFamily(nnlqpResNet, {
  small: { resolution: 32, width: 0.05 },
  refused: [
    ['resnet101', /unknown network 'resnet101'/],
    ['resnet18:e4', /'e4' does not apply/],
    ['resnet18:w1,1,1.3', /of stage4, cannot be '1.3'/],
  ],
});

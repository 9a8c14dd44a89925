import { describeFamily } from './family.testing.js';
import { nnlqpMobileNetV3 } from './mobilenetv3.js';

describeFamily(nnlqpMobileNetV3, {
  small: { resolution: 32, width: 0.1 },
  refused: [
    ['mobilenet_v3', /unknown network/],
    ['mobilenet_v3_small:w1,1,1,1,2', /of block9, cannot be '2'/],
  ],
});

import { describeFamily } from './family.testing.js';
import { nnlqpMobileNetV2 } from './mobilenetv2.js';

describeFamily(nnlqpMobileNetV2, {
  small: { resolution: 32, width: 0.1 },
  refused: [
    ['mobilenet_v2:e6', /'e' has 1 values, not 17/],
    ['mobilenet_v2:e1,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,9', /of block7_1, cannot be '9'/],
  ],
});

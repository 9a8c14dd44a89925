import { describeFamily } from './family.testing.js';
import { nnlqpGoogLeNet } from './googlenet.js';

describeFamily(nnlqpGoogLeNet, {
  small: { resolution: 32, width: 0.05 },
  refused: [['googlenet:k5', /'k' has 1 values, not 18/]],
});

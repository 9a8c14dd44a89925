import { describeFamily } from './family.testing.js';
import { nnlqpMnasNet } from './mnasnet.js';

describeFamily(nnlqpMnasNet, {
  small: { resolution: 32, width: 0.1 },
  refused: [['mnasnet1_0:w1,1,1,1,1', /'w' has 5 values, not 6/]],
});

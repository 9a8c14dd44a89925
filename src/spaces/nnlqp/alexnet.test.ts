import { nnlqpAlexNet } from './alexnet.js';
import { describeFamily } from './family.testing.js';

describeFamily(nnlqpAlexNet, {
  small: { resolution: 64, width: 0.05 },
  refused: [
    ['', /unknown network ''/],
    ['resnet18', /unknown network 'resnet18'/],
    ['alexnet:e1', /'e1' does not apply to alexnet/],
    ['alexnet:w1,1,1,1,1,1,1:w1,1,1,1,1,1,1', /'w' is there twice/],
    ['alexnet:w1,1,1', /'w' has 3 values, not 7/],
    ['alexnet:k11,5,3,3,4', /value 5 of 'k', of conv5, cannot be '4'/],
    ['alexnet:k11,5,3,3,', /value 5 of 'k', of conv5, cannot be ''/],
    ['alexnet:k11,11,3,3,3', /value 2 of 'k', of conv2/],
    ['alexnet:w1,1,1,1,1,1,0.25', /value 7 of 'w', of fc2/],
  ],
});

import { describe, it } from 'vitest';
import { conv2d, convBlock, globalAveragePool, maxPool2d } from './convolution.js';
import { expectGolden } from './golden.testing.js';

describe('is PyTorch’s:', () => {
  it('conv2d with stride and padding', () =>
    expectGolden('convolution/conv2d', (s, { x }) => conv2d(s, x!, 3, { kernel: 3, stride: 2, padding: 1 })));

  it('conv2d in groups, with a kernel that is not square', () =>
    expectGolden('convolution/conv2dGroups', (s, { x }) =>
      conv2d(s, x!, 6, { kernel: [1, 3], padding: [0, 1], groups: 2, bias: false }),
    ));

  it('conv2d with a dilated kernel', () =>
    expectGolden('convolution/conv2dDilated', (s, { x }) =>
      conv2d(s, x!, 2, { kernel: 3, stride: 2, padding: 2, dilation: 2, groups: 2, bias: false }),
    ));

  it('convBlock', () =>
    expectGolden('convolution/convBlock', (s, { x }) => convBlock(s, x!, 3, { kernel: 3, padding: 1 })));

  it('globalAveragePool', () =>
    expectGolden('convolution/globalAveragePool', (_, { x }) => globalAveragePool(x!)));

  it('maxPool2d', () =>
    expectGolden('convolution/maxPool2d', (_, { x }) => maxPool2d(x!, { kernel: 3, stride: 2, padding: 1 })));
});

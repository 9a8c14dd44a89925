import { describe, it } from 'vitest';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';

const CASES: readonly GradientCase[] = [
  { op: 'DFT', inputs: [random(2, 5, 1)] },
  { op: 'DFT', inputs: [random(2, 6, 2)] },
  { op: 'DFT', inputs: [random(3, 4, 2), null, ints([0], [])] },
  { op: 'DFT', inputs: [random(2, 6, 1)], attributes: { onesided: 1 } },
  { op: 'DFT', inputs: [random(2, 5, 1)], attributes: { onesided: 1 } },
  { op: 'DFT', inputs: [random(2, 6, 2)], attributes: { inverse: 1 } },
  { op: 'DFT', inputs: [random(2, 6, 1), ints([4], [])] },
  { op: 'DFT', inputs: [random(2, 3, 2), ints([7], [])] },
  { op: 'DFT', inputs: [random(2, 5, 1), ints([8], [])], attributes: { onesided: 1 } },
  { op: 'DFT', inputs: [random(2, 4, 3, 1)], attributes: { axis: 2 }, opset: 17 },
  { op: 'DFT', inputs: [random(4, 3, 2)], attributes: { axis: 1, inverse: 1 }, opset: 17 },
  { op: 'DFT', inputs: [random(2, 4, 2)], attributes: { onesided: 1, inverse: 1 } },
  { op: 'DFT', inputs: [random(2, 4, 2), ints([7], [])], attributes: { onesided: 1, inverse: 1 } },
];

const SHORT_TIME: readonly GradientCase[] = [
  { op: 'STFT', inputs: [random(2, 10, 1), ints([3], []), random(4)] },
  { op: 'STFT', inputs: [random(1, 9, 1), ints([2], []), null, ints([5], [])] },
  {
    op: 'STFT',
    inputs: [random(2, 8, 1), ints([2], []), random(4), ints([4], [])],
    attributes: { onesided: 0 },
  },
];

describe('gradients of Fourier transforms', () => {
  it.each(titled([...CASES, ...SHORT_TIME]))('%s', async (_, test) => {
    await expectGradient({ ...test, second: true });
  });
});

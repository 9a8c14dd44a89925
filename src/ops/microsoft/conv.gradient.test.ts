import { describe, it } from 'vitest';
import { expectGradient, type GradientCase, random } from '../../autodiff/check.testing.js';
import type { ShortAttribute } from '../ort.testing.js';

const domain = 'com.microsoft';
const floats = (...value: number[]): ShortAttribute => ({ type: 'floats', value });

describe('FusedConv', () => {
  const [image, kernel] = [random(1, 2, 4, 4), random(2, 2, 3, 3)];
  it.each<[string, GradientCase['inputs'], Record<string, ShortAttribute>]>([
    ['with Sigmoid and a bias', [image, kernel, random(2)], { activation: 'Sigmoid', pads: [1, 1, 1, 1] }],
    ['with an addend', [image, kernel, random(2), random(1, 2, 2, 2)], { activation: 'Tanh' }],
    [
      'with Clip in groups',
      [image, random(2, 1, 3, 3)],
      { activation: 'Clip', activation_params: floats(-20, 20), group: 2, strides: [2, 2] },
    ],
    [
      'with HardSigmoid',
      [image, kernel],
      { activation: 'HardSigmoid', activation_params: floats(0.02, 0.5), auto_pad: 'SAME_UPPER' },
    ],
  ])('%s', async (_, inputs, attributes) => {
    await expectGradient({ op: 'FusedConv', domain, dtype: 'float32', inputs, attributes });
  });
});

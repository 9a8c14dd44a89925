import { describe, expect, it } from 'vitest';
import { formatType } from '../../../graph/types.js';
import { apply, costOf, float, half } from '../../cases.testing.js';
import { expectSameAsOrt, inferSymbolic, inferTypes, shapesOf, type TestCase } from '../../ort.testing.js';

/** X with scale, bias, mean and variance. */
const batch = (x: readonly number[], statistics: readonly number[]) => [
  float(...x),
  ...Array.from({ length: 4 }, () => float(...statistics)),
];

const CASES: readonly TestCase[] = [
  apply('BatchNormalization', batch([2, 3, 4, 5], [3])),
  apply('BatchNormalization', batch([2, 3], [3]), {}, { opset: 9 }),
  apply('BatchNormalization', batch([3], [1]), {}, { opset: 14 }),
  apply('BatchNormalization', batch([2, 3, 4], [3, 4]), { spatial: 0 }, { opset: 7 }),
  apply('BatchNormalization', batch([2, 3, 4], [3]), {}, { opset: 7, outputs: 5 }),
  apply('BatchNormalization', batch([2, 3, 4], [3]), { training_mode: 1 }, { opset: 15, outputs: 3 }),
  apply('BatchNormalization', [half(2, 3, 4), half(3), half(3), float(3), float(3)], {}, { opset: 15 }),
  apply('InstanceNormalization', [float(2, 3, 4), float(3), float(3)]),
  apply('LayerNormalization', [float(2, 3, 4), float(4), float(4)], {}, { outputs: 3 }),
  apply('LayerNormalization', [half(2, 3, 4), half(3, 4)], { axis: 1 }, { opset: 17, outputs: 3 }),
  apply('LayerNormalization', [float(2, 3, 4), float(1)], { axis: -3 }),
  apply('GroupNormalization', [float(2, 4, 4), float(2), float(2)], { num_groups: 2 }, { opset: 18 }),
  apply('GroupNormalization', [float(2, 4, 4), float(4), float(4)], { num_groups: 2 }, { opset: 21 }),
  apply('RMSNormalization', [float(2, 4, 4), float(4)], {}, { opset: 23 }),
  apply('LRN', [float(2, 4, 5, 6)], { size: 3 }),
  apply('MeanVarianceNormalization', [float(2, 4, 5, 6)]),
  apply('LpNormalization', [float(2, 4)], { axis: 0, p: 1 }),
];

describe('normalisations', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('give the element types that ONNX Runtime has no kernel for', () => {
    // The statistics keep their own type; LayerNormalization's come as stash_type (11 is float64).
    const mixed = [half(2, 3, 4), half(3), half(3), float(3), float(3)];
    const training = apply('BatchNormalization', mixed, { training_mode: 1 }, { opset: 15, outputs: 3 });
    expect(inferTypes(training).map(formatType)).toEqual(['float16[2,3,4]', 'float32[3]', 'float32[3]']);
    const layer = apply('LayerNormalization', [float(2, 3), float(3)], { stash_type: 11 }, { outputs: 2 });
    expect(inferTypes(layer).map(formatType)).toEqual(['float32[2,3]', 'float64[2,1]']);
    const rms = apply('RMSNormalization', [half(2, 3), float(3)], {}, { opset: 23 });
    expect(inferTypes(rms).map(formatType)).toEqual(['float32[2,3]']);
  });

  it('keep symbolic sizes', () => {
    const layer = apply('LayerNormalization', [float(1, 1, 4), float(4)], {}, { outputs: 2 });
    expect(shapesOf(inferSymbolic(layer, { 0: ['n', 's', '4'] }))).toEqual(['[n,s,4]', '[n,s,1]']);
  });

  it('count their statistics', () => {
    expect(costOf(apply('BatchNormalization', batch([2, 3, 4], [3])))).toEqual({ otherFlops: 48 });
    const training = apply('BatchNormalization', batch([2, 3, 4], [3]), { training_mode: 1 });
    expect(costOf(training)).toEqual({ otherFlops: 7 * 24 });
    expect(costOf(apply('BatchNormalization', batch([2, 3, 4], [3]), { is_test: 1 }, { opset: 6 }))).toEqual({
      otherFlops: 48,
    });
    expect(costOf(apply('LayerNormalization', [float(2, 3), float(3), float(3)]))).toEqual({
      otherFlops: 42,
    });
    expect(costOf(apply('LayerNormalization', [float(2, 3), float(3)]))).toEqual({ otherFlops: 36 });
    expect(costOf(apply('LRN', [float(1, 4, 2, 2)], { size: 5 }))).toEqual({ otherFlops: 160 });
  });

  it.each([
    ['a scale of another size', apply('BatchNormalization', batch([2, 3, 4], [4])), /the scale/],
    [
      'groups that do not divide',
      apply('GroupNormalization', [float(2, 4, 4), float(4), float(4)], { num_groups: 3 }),
      /3 groups/,
    ],
    [
      'no groups',
      apply('GroupNormalization', [float(2, 4, 4), float(4), float(4)], { num_groups: 0 }),
      /num_groups/,
    ],
    [
      'an axis that is not there',
      apply('LayerNormalization', [float(2, 3), float(3)], { axis: 2 }),
      /axis 2/,
    ],
    ['a scale that does not broadcast', apply('LayerNormalization', [float(2, 3), float(2)]), /broadcast/],
    ['a scalar', apply('BatchNormalization', batch([], [1])), /rank 1/],
  ])('refuse %s', (_, test, message) => {
    expect(() => inferTypes(test)).toThrowError(message);
  });
});

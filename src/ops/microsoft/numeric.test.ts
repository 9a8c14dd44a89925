import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferSymbolic, inferTypes, input, shapesOf } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

describe('numerics', () => {
  it.each([
    ms('Inverse', [input('float32', [2, 2, 2], [1, 0, 0, 1, 1, 0, 0, 1])]),
    ms('CDist', [float(3, 5), float(4, 5)]),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it.each([
    [ms('Rfft', [float(2, 8)], { signal_ndim: 1 }), '[2,5,2]'],
    [ms('Irfft', [float(2, 5, 2)], { signal_ndim: 1 }), '[2,8]'],
    [ms('ComplexMul', [half(3, 1, 2), half(4, 2)]), '[3,4,2]'],
    [ms('ComplexMulConj', [half(3, 2), half(3, 2)]), '[3,2]'],
    [ms('IsAllFinite', [float(3), float(2)]), '[]'],
    [ms('DynamicTimeWarping', [float(1, 4, 6)]), '[2,y0[1]]'],
  ])('infers what only other devices run', (test, shape) => {
    expect(shapesOf(inferTypes(test))).toEqual([shape]);
  });

  it('keeps symbols', () => {
    expect(shapesOf(inferSymbolic(ms('CDist', [float(3, 5), float(4, 5)]), { 0: ['n', '5'] }))).toEqual([
      '[n,4]',
    ]);
  });

  it('counts', () => {
    expect(costOf(ms('CDist', [float(3, 5), float(4, 5)]))).toEqual({ otherFlops: 3 * 5 * 12 });
    expect(costOf(ms('Rfft', [float(3, 8)]))).toEqual({ otherFlops: 3 * 2.5 * 8 * 3 });
    expect(costOf(ms('Inverse', [float(2, 4, 4)]))).toEqual({ otherFlops: 2 * 2 * 4 ** 3 });
    expect(costOf(ms('IsAllFinite', [float(3), float(2)]))).toEqual({ otherFlops: 5 });
  });

  it.each([
    ms('Inverse', [float(2, 3)]),
    ms('CDist', [float(3, 5), float(4, 6)]),
    ms('ComplexMul', [half(3, 3), half(3, 3)]),
    ms('Irfft', [float(2, 5)], { signal_ndim: 1 }),
    ms('Rfft', [float(2, 5)], { signal_ndim: 1e9 }),
  ])('refuses what does not fit', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: `com.microsoft.${test.op}` } }),
    );
  });
});

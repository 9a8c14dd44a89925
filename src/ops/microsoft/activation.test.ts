import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferSymbolic, inferTypes, input, knownScalar, shapesOf } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

describe('fused activations', () => {
  it.each([
    ms('Gelu', [float(2, 3)]),
    ms('FastGelu', [float(2, 3), float(3)]),
    ms('QuickGelu', [float(2, 3)], { alpha: { type: 'float', value: 1.5 } }),
    ms('BiasGelu', [float(2, 3, 4), float(4)]),
    ms('GatedAdd', [float(2, 3, 4), float(2, 3, 4), float(2, 3, 1)]),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it.each([
    [ms('BiasSplitGelu', [half(1, 64, 8), half(8)]), ['float16[1,64,4]']],
    [ms('BiasAdd', [half(1, 64, 8), half(8), half(1, 64, 8)]), ['float16[1,64,8]']],
    [
      ms('BiasSoftmax', [half(2, 4, 8), half(2, 1, 8)], { axis: 2, is_inner_broadcast: 0 }),
      ['float16[2,4,8]'],
    ],
    [ms('BiasDropout', [float(2, 8), float(8), float(2, 8)], {}, 2), ['float32[2,8]', 'bool[2,8]']],
    [ms('BitmaskDropout', [float(5, 8)], {}, 2), ['float32[5,8]', 'uint32[2]']],
    [ms('BitmaskBiasDropout', [float(5, 8), float(8)], {}, 2), ['float32[5,8]', 'uint32[2]']],
  ])('infers what only other devices run', (test, types) => {
    expect(inferTypes(test).map(String)).toEqual(types);
  });

  it('keeps symbols', () => {
    const split = ms('BiasSplitGelu', [half(1, 64, 8), half(8)]);
    expect(shapesOf(inferSymbolic(split, { 0: ['batch', 'pixels', '8'] }))).toEqual(['[batch,pixels,4]']);
    const mask = ms('BitmaskDropout', [float(5, 8)], {}, 2);
    expect(shapesOf(inferSymbolic(mask, { 0: ['batch', '64'] }))).toEqual(['[batch,64]', '[2*batch]']);
  });

  it('counts the additions', () => {
    expect(costOf(ms('FastGelu', [float(2, 3)]))).toEqual({ otherFlops: 5 * 6 });
    expect(costOf(ms('FastGelu', [float(2, 3), float(3)]))).toEqual({ otherFlops: 6 * 6 });
    const dropout = (training: 0 | 1) =>
      ms('BiasDropout', [float(2, 8), float(8), float(2, 8), null, knownScalar(training, 'bool')]);
    expect(costOf(dropout(0))).toEqual({ otherFlops: 2 * 16 });
    expect(costOf(dropout(1))).toEqual({ otherFlops: 4 * 16 });
  });

  it('refuses a bias that does not fit', () => {
    const test = ms('BiasGelu', [float(2, 3, 4), float(5)]);
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code: 'SHAPE_MISMATCH' }));
    const odd = ms('BiasSplitGelu', [half(1, 64, 7), half(7)]);
    expect(() => inferTypes(odd)).toThrowError(expect.objectContaining({ code: 'SHAPE_MISMATCH' }));
    const axis = ms('BiasSoftmax', [input('float32', [2, 3]), float(3)], { axis: 5, is_inner_broadcast: 0 });
    expect(() => inferTypes(axis)).toThrowError(expect.objectContaining({ code: 'SHAPE_MISMATCH' }));
  });
});

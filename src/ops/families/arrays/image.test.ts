import { describe, expect, it } from 'vitest';
import { formatType } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  knownScalar,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const CASES: readonly TestCase[] = [
  apply('GridSample', [float(1, 2, 4, 4), float(1, 3, 5, 2)], {}, { opset: 16 }),
  apply('GridSample', [float(1, 2, 4, 4), float(1, 3, 5, 2)], { mode: 'bicubic' }, { opset: 16 }),
  apply('GridSample', [float(1, 2, 4, 4, 4), float(1, 3, 5, 6, 3)], {}, { opset: 20 }),
  apply('AffineGrid', [float(2, 2, 3), known([2, 3, 4, 5])], {}, { opset: 20 }),
  apply('AffineGrid', [float(2, 3, 4), known([2, 3, 4, 5, 6])], {}, { opset: 20 }),
  apply('Col2Im', [float(1, 10, 5), known([5, 5]), known([1, 5])], {}, { opset: 18 }),
  apply('Col2Im', [float(1, 9, 4), known([5, 5]), known([3, 3])], { strides: [2, 2] }, { opset: 18 }),
  apply('Col2Im', [float(1, 10, 5), known([5]), known([1])], {}, { opset: 18 }),
  apply('NonMaxSuppression', [float(1, 6, 4), float(1, 2, 6)], {}, { opset: 11 }),
];

describe('image operators', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('name sizes that only running can tell', () => {
    const boxes = [float(1, 6, 4), float(1, 2, 6), knownScalar(3)];
    expect(inferTypes(apply('NonMaxSuppression', boxes)).map(formatType)).toEqual(['int64[y0[0],3]']);
    const decode = apply('ImageDecoder', [input('uint8', [100])], { pixel_format: 'Grayscale' });
    expect(inferTypes(decode).map(formatType)).toEqual(['uint8[y0[0],y0[1],1]']);
    const grid = apply('AffineGrid', [float(2, 2, 3), input('int64', [4])]);
    expect(shapesOf(inferTypes(grid))).toEqual(['[2,y0[1],y0[2],2]']);
    const fold = apply('Col2Im', [float(1, 9, 4), input('int64', [2]), known([3, 3])]);
    expect(shapesOf(inferTypes(fold))).toEqual(['[1,1,y0[2],y0[3]]']);
  });

  it('keep symbolic sizes', () => {
    const sample = apply('GridSample', [float(1, 2, 4, 4), float(1, 3, 5, 2)]);
    expect(shapesOf(inferSymbolic(sample, { 0: ['n', '2', 'h', 'w'], 1: ['n', 'a', 'b', '2'] }))).toEqual([
      '[n,2,a,b]',
    ]);
    const fold = apply('Col2Im', [float(1, 18, 9), known([5, 5]), known([3, 3])]);
    expect(shapesOf(inferSymbolic(fold, { 0: ['n', 'c', 'l'] }))).toEqual(['[n,floor(c/9),5,5]']);
  });

  it('count taps', () => {
    const images = [float(1, 2, 4, 4), float(1, 3, 5, 2)];
    expect(costOf(apply('GridSample', images))).toEqual({ otherFlops: 30 * 7 });
    expect(costOf(apply('GridSample', images, { mode: 'nearest' }))).toEqual({ otherFlops: 0 });
    expect(costOf(apply('GridSample', images, { mode: 'cubic' }))).toEqual({ otherFlops: 30 * 31 });
    expect(costOf(apply('AffineGrid', [float(2, 2, 3), known([2, 3, 4, 5])]))).toEqual({
      otherFlops: 80 * 4,
    });
    expect(costOf(apply('Col2Im', [float(1, 10, 5), known([5, 5]), known([1, 5])]))).toEqual({
      otherFlops: 50,
    });
  });

  it.each([
    ['a grid of another rank', apply('GridSample', [float(1, 2, 4, 4), float(1, 3, 5, 6, 3)]), /the grid/],
    [
      'a mode that does not exist',
      apply('GridSample', [float(1, 2, 4, 4), float(1, 3, 5, 2)], { mode: 'x' }),
      /mode 'x'/,
    ],
    ['a map of another rank', apply('AffineGrid', [float(2, 3, 4), known([2, 3, 4, 5])]), /theta/],
    [
      'four dimensions',
      apply('AffineGrid', [float(2, 4, 5), known([2, 3, 4, 5, 6, 7])]),
      /2 or 3 dimensions/,
    ],
    [
      'a block that does not divide',
      apply('Col2Im', [float(1, 10, 9), known([5, 5]), known([3, 3])]),
      /equal parts/,
    ],
    ['an empty block', apply('Col2Im', [float(1, 10, 9), known([5, 5]), known([0, 3])]), /block_shape/],
    ['too many patches', apply('Col2Im', [float(1, 9, 10), known([5, 5]), known([3, 3])]), /the patches/],
    ['boxes of five numbers', apply('NonMaxSuppression', [float(1, 6, 5), float(1, 2, 6)]), /the boxes/],
    ['scores of other boxes', apply('NonMaxSuppression', [float(1, 6, 4), float(1, 2, 7)]), /the scores/],
    [
      'a pixel format that does not exist',
      apply('ImageDecoder', [input('uint8', [9])], { pixel_format: 'CMYK' }),
      /CMYK/,
    ],
  ])('refuse %s', (_, test, message) => {
    expect(() => inferTypes(test)).toThrowError(message);
  });
});

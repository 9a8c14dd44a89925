import { describe, expect, it } from 'vitest';
import { apply, costOf, float, zeros } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const indices = input('int64', [1, 1, 2, 2], [0, 1, 2, 3]);

const CASES: readonly TestCase[] = [
  apply('MaxPool', [float(1, 2, 4, 4)], { kernel_shape: [2, 2] }, { outputs: 2 }),
  apply('MaxPool', [input('uint8', [1, 2, 4, 4])], { kernel_shape: [2, 2], strides: [2, 2] }, { opset: 12 }),
  apply('MaxPool', [float(1, 2, 9)], { kernel_shape: [3], pads: [1, 1] }, { opset: 1 }),
  apply('MaxPool', [float(1, 2, 9, 9, 9)], { kernel_shape: [3, 2, 1], strides: [2, 1, 3] }, { opset: 8 }),
  apply(
    'MaxPool',
    [float(2, 3, 8, 8)],
    { kernel_shape: [3, 3], strides: [2, 2], ceil_mode: 1 },
    { opset: 22 },
  ),
  apply('AveragePool', [float(1, 2, 7, 7)], { kernel_shape: [7, 7] }, { opset: 7 }),
  apply('AveragePool', [float(1, 2, 7)], { kernel_shape: [2], dilations: [2], ceil_mode: 1 }, { opset: 19 }),
  apply('LpPool', [float(1, 2, 7)], { kernel_shape: [3], p: 1 }, { opset: 2 }),
  apply('LpPool', [float(1, 2, 7)], { kernel_shape: [3], dilations: [2] }, { opset: 18 }),
  apply('GlobalAveragePool', [float(2, 3, 4, 5)]),
  apply('GlobalMaxPool', [float(2, 3, 4)], {}, { opset: 1 }),
  apply('GlobalLpPool', [float(2, 3, 4, 5, 6)]),
  apply('MaxUnpool', [float(1, 1, 2, 2), indices], { kernel_shape: [2, 2], strides: [2, 2] }),
  apply('MaxUnpool', [float(1, 1, 2, 2), indices], {
    kernel_shape: [2, 2],
    strides: [2, 2],
    pads: [1, 0, 0, 0],
  }),
  apply('MaxUnpool', [float(1, 1, 2, 2), indices, known([1, 1, 5, 5])], {
    kernel_shape: [2, 2],
    strides: [2, 2],
  }),
  apply('MaxRoiPool', [float(1, 2, 6, 6), zeros('float32', 3, 5)], { pooled_shape: [2, 3] }),
  apply('RoiAlign', [float(1, 2, 6, 6), float(3, 4), zeros('int64', 3)], {
    output_height: 2,
    output_width: 3,
  }),
  apply('RoiAlign', [float(1, 2, 6, 6), float(3, 4), zeros('int64', 3)], {}, { opset: 10 }),
];

describe('poolings', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('keep symbolic sizes', () => {
    const pool = apply('GlobalAveragePool', [float(1, 8, 7, 7)]);
    expect(shapesOf(inferSymbolic(pool, { 0: ['n', '8', 'h', 'w'] }))).toEqual(['[n,8,1,1]']);
    const regions = apply('RoiAlign', [float(1, 2, 6, 6), float(3, 4), zeros('int64', 3)]);
    expect(shapesOf(inferSymbolic(regions, { 1: ['k', '4'] }))).toEqual(['[k,2,1,1]']);
    const unpool = apply('MaxUnpool', [float(1, 1, 2, 2), indices, input('int64', [4])], {
      kernel_shape: [2, 2],
    });
    expect(shapesOf(inferTypes(unpool))).toEqual(['[1,1,y0[2],y0[3]]']);
  });

  it('count what their windows see', () => {
    const pool = { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] };
    expect(costOf(apply('MaxPool', [float(1, 64, 112, 112)], pool))).toEqual({
      otherFlops: 64 * 56 * 56 * 9,
    });
    expect(costOf(apply('LpPool', [float(1, 2, 7)], { kernel_shape: [3] }))).toEqual({
      otherFlops: 2 * 5 * 3 * 2,
    });
    expect(costOf(apply('GlobalAveragePool', [float(2, 3, 4, 5)]))).toEqual({ otherFlops: 120 });
    const align = { output_height: 7, output_width: 7, sampling_ratio: 3 };
    const regions = [float(1, 2, 6, 6), float(3, 4), zeros('int64', 3)];
    expect(costOf(apply('RoiAlign', regions, align))).toEqual({ otherFlops: 3 * 2 * 49 * 9 * 8 });
  });

  it.each([
    ['rank 2', apply('MaxPool', [float(3, 4)], { kernel_shape: [2] }), /rank 3 or more/],
    [
      'regions of another form',
      apply('MaxRoiPool', [float(1, 2, 6, 6), float(3, 4)], { pooled_shape: [2, 2] }),
      /the regions/,
    ],
    [
      'an empty pooled_shape',
      apply('MaxRoiPool', [float(1, 2, 6, 6), float(3, 5)], { pooled_shape: [0, 2] }),
      /pooled_shape/,
    ],
    [
      'float indices',
      apply('MaxUnpool', [float(1, 1, 2), float(1, 1, 2)], { kernel_shape: [2] }),
      /integers/,
    ],
    [
      'an output_shape of another rank',
      apply('MaxUnpool', [float(1, 1, 2, 2), indices, known([5, 5])], { kernel_shape: [2, 2] }),
      /output_shape/,
    ],
  ])('refuse %s', (_, test, message) => {
    expect(() => inferTypes(test)).toThrowError(message);
  });
});

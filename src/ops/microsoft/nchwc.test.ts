import { describe, expect, it } from 'vitest';
import { apply, costOf, float } from '../cases.testing.js';
import { inferTypes, shapesOf, type TestCase } from '../ort.testing.js';

/** ONNX Runtime makes these operators itself and refuses to read them; shapes are derived by hand. */
function blocked(...args: Parameters<typeof apply>): TestCase {
  return { ...apply(...args), domain: 'com.microsoft.nchwc' };
}

describe('convolutions on blocks of channels', () => {
  it.each([
    [
      blocked('Conv', [float(1, 3, 32, 32), float(16, 3, 3, 3), float(16)], { pads: [1, 1, 1, 1] }),
      '[1,16,32,32]',
    ],
    [blocked('Conv', [float(1, 16, 9, 9), float(16, 1, 3, 3)], { group: 16, strides: [2, 2] }), '[1,16,4,4]'],
    [blocked('MaxPool', [float(1, 16, 9, 9)], { kernel_shape: [3, 3], strides: [2, 2] }), '[1,16,4,4]'],
    [blocked('AveragePool', [float(1, 16, 9, 9)], { kernel_shape: [3, 3] }), '[1,16,7,7]'],
    [blocked('GlobalAveragePool', [float(1, 16, 9, 9)]), '[1,16,1,1]'],
    [blocked('GlobalMaxPool', [float(1, 16, 9, 9)]), '[1,16,1,1]'],
    [blocked('ReorderInput', [float(1, 12, 9, 9)]), '[1,y0[1],9,9]'],
    [blocked('ReorderInput', [float(1, 9, 8, 12)], { channels_last: 1 }), '[1,y0[1],9,8]'],
    [blocked('ReorderOutput', [float(1, 16, 9, 8)], { channels: 10 }), '[1,10,9,8]'],
    [blocked('ReorderOutput', [float(1, 16, 9, 8)], { channels: 10, channels_last: 1 }), '[1,9,8,10]'],
    [blocked('Upsample', [float(1, 16, 9, 8)], { scales: [1, 1, 2, 3] }), '[1,16,18,24]'],
  ])('$op', (test, shape) => {
    expect(shapesOf(inferTypes(test))).toEqual([shape]);
  });

  it('counts a sum and an activation', () => {
    const image = float(1, 16, 9, 9);
    const test = blocked('Conv', [image, float(16, 16, 1, 1), float(16), image], { activation: 'Relu' });
    expect(costOf(test)).toEqual({ macs: 1296 * 16, otherFlops: 3 * 1296 });
  });

  it.each([
    blocked('Upsample', [float(1, 16, 9, 8)], { scales: [1, 1, -2, 3] }),
    blocked('ReorderOutput', [float(1, 16, 9, 8)], { channels: 0 }),
  ])('refuses what cannot be', (test) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code: 'OP_ATTRIBUTE' }));
  });
});

import { describe, expect, it } from 'vitest';
import { apply, float } from '../../cases.testing.js';
import { expectSameAsOrt, inferSymbolic, inferTypes, shapesOf, type TestCase } from '../../ort.testing.js';

/** MaxPool over one spatial axis: every kind of window that ONNX Runtime runs. */
function pool(size: number, attributes: Parameters<typeof apply>[2] = {}, opset = 21): TestCase {
  return apply('MaxPool', [float(1, 1, size)], attributes, { opset });
}

const CASES: readonly (readonly [name: string, test: TestCase])[] = [
  ['floor', pool(10, { kernel_shape: [3], strides: [2] })],
  ['pads', pool(10, { kernel_shape: [3], strides: [2], pads: [2, 1] })],
  ['dilations', pool(10, { kernel_shape: [3], dilations: [3] })],
  ['an input smaller than the window by less than a stride', pool(6, { kernel_shape: [7], strides: [7] })],
  ['VALID', pool(10, { kernel_shape: [3], strides: [3], auto_pad: 'VALID' })],
  ['SAME_UPPER', pool(10, { kernel_shape: [3], strides: [3], auto_pad: 'SAME_UPPER' })],
  ['SAME_LOWER', pool(9, { kernel_shape: [2], auto_pad: 'SAME_LOWER' })],
  ['ceil_mode', pool(10, { kernel_shape: [3], strides: [2], ceil_mode: 1 })],
  ['ceil_mode and VALID', pool(10, { kernel_shape: [2], strides: [3], auto_pad: 'VALID', ceil_mode: 1 })],
  ['ceil_mode, last window in the padding', pool(3, { kernel_shape: [1], strides: [3], ceil_mode: 1 })],
  ['the same at opset 12', pool(3, { kernel_shape: [1], strides: [3], ceil_mode: 1 }, 12)],
  ['ceil_mode with pads', pool(7, { kernel_shape: [3], strides: [4], pads: [1, 2], ceil_mode: 1 })],
];

describe('sliding windows', () => {
  it.each(CASES)('%s: as in ONNX Runtime', (_, test) => expectSameAsOrt(test));

  it('agree with ONNX Runtime on random windows', async () => {
    let seed = 12345;
    const below = (n: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * n);
    };
    for (let i = 0; i < 60; i++) {
      const kernel = 2 + below(4);
      const attributes = {
        kernel_shape: [kernel],
        strides: [1 + below(5)],
        dilations: [1 + below(2)],
        pads: [below(kernel), below(kernel)],
        ceil_mode: below(2),
      };
      await expectSameAsOrt(pool(12 + below(6), attributes));
    }
  });

  it.each([
    ['floor((h+1)/2)', { kernel_shape: [3], strides: [2], pads: [1, 1] }],
    ['h', { kernel_shape: [3], pads: [1, 1] }],
    ['h-4', { kernel_shape: [3], dilations: [2] }],
    ['floor((h+2)/3)', { kernel_shape: [5], strides: [3], auto_pad: 'SAME_LOWER' }],
    ['floor((h)/2)', { kernel_shape: [3], strides: [2], ceil_mode: 1 }],
    ['floor((h+2)/3)', { kernel_shape: [1], strides: [3], ceil_mode: 1 }],
  ])('gives %s for a symbolic size', (expected, attributes) => {
    const [shape] = shapesOf(inferSymbolic(pool(1, attributes), { 0: ['n', '1', 'h'] }));
    expect(shape).toBe(`[n,1,${expected.replace('(h)', 'h')}]`);
  });

  it.each([
    ['stride 0', { kernel_shape: [2], strides: [0] }, /strides/],
    ['dilation 0', { kernel_shape: [2], dilations: [0] }, /dilations/],
    ['kernel 0', { kernel_shape: [0] }, /kernel/],
    ['no kernel', {}, /kernel_shape/],
    ['strides of another rank', { kernel_shape: [2], strides: [1, 1] }, /2 values for 1 spatial/],
    ['pads of another rank', { kernel_shape: [2], pads: [1] }, /pads/],
    ['a kernel of another rank', { kernel_shape: [2, 2] }, /does not fit/],
    ['an endless kernel', { kernel_shape: new Array<number>(1e5).fill(1) }, /spatial dimensions/],
    ['an unknown auto_pad', { kernel_shape: [2], auto_pad: 'SAME' }, /auto_pad 'SAME'/],
    ['a window larger than the input', { kernel_shape: [9] }, /window of 9/],
    ['a huge dilation', { kernel_shape: [9], dilations: [2 ** 53] }, /does not fit/],
  ])('refuses %s', (_, attributes, message) => {
    expect(() => inferTypes(pool(5, attributes))).toThrowError(
      expect.objectContaining({
        message: expect.stringMatching(message),
        where: expect.objectContaining({ node: 'node' }),
      }),
    );
  });
});

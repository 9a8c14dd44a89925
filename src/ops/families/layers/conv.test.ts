import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { TensorType, UNKNOWN } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  knownScalar,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const scale = input('float32', []);
const quantised = [
  input('uint8', [1, 2, 6, 6]),
  scale,
  knownScalar(1, 'uint8'),
  input('int8', [3, 2, 3, 3]),
  scale,
  knownScalar(0, 'int8'),
  scale,
  knownScalar(1, 'uint8'),
];

const CASES: readonly TestCase[] = [
  apply('Conv', [float(2, 3, 8, 9), float(5, 3, 3, 3)]),
  apply('Conv', [float(2, 3, 8, 9), float(5, 3, 3, 3), float(5)], { pads: [1, 1, 1, 1], strides: [2, 2] }),
  apply('Conv', [float(1, 4, 10), float(6, 2, 3)], { group: 2, dilations: [2], kernel_shape: [3] }),
  apply('Conv', [float(1, 4, 5, 5), float(4, 1, 3, 3)], { group: 4, auto_pad: 'SAME_UPPER' }, { opset: 1 }),
  apply('Conv', [float(1, 2, 10), float(2, 2, 1)], { strides: [4], auto_pad: 'SAME_LOWER' }),
  apply('Conv', [float(0, 1, 4, 4, 4), float(2, 1, 2, 2, 2)], {}, { opset: 22 }),
  apply('ConvTranspose', [float(1, 2, 3), float(2, 3, 3)], { strides: [2] }),
  apply('ConvTranspose', [float(1, 4, 3), float(4, 3, 3), float(6)], { group: 2, dilations: [2] }),
  apply('ConvTranspose', [float(1, 2, 3), float(2, 3, 3)], {
    strides: [2],
    pads: [1, 1],
    output_padding: [1],
  }),
  apply('ConvTranspose', [float(1, 2, 3), float(2, 3, 3)], { strides: [2], auto_pad: 'SAME_UPPER' }),
  apply('ConvTranspose', [float(1, 2, 3), float(2, 3, 1)], { strides: [3], auto_pad: 'SAME_LOWER' }),
  apply('ConvTranspose', [float(1, 2, 3), float(2, 3, 3)], { strides: [2], auto_pad: 'VALID' }),
  apply('ConvTranspose', [float(1, 2, 3), float(2, 3, 3)], { strides: [2], output_shape: [6] }),
  apply(
    'ConvInteger',
    [input('uint8', [1, 1, 5]), input('uint8', [2, 1, 3])],
    { pads: [1, 1] },
    { opset: 10 },
  ),
  apply('QLinearConv', quantised, { strides: [2, 2] }, { opset: 10 }),
  apply('QLinearConv', [...quantised, input('int32', [3])], {}, { opset: 10 }),
  apply('DeformConv', [float(1, 2, 5, 5), float(3, 2, 2, 2), float(1, 8, 4, 4)], {}, { opset: 19 }),
  apply(
    'DeformConv',
    [float(2, 4, 5, 5), float(6, 2, 3, 3), float(2, 36, 3, 3), float(6), float(2, 18, 3, 3)],
    { group: 2, offset_group: 2, strides: [2, 2], pads: [1, 1, 1, 1] },
    { opset: 22 },
  ),
];

describe('convolutions', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('keep symbolic sizes', () => {
    const conv = apply('Conv', [float(1, 3, 1, 1), float(8, 3, 3, 3)], {
      strides: [2, 2],
      pads: [1, 1, 1, 1],
    });
    expect(shapesOf(inferSymbolic(conv, { 0: ['batch', '3', 'h', 'w'] }))).toEqual([
      '[batch,8,floor((h+1)/2),floor((w+1)/2)]',
    ]);
    const up = apply('ConvTranspose', [float(1, 3, 1), float(3, 8, 4)], { strides: [2], pads: [1, 1] });
    expect(shapesOf(inferSymbolic(up, { 0: ['batch', '3', 'h'] }))).toEqual(['[batch,8,2*h]']);
    const same = apply('ConvTranspose', [float(1, 3, 1), float(3, 8, 4)], {
      strides: [2],
      auto_pad: 'SAME_UPPER',
    });
    expect(shapesOf(inferSymbolic(same, { 0: ['batch', '3', 'h'] }))).toEqual(['[batch,8,2*h]']);
  });

  it('take an output_shape with batch and channels, as ONNX Runtime does', () => {
    const test = apply('ConvTranspose', [float(1, 2, 3), float(2, 3, 3)], { output_shape: [1, 3, 6] });
    expect(shapesOf(inferTypes(test))).toEqual(['[1,3,6]']);
  });

  it('know the channels of an unknown input', () => {
    const model = modelOf(apply('Conv', [float(1, 3, 8, 8), float(5, 3, 3, 3)]));
    const unknown = inferShapes(model, { types: { x0: UNKNOWN } }).graph.outputTypes;
    expect(unknown.map(String)).toEqual(['float32[y0[0],5,y0[2],y0[3]]']);
    const nothing = { x0: UNKNOWN, x1: new TensorType(undefined, undefined) };
    expect(inferShapes(model, { types: nothing }).graph.outputTypes.map(String)).toEqual(['unknown[?]']);
  });

  it('count multiply-accumulates', () => {
    // ResNet's first layer: 118 million.
    const stem = { strides: [2, 2], pads: [3, 3, 3, 3] };
    expect(costOf(apply('Conv', [float(1, 3, 224, 224), float(64, 3, 7, 7)], stem))).toEqual({
      macs: 112 * 112 * 64 * 3 * 49,
      otherFlops: 0,
    });
    const depthwise = { group: 32, pads: [1, 1, 1, 1] };
    expect(costOf(apply('Conv', [float(1, 32, 14, 14), float(32, 1, 3, 3), float(32)], depthwise))).toEqual({
      macs: 14 * 14 * 32 * 9,
      otherFlops: 14 * 14 * 32,
    });
    expect(
      costOf(apply('ConvTranspose', [float(1, 8, 5, 5), float(8, 4, 2, 2)], { strides: [2, 2] })),
    ).toEqual({
      macs: 8 * 25 * 4 * 4,
      otherFlops: 0,
    });
    expect(costOf(apply('QLinearConv', [...quantised, input('int32', [3])], {}, { opset: 10 }))).toEqual({
      macs: 3 * 16 * 2 * 9,
      otherFlops: 3 * 16 * 3,
    });
    const deformed = [float(1, 2, 5, 5), float(3, 2, 2, 2), float(1, 8, 4, 4), float(3), float(1, 4, 4, 4)];
    expect(costOf(apply('DeformConv', deformed, {}, { opset: 19 }))).toEqual({
      macs: 3 * 16 * 2 * 4,
      // 16 positions × 2 channels × 4 kernel elements, each 7 to interpolate and 1 for the mask.
      otherFlops: 16 * 2 * 4 * 8 + 3 * 16,
    });
  });

  it.each([
    ['channels that do not fit', [float(1, 4, 5), float(6, 3, 2)], {}, /does not fit weights/],
    ['output channels that no group divides', [float(1, 4, 5), float(5, 2, 2)], { group: 2 }, /2 groups/],
    ['group 0', [float(1, 4, 5), float(6, 4, 2)], { group: 0 }, /'group'/],
    ['a bias of another size', [float(1, 4, 5), float(6, 4, 2), float(5)], {}, /the bias/],
    [
      'another kernel than the weights have',
      [float(1, 1, 5), float(1, 1, 3)],
      { kernel_shape: [2] },
      /kernel_shape/,
    ],
    ['rank 2', [float(1, 4), float(6, 4)], {}, /rank 3 or more/],
    ['mixed types', [float(1, 1, 5), input('float16', [1, 1, 3])], {}, /different types/],
  ])('refuse %s', (_, inputs, attributes, message) => {
    expect(() => inferTypes(apply('Conv', inputs, attributes))).toThrowError(message);
  });

  it.each([
    ['weights of other channels', { group: 1 }, [float(1, 3, 4), float(4, 2, 3)], /does not fit weights/],
    ['pads that leave nothing', { pads: [3, 3] }, [float(1, 4, 4), float(4, 2, 3)], /leave nothing/],
    ['an impossible output_shape', { output_shape: [-1] }, [float(1, 4, 4), float(4, 2, 3)], /output_shape/],
    [
      'output_padding of another rank',
      { output_padding: [1, 1] },
      [float(1, 4, 4), float(4, 2, 3)],
      /output_padding/,
    ],
  ])('refuse, transposed, %s', (_, attributes, inputs, message) => {
    expect(() => inferTypes(apply('ConvTranspose', inputs, attributes))).toThrowError(message);
  });

  it('refuse offsets of another shape', () => {
    const inputs = [float(1, 2, 5, 5), float(3, 2, 2, 2), float(1, 6, 4, 4)];
    expect(() => inferTypes(apply('DeformConv', inputs, {}, { opset: 19 }))).toThrowError(/the offsets/);
  });
});

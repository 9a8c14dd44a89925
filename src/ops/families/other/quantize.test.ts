import { describe, expect, it } from 'vitest';
import {
  attributesOf,
  costOf,
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';
import { inputsOf } from '../../registry.js';

const float = (...dims: number[]) => input('float32', dims);
const int8 = (...dims: number[]) => input('int8', dims);

const CASES: readonly TestCase[] = [
  { op: 'QuantizeLinear', opset: 10, inputs: [float(2, 3), float()] },
  { op: 'QuantizeLinear', opset: 10, inputs: [float(2, 3), float(), int8()] },
  { op: 'QuantizeLinear', opset: 13, inputs: [float(2, 3, 4), float(3), int8(3)] },
  { op: 'QuantizeLinear', opset: 13, inputs: [float(4), float(1)] },
  { op: 'QuantizeLinear', inputs: [float(2, 4), float()], attributes: attributesOf({ output_dtype: 3 }) },
  { op: 'QuantizeLinear', inputs: [float(2, 3), float(2)], attributes: attributesOf({ axis: -2 }) },
  {
    op: 'QuantizeLinear',
    inputs: [float(2, 5), float(2, 3), int8(2, 3)],
    attributes: attributesOf({ axis: 1, block_size: 2 }),
  },
  { op: 'DequantizeLinear', opset: 10, inputs: [int8(2, 3), float(), int8()] },
  { op: 'DequantizeLinear', opset: 13, inputs: [int8(2, 3), float(3)] },
  { op: 'DequantizeLinear', opset: 13, inputs: [int8(4), float(1), int8()] },
  { op: 'DequantizeLinear', opset: 19, inputs: [int8(2, 3), input('float16', [])] },
  { op: 'DequantizeLinear', inputs: [input('int32', [2, 3]), float()] },
  {
    op: 'DequantizeLinear',
    inputs: [int8(4, 6), float(2, 6)],
    attributes: attributesOf({ axis: 0, block_size: 2 }),
  },
  { op: 'DynamicQuantizeLinear', inputs: [float(2, 3)], outputs: 3 },
];

describe('quantisation', () => {
  it.each(CASES)('$op at opset $opset gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('gives the type that is asked for', () => {
    const attributes = attributesOf({ output_dtype: 22 });
    expect(inferTypes({ op: 'QuantizeLinear', inputs: [float(2), float()], attributes }).map(String)).toEqual(
      ['int4[2]'],
    );
    const half = attributesOf({ output_dtype: 10 });
    const test: TestCase = {
      op: 'DequantizeLinear',
      opset: 23,
      inputs: [int8(2), float()],
      attributes: half,
    };
    expect(inferTypes(test).map(String)).toEqual(['float16[2]']);
  });

  it('keeps symbols', () => {
    const test: TestCase = { op: 'QuantizeLinear', inputs: [float(1, 3), float(3)] };
    expect(shapesOf(inferSymbolic(test, { 0: ['batch', 'channels'] }))).toEqual(['[batch,channels]']);
  });

  it.each<[string, TestCase, RegExp]>([
    [
      'scales that do not fit',
      { op: 'QuantizeLinear', inputs: [float(2, 3), float(4)] },
      /4 scales do not fit/,
    ],
    [
      'a zero point unlike the scale',
      { op: 'QuantizeLinear', inputs: [float(2, 3), float(3), int8(2)] },
      /shape/,
    ],
    ['a matrix of scales', { op: 'QuantizeLinear', inputs: [float(2, 3), float(2, 3)] }, /block_size/],
    [
      'a negative block size',
      {
        op: 'QuantizeLinear',
        inputs: [float(2, 3), float(2, 3)],
        attributes: attributesOf({ block_size: -1 }),
      },
      /block_size cannot be -1/,
    ],
    [
      'blocks that do not fit',
      {
        op: 'QuantizeLinear',
        inputs: [float(2, 5), float(2, 2)],
        attributes: attributesOf({ block_size: 2 }),
      },
      /scales of shape \[2,3\]/,
    ],
    [
      'two output types',
      {
        op: 'QuantizeLinear',
        inputs: [float(2), float(), int8()],
        attributes: attributesOf({ output_dtype: 2 }),
      },
      /output_dtype is uint8/,
    ],
    [
      'a type that does not exist',
      { op: 'QuantizeLinear', inputs: [float(2), float()], attributes: attributesOf({ output_dtype: 99 }) },
      /99 is not a data type/,
    ],
    [
      'a zero point of another type',
      { op: 'DequantizeLinear', inputs: [int8(2), float(), input('uint8', [])] },
      /zero point is uint8/,
    ],
  ])('rejects %s', (_, test, message) => {
    expect(() => inferTypes(test)).toThrow(message);
  });

  it('counts steps, and takes quantised constants for weights', () => {
    expect(costOf({ op: 'QuantizeLinear', inputs: [float(2, 3), float()] })).toEqual({ otherFlops: 24 });
    expect(costOf({ op: 'DequantizeLinear', inputs: [int8(2, 3), float()] })).toEqual({ otherFlops: 12 });
    expect(inputsOf({ domain: '', opType: 'DequantizeLinear' }).slots('data')).toEqual([0]);
  });
});

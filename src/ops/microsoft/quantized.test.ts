import { describe, expect, it } from 'vitest';
import { isTensor } from '../../graph/types.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  shapesOf,
  type TestInput,
} from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const uint8 = (...dims: number[]) => input('uint8', dims);
const int8 = (...dims: number[]) => input('int8', dims);
const scalar = float();
const zero = uint8();
const part = (x: TestInput) => [x, scalar, zero];
const rescaled = (x: TestInput) => [...part(x), scalar, zero];
const constant = (x: TestInput) => ({ ...x, constant: true });

describe('operators on quantised tensors', () => {
  it.each([
    ms('QLinearAdd', [...part(uint8(2, 3, 4)), ...part(uint8(4)), scalar, zero]),
    ms('QLinearMul', [...part(uint8(2, 1, 4)), ...part(uint8(3, 1)), scalar, zero]),
    ms('QLinearSigmoid', rescaled(uint8(2, 3))),
    ms('QLinearLeakyRelu', rescaled(uint8(2, 3))),
    ms('QLinearSoftmax', rescaled(uint8(2, 3)), { opset: 13, axis: -1 }),
    ms('QLinearConcat', [scalar, zero, ...part(uint8(2, 3)), ...part(uint8(2, 4))], { axis: 1 }),
    ms('QLinearAveragePool', rescaled(uint8(1, 4, 8, 8)), { kernel_shape: [3, 3], strides: [2, 2] }),
    ms('QLinearAveragePool', rescaled(uint8(1, 8, 8, 4)), {
      kernel_shape: [3, 3],
      channels_last: 1,
      ceil_mode: 1,
    }),
    ms('QLinearGlobalAveragePool', rescaled(uint8(1, 4, 8, 8))),
    ms('QLinearGlobalAveragePool', rescaled(uint8(1, 8, 8, 4)), { channels_last: 1 }),
    ms(
      'QLinearWhere',
      [input('bool', [2, 1]), ...part(uint8(3)), ...part(uint8(2, 3)), scalar, zero].map((x, i) =>
        i > 0 && i % 3 !== 1 ? constant(x) : x,
      ),
    ),
    ms('QuantizeLinear', [float(2, 3), scalar, int8()]),
    ms('QuantizeLinear', [float(2, 3), scalar, input('uint16', [])]),
    ms('DequantizeLinear', [uint8(2, 3), scalar, zero]),
    ms('DequantizeLinear', [int8(2, 3), float(3), int8(3)], { axis: 1 }),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it.each([
    [ms('QLinearReduceMean', rescaled(uint8(2, 3, 4)), { axes: [1], keepdims: 0 }), ['uint8[2,4]']],
    [ms('ReduceSumInteger', [int8(2, 3, 4)], { axes: [-1], keepdims: 1 }), ['int32[2,3,1]']],
    [ms('MulInteger', [uint8(2, 1), zero, uint8(3)]), ['int32[2,3]']],
    [ms('QOrderedGelu', [int8(2, 3), scalar, scalar]), ['int8[2,3]']],
    [ms('QuantizeWithOrder', [half(2, 3), scalar], { order_input: 1, order_output: 0 }), ['int8[2,3]']],
    [
      ms('DequantizeWithOrder', [int8(2, 3), scalar], { order_input: 1, order_output: 0, to: 10 }),
      ['float16[2,3]'],
    ],
    [ms('QuantizeBFP', [float(2, 3)], { bfp_type: 1 }, 3), ['uint8[y0[0]]', 'int64[2]', 'int64[2]']],
    [ms('DequantizeBFP', [uint8(20), known([2, 3]), known([3, 1])], { bfp_type: 1 }), ['float32[2,3]']],
  ])('infers what only other devices run', (test, types) => {
    expect(inferTypes(test).map(String)).toEqual(types);
  });

  it('knows shape and strides of a tensor in block floating point', () => {
    const [, shape, strides] = inferTypes(ms('QuantizeBFP', [float(2, 3, 4)], { bfp_type: 1 }, 3));
    expect(isTensor(shape) && shape.elements).toEqual([2, 3, 4]);
    expect(isTensor(strides) && strides.elements).toEqual([12, 4, 1]);
  });

  it('keeps symbols', () => {
    const add = ms('QLinearAdd', [...part(uint8(2, 3)), ...part(uint8(3)), scalar, zero]);
    expect(shapesOf(inferSymbolic(add, { 0: ['batch', '3'] }))).toEqual(['[batch,3]']);
  });

  it('counts rescaling', () => {
    const add = ms('QLinearAdd', [...part(uint8(2, 3)), ...part(uint8(3)), scalar, zero]);
    expect(costOf(add)).toEqual({ otherFlops: (1 + 2 * 2 + 2) * 6 });
    const pool = ms('QLinearGlobalAveragePool', rescaled(uint8(1, 8, 8, 4)), { channels_last: 1 });
    expect(costOf(pool)).toEqual({ otherFlops: 256 + 4 * 4 });
  });

  it.each([
    ms('QLinearAdd', [...part(uint8(2, 3)), ...part(uint8(4)), scalar, zero]),
    ms('QLinearAdd', [...part(uint8(2, 3)), ...part(int8(3)), scalar, zero]),
    ms('QLinearConcat', [scalar, zero, ...part(uint8(2, 3)), ...part(uint8(3, 4))], { axis: 1 }),
    ms('QLinearConcat', [scalar, zero], { axis: 1 }),
    ms('DequantizeBFP', [uint8(20), known([-2, 3]), known([3, 1])], { bfp_type: 1 }),
  ])('refuses what does not fit', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: `com.microsoft.${test.op}` } }),
    );
  });
});

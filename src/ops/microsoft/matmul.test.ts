import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferSymbolic, inferTypes, input, shapesOf } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const int8 = (...dims: number[]) => input('int8', dims);
const uint8 = (...dims: number[]) => input('uint8', dims);
const scalar = float();
const zero = uint8();

describe('fused matrix products', () => {
  it.each([
    ms('FusedMatMul', [float(2, 3, 4), float(4, 5)]),
    ms('FusedMatMul', [float(2, 4, 3), float(2, 5, 4)], { transA: 1, transB: 1 }),
    ms('FusedMatMul', [float(3, 2, 4), float(4, 2, 5)], { transBatchA: 1, transBatchB: 1 }),
    ms('FusedMatMul', [float(4, 2, 6, 3), float(5, 2, 6, 4)], {
      transBatchA: 1,
      transBatchB: 1,
      transA: 1,
      transB: 1,
    }),
    ms('FusedMatMul', [float(4), float(4, 5)]),
    ms('TransposeMatMul', [float(4, 3), float(4, 5)], { transA: 1 }),
    ms('FusedGemm', [float(3, 4), float(5, 4), float(5)], { transB: 1, activation: 'Relu' }),
    ms('MatMulIntegerToFloat', [uint8(2, 3, 4), uint8(4, 5), scalar, float(5), zero, zero, float(5)]),
    ms('DynamicQuantizeMatMul', [float(2, 3, 4), int8(4, 5), scalar, int8(), float(5)]),
    ms('MatMulInteger16', [input('int16', [2, 3]), input('int16', [3, 4])]),
    ms('QGemm', [uint8(3, 4), scalar, zero, uint8(5, 4), scalar, zero, input('int32', [5])], { transB: 1 }),
    ms('QGemm', [uint8(3, 4), scalar, zero, uint8(4, 5), scalar, zero, null, scalar, zero]),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it.each([
    [ms('FusedMatMulActivation', [half(3, 4), half(4, 5)], { activation: 'Relu' }), 'float16[3,5]'],
    [ms('GemmFastGelu', [half(2, 3, 4), half(4, 5), half(5)]), 'float16[2,3,5]'],
    [
      ms('GemmFloat8', [input('float8e4m3fn', [3, 4]), input('float8e4m3fn', [5, 4])], {
        transB: 1,
        dtype: 10,
      }),
      'float16[3,5]',
    ],
    [ms('MatMulInteger16', [input('uint16', [2, 3]), input('uint16', [3, 4])]), 'uint32[2,4]'],
    [
      ms('QOrderedMatMul', [int8(1, 3, 4), scalar, int8(4, 5), scalar, scalar], {
        order_A: 1,
        order_B: 0,
        order_Y: 1,
      }),
      'int8[1,3,5]',
    ],
    [ms('SparseToDenseMatMul', [float(4, 3), float(4, 5)], { transA: 1 }), 'float32[3,5]'],
  ])('infers what only other devices run', (test, type) => {
    expect(inferTypes(test).map(String)).toEqual([type]);
  });

  it('keeps symbols', () => {
    const test = ms('FusedMatMul', [float(2, 4, 3), float(2, 5, 4)], { transA: 1, transB: 1 });
    const types = inferSymbolic(test, { 0: ['batch', '4', 'rows'], 1: ['batch', '5', '4'] });
    expect(shapesOf(types)).toEqual(['[batch,rows,5]']);
  });

  it('counts products, activations, biases and rescaling', () => {
    const transposed = ms('FusedMatMul', [float(2, 4, 3), float(2, 5, 4)], { transA: 1, transB: 1 });
    expect(costOf(transposed)).toEqual({ macs: 2 * 3 * 5 * 4, otherFlops: 0 });
    const gemm = ms('FusedGemm', [float(3, 4), float(5, 4), float(5)], {
      transB: 1,
      activation: 'LeakyRelu',
    });
    expect(costOf(gemm)).toEqual({ macs: 60, otherFlops: 15 + 2 * 15 });
    const dynamic = ms('DynamicQuantizeMatMul', [float(2, 3, 4), int8(4, 5), scalar, int8(), float(5)]);
    expect(costOf(dynamic)).toEqual({ macs: 120, otherFlops: 2 * 30 + 6 * 24 });
    const quantised = ms('QGemm', [uint8(3, 4), scalar, zero, uint8(4, 5), scalar, zero, null, scalar, zero]);
    expect(costOf(quantised)).toEqual({ macs: 60, otherFlops: 2 * 15 });
  });

  it.each([
    ms('FusedMatMul', [float(2, 3), float(4, 5)]),
    ms('FusedGemm', [float(3, 4), float(4, 5), float(4)]),
    ms('FusedGemm', [float(3, 4), input('float64', [4, 5])]),
    ms('GemmFloat8', [half(3, 4), half(4, 5)], { dtype: 99 }),
  ])('refuses what does not fit', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: `com.microsoft.${test.op}` } }),
    );
  });
});

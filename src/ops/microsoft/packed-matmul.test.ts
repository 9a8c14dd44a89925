import { describe, expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  modelOf,
  shapesOf,
  type TestCase,
} from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const uint8 = (...dims: number[]) => input('uint8', dims);
const constant = (...dims: number[]) => ({ ...uint8(...dims), constant: true });
/** A (32, 5) matrix in blocks of 16, two 4-bit weights per byte. */
const sizes = { K: 32, N: 5, bits: 4, block_size: 16 };
const indices = input('int64', [2, 3], [0, 1, 2, 3, 4, 5]);

function weightsIn(test: TestCase, index: number): number | undefined {
  const { call, operator } = inferShapes(modelOf(test)).graph.nodes[0]!;
  return operator?.weightsIn?.(call, index);
}

describe('products with packed weights', () => {
  it.each([
    ms('MatMulNBits', [float(2, 3, 32), uint8(5, 2, 8), float(10)], sizes),
    ms('MatMulNBits', [float(3, 32), uint8(5, 2, 8), float(10), uint8(5), null, float(5)], sizes),
    ms('MatMulNBits', [float(3, 32), uint8(5, 2, 16), float(10)], { ...sizes, bits: 8 }),
    ms('MatMulBnb4', [float(2, 32), uint8(80), float(10)], { K: 32, N: 5, block_size: 16, quant_type: 1 }),
    ms('MatMulBnb4', [float(2, 5), uint8(80), float(10)], {
      K: 32,
      N: 5,
      block_size: 16,
      quant_type: 1,
      transB: 0,
    }),
    ms('GatherBlockQuantized', [constant(6, 16), indices, float(6, 2)], {
      bits: 4,
      block_size: 16,
      quantize_axis: 1,
    }),
    ms('GatherBlockQuantized', [constant(6, 32), indices, float(6, 2)], {
      bits: 8,
      block_size: 16,
      quantize_axis: 1,
    }),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('infers what only other devices run', () => {
    const fp4 = ms('MatMulBlockQuantizedFp4Weight', [half(2, 3, 32), uint8(5, 16), uint8(5, 2), float()]);
    expect(inferTypes(fp4).map(String)).toEqual(['float16[2,3,5]']);
    expect(costOf(fp4)).toEqual({ macs: 6 * 32 * 5, otherFlops: 2 * 160 });
    const fp8 = ms('MatMulBlockQuantizedFp8Weight', [
      half(3, 32),
      input('float8e4m3fn', [5, 32]),
      float(5, 1),
    ]);
    expect(inferTypes(fp8).map(String)).toEqual(['float16[3,5]']);
    const fpq4 = ms('MatMulFpQ4', [float(3, 32), uint8(200), known([32, 5])]);
    expect(inferTypes(fpq4).map(String)).toEqual(['float32[3,5]']);
    const unknown = ms('MatMulFpQ4', [float(3, 32), uint8(200), input('int64', [2])]);
    expect(shapesOf(inferTypes(unknown))).toEqual(['[?]']);
  });

  it('infers the projections of a transformer block', () => {
    const weights = [uint8(5, 2, 8), half(5, 2), null];
    const mlp = ms(
      'MatMulNBitsMlp',
      [half(1, 3, 32), half(1, 3, 32), half(32), ...weights, ...weights],
      { ...sizes, activation: 'silu' },
      2,
    );
    expect(shapesOf(inferTypes(mlp))).toEqual(['[1,3,5]', '[1,3,32]']);
    expect(costOf(mlp)).toEqual({
      macs: 3 * 32 * 10,
      otherFlops: 2 * 320 + 5 * 96 + (5 + 1) * 15,
    });
    const qkv = ms(
      'MatMulNBitsQkv',
      [half(1, 3, 32), null, half(32), uint8(8, 2, 8), half(8, 2), half(8), ...weights, ...weights],
      { K: 32, Nq: 8, Nkv: 5, bits: 4, block_size: 16 },
      4,
    );
    expect(shapesOf(inferTypes(qkv))).toEqual(['[1,3,8]', '[1,3,5]', '[1,3,5]', '[1,3,32]']);
    expect(costOf(qkv)).toEqual({ macs: 3 * 32 * 18, otherFlops: 2 * 32 * 18 + 3 * 8 + 4 * 96 });
    expect(weightsIn(qkv, 3)).toBe(32 * 8);
    expect(weightsIn(qkv, 9)).toBe(32 * 5);
  });

  it('knows how many weights are packed', () => {
    expect(weightsIn(ms('MatMulNBits', [float(3, 32), uint8(5, 2, 8), float(10)], sizes), 1)).toBe(160);
    const table = ms('GatherBlockQuantized', [uint8(6, 16), indices, float(6, 2)], {
      bits: 4,
      block_size: 16,
    });
    expect(weightsIn(table, 0)).toBe(6 * 32);
    const constants = [float(3, 32), constant(5, 2, 8), { ...float(10), constant: true }];
    const { totals } = cost(inferShapes(modelOf(ms('MatMulNBits', constants, sizes))));
    expect(totals.parameters).toBe(160);
    expect(totals.weightBytes).toBe(80 + 40);
  });

  it('counts products, and reads only the rows that are gathered', () => {
    expect(costOf(ms('MatMulNBits', [float(2, 3, 32), uint8(5, 2, 8), float(10)], sizes))).toEqual({
      macs: 6 * 5 * 32,
      otherFlops: 2 * 160,
    });
    const table = ms('GatherBlockQuantized', [uint8(6, 16), indices, float(6, 2)], {
      bits: 4,
      block_size: 16,
    });
    expect(costOf(table)).toEqual({ otherFlops: 2 * 192, memoryBytes: 192 / 2 + 192 * 4 + 6 * 8 });
  });

  it('keeps symbols', () => {
    const test = ms('MatMulNBits', [float(2, 3, 32), uint8(5, 2, 8), float(10)], sizes);
    expect(shapesOf(inferSymbolic(test, { 0: ['batch', 'seq', '32'] }))).toEqual(['[batch,seq,5]']);
  });

  it.each([
    ms('MatMulNBits', [float(2, 3, 31), uint8(5, 2, 8), float(10)], sizes),
    ms('MatMulNBits', [float(2, 3, 32), uint8(5, 2, 8), float(10)], { ...sizes, N: -5 }),
    ms('MatMulNBits', [float(), uint8(5, 2, 8), float(10)], sizes),
    ms('MatMulFpQ4', [float(3, 32), uint8(200), known([32, 5, 1])]),
    ms('GatherBlockQuantized', [uint8(6, 16), indices, float(6, 2)], { bits: 3, block_size: 16 }),
    ms('GatherBlockQuantized', [uint8(6, 16), indices, float(6, 2)], { gather_axis: 7, block_size: 16 }),
  ])('refuses what does not fit', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: `com.microsoft.${test.op}` } }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferSymbolic, inferTypes, input, knownScalar, shapesOf } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const heads = { num_heads: 2 };
const groups = { num_heads: 4, kv_num_heads: 2 };
const seqlens = (...values: number[]) => input('int32', [values.length], values);
const total = (value: number) => knownScalar(value, 'int32');

/** Queries (2, 3, 32) with heads of 8; keys and values (2, 3, 16); no past. */
const grouped = [float(2, 3, 32), float(2, 3, 16), float(2, 3, 16), null, null];

describe('attention without projections', () => {
  it.each([
    ms('MultiHeadAttention', [float(2, 3, 8), float(2, 5, 8), float(2, 5, 8)], heads),
    ms('MultiHeadAttention', [float(2, 3, 8), float(2, 5, 8), float(2, 5, 6), float(22)], heads),
    ms('MultiHeadAttention', [float(2, 3, 8), float(2, 5, 8), float(2, 5, 8)], heads, 3),
    ms('MultiHeadAttention', [float(2, 3, 8), float(2, 2, 5, 4), float(2, 2, 5, 4)], heads),
    ms(
      'MultiHeadAttention',
      [
        float(2, 1, 8),
        float(2, 1, 8),
        float(2, 1, 8),
        null,
        null,
        null,
        float(2, 2, 6, 4),
        float(2, 2, 6, 4),
      ],
      heads,
      3,
    ),
    ms(
      'DecoderMaskedMultiHeadAttention',
      [
        ...[float(2, 1, 8), float(2, 1, 8), float(2, 1, 8), null, null],
        ...[float(2, 2, 6, 4), float(2, 2, 6, 4), total(2)],
      ],
      { ...heads, past_present_share_buffer: 1 },
      3,
    ),
    ms('GroupQueryAttention', [...grouped, seqlens(2, 2), total(3)], groups, 3),
    ms('GroupQueryAttention', [float(2, 3, 64), null, null, null, null, seqlens(2, 2), total(3)], groups, 3),
    ms(
      'GroupQueryAttention',
      [
        ...[float(2, 1, 32), float(2, 1, 16), float(2, 1, 16), float(2, 2, 5, 8), float(2, 2, 5, 8)],
        ...[seqlens(5, 5), total(6)],
      ],
      groups,
      3,
    ),
    ms(
      'GroupQueryAttention',
      [
        ...[float(2, 1, 32), float(2, 1, 16), float(2, 1, 16), float(2, 2, 12, 8), float(2, 2, 12, 8)],
        ...[seqlens(5, 5), total(6)],
      ],
      groups,
      3,
    ),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('adds new tokens to a symbolic past', () => {
    const test = ms(
      'GroupQueryAttention',
      [
        ...[float(2, 1, 32), float(2, 1, 16), float(2, 1, 16), float(2, 2, 5, 8), float(2, 2, 5, 8)],
        ...[seqlens(5, 5), input('int32', [])],
      ],
      groups,
      3,
    );
    const types = inferSymbolic(test, {
      0: ['batch', 'seq', '32'],
      1: ['batch', 'seq', '16'],
      2: ['batch', 'seq', '16'],
      3: ['batch', '2', 'past', '8'],
      4: ['batch', '2', 'past', '8'],
    });
    expect(shapesOf(types)).toEqual(['[batch,seq,32]', '[batch,2,past+seq,8]', '[batch,2,past+seq,8]']);
  });

  it('keeps the type and packing of a quantised cache', () => {
    const cache = input('uint8', [2, 2, 5, 2]);
    const test = ms(
      'GroupQueryAttention',
      [half(2, 1, 16), half(2, 1, 8), half(2, 1, 8), cache, cache, seqlens(5, 5), total(6)],
      { ...groups, kv_cache_bit_width: 4, k_quant_type: 'PER_TENSOR', v_quant_type: 'PER_TENSOR' },
      3,
    );
    expect(inferTypes(test).map(String)).toEqual(['float16[2,1,16]', 'uint8[2,2,6,2]', 'uint8[2,2,6,2]']);
  });

  it('gives the scores where they are asked for', () => {
    const cross = ms('MultiHeadAttention', [float(2, 3, 8), float(2, 5, 8), float(2, 5, 8)], heads, 4);
    expect(shapesOf(inferTypes(cross))[3]).toBe('[2,2,3,5]');
  });

  it('counts scores and weighted values', () => {
    const cross = ms('MultiHeadAttention', [float(2, 3, 8), float(2, 5, 8), float(2, 5, 6)], heads);
    expect(costOf(cross)).toEqual({ macs: 2 * 2 * 3 * 5 * (4 + 3), otherFlops: 6 * 2 * 2 * 3 * 5 });
    const decode = ms(
      'GroupQueryAttention',
      [
        ...[float(2, 1, 32), float(2, 1, 16), float(2, 1, 16), float(2, 2, 12, 8), float(2, 2, 12, 8)],
        ...[seqlens(5, 5), total(6)],
      ],
      groups,
    );
    expect(costOf(decode)?.macs).toBe(2 * 4 * 1 * 6 * (8 + 8));
  });

  it('takes keys and values that are packed together', () => {
    const all = ms('MultiHeadAttention', [float(2, 3, 2, 3, 4)], heads);
    expect(shapesOf(inferTypes(all))).toEqual(['[2,3,8]']);
    expect(costOf(all)?.macs).toBe(2 * 2 * 3 * 3 * 8);
    const keysAndValues = ms('MultiHeadAttention', [float(2, 3, 8), float(2, 5, 2, 2, 4)], heads);
    expect(shapesOf(inferTypes(keysAndValues))).toEqual(['[2,3,8]']);
    expect(costOf(keysAndValues)?.macs).toBe(2 * 2 * 3 * 5 * 8);
  });

  it('infers the kinds that only run on other devices', () => {
    const offsets = input('int32', [2, 5]);
    const cumulated = input('int32', [3]);
    const packed = ms(
      'PackedMultiHeadAttention',
      [half(7, 2, 3, 4), null, null, null, offsets, cumulated],
      heads,
    );
    expect(shapesOf(inferTypes(packed))).toEqual(['[7,8]']);
    expect(costOf(packed)?.macs).toBe(2 * 2 * 5 * 5 * 8);
    const cache = half(10, 16, 2, 4);
    const paged = ms(
      'PagedAttention',
      [half(7, 32), null, null, cache, cache, cumulated, input('int32', [2]), input('int32', [2, 4])],
      groups,
      3,
    );
    expect(shapesOf(inferTypes(paged))).toEqual(['[7,16]', '[10,16,2,4]', '[10,16,2,4]']);
    expect(costOf(paged)).toBeUndefined();
    const past = half(2, 2, 64, 4);
    const sparse = ms(
      'SparseAttention',
      [
        ...[half(2, 1, 16), half(2, 1, 8), half(2, 1, 8), past, past],
        ...[input('int32', [1, 5]), input('int32', [1, 9]), total(20), seqlens(20, 20)],
      ],
      { ...groups, sparse_block_size: 16 },
      3,
    );
    expect(shapesOf(inferTypes(sparse))).toEqual(['[2,1,16]', '[2,2,64,4]', '[2,2,64,4]']);
    expect(costOf(sparse)?.macs).toBe(2 * 4 * 1 * 20 * 8);
  });

  it.each([
    ms('MultiHeadAttention', [float(2, 3, 9), float(2, 5, 9), float(2, 5, 9)], heads),
    ms('MultiHeadAttention', [float(2, 3, 8), float(2, 5, 6), float(2, 5, 6)], heads),
    ms('MultiHeadAttention', [float(2, 3, 2, 3, 4), float(2, 3, 8)], heads),
    ms('GroupQueryAttention', [...grouped, seqlens(2, 2), total(-3)], groups),
    ms('GroupQueryAttention', [...grouped, seqlens(2, 2), total(3)], { num_heads: 4, kv_num_heads: 3 }),
    ms('GroupQueryAttention', [float(2, 3), null, null, null, null, seqlens(2, 2), total(3)], groups),
  ])('refuses what cannot be', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: `com.microsoft.${test.op}` } }),
    );
  });
});

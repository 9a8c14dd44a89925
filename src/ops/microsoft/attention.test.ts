import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferSymbolic, inferTypes, input, knownScalar, shapesOf } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const uint8 = (...dims: number[]) => input('uint8', dims);
const flag = (value: 0 | 1) => knownScalar(value, 'bool');

/** (B, S, D) = (2, 5, 8), merged weights for three times 4 hidden units in 2 heads. */
const merged = [float(2, 5, 8), float(8, 12), float(12)];
const quantised = [uint8(2, 5, 8), uint8(8, 12), float(12), float(), float()];

describe('attention with projections', () => {
  it.each([
    ms('Attention', merged, { num_heads: 2 }),
    ms('Attention', merged, { num_heads: 2 }, 2),
    ms('Attention', [float(2, 5, 8), float(8, 14), float(14)], { num_heads: 2, qkv_hidden_sizes: [4, 4, 6] }),
    ms('Attention', [...merged, input('int32', [2, 5])], { num_heads: 2, unidirectional: 1 }),
    ms('Attention', [...merged, null, float(2, 2, 2, 3, 2)], { num_heads: 2 }, 2),
    ms('QAttention', quantised, { num_heads: 2 }),
    ms('QAttention', [...quantised, null, uint8(), uint8(), float(2, 2, 2, 3, 2)], { num_heads: 2 }, 2),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('keeps a shared buffer of past and present as it is', () => {
    const past = float(2, 2, 2, 16, 2);
    const test = ms(
      'Attention',
      [...merged, null, past, null, knownScalar(3, 'int32')],
      { num_heads: 2, past_present_share_buffer: 1 },
      2,
    );
    expect(shapesOf(inferTypes(test))).toEqual(['[2,5,4]', '[2,2,2,16,2]']);
    expect(costOf(test)?.macs).toBe(2 * 5 * 8 * 12 + 2 * 2 * 5 * (3 + 5) * (2 + 2));
  });

  it('keeps symbolic batch and length', () => {
    const test = ms('Attention', [...merged, null, float(2, 2, 2, 3, 2)], { num_heads: 2 }, 2);
    const types = inferSymbolic(test, { 0: ['batch', 'seq', '8'], 4: ['2', 'batch', '2', 'past', '2'] });
    expect(shapesOf(types)).toEqual(['[batch,seq,4]', '[2,batch,2,past+seq,2]']);
  });

  it('counts projections, scores and weighted values', () => {
    expect(costOf(ms('Attention', merged, { num_heads: 2 }))).toEqual({
      macs: 2 * 5 * 8 * 12 + 2 * 2 * 5 * 5 * (2 + 2),
      otherFlops: 2 * 5 * 12 + 6 * 2 * 2 * 5 * 5,
    });
  });

  it('infers the kinds that only run on other devices', () => {
    const packed = ms(
      'PackedAttention',
      [float(7, 8), float(8, 12), float(12), input('int32', [2, 5]), input('int32', [3])],
      { num_heads: 2 },
    );
    expect(shapesOf(inferTypes(packed))).toEqual(['[7,4]']);
    expect(costOf(packed)?.macs).toBe(7 * 8 * 12 + 2 * 2 * 5 * 5 * 4);
    const long = ms(
      'LongformerAttention',
      [half(1, 16, 8), half(8, 24), half(24), half(1, 16), half(8, 24), half(24), input('int32', [1, 16])],
      { num_heads: 2, window: 4 },
    );
    expect(inferTypes(long).map(String)).toEqual(['float16[1,16,8]']);
    expect(costOf(long)?.macs).toBe(16 * 8 * 24 + 2 * 16 * 9 * (4 + 4));
    const scale = float();
    const byte = (...dims: number[]) => input('int8', dims);
    const ordered = ms(
      'QOrderedAttention',
      [
        byte(1, 3, 8),
        ...[scale, scale, scale, scale],
        ...[byte(8, 4), byte(8, 4), byte(8, 4)],
        ...[scale, scale, scale],
        ...[float(4), float(4), float(4)],
        ...[scale, scale, scale],
      ],
      { num_heads: 2, order_input: 1, order_weight: 1, order_output: 1 },
    );
    expect(inferTypes(ordered).map(String)).toEqual(['int8[1,3,4]']);
    expect(costOf(ordered)?.macs).toBe(3 * 8 * 12 + 2 * 3 * 3 * 4);
  });

  it('follows the flags of DecoderAttention', () => {
    const decoder = (staticKeys: 0 | 1, usePast: 0 | 1) =>
      ms(
        'DecoderAttention',
        [
          ...[float(1, 2, 8), float(6, 2, 8), float(8, 8), float(8, 16), float(24), null],
          ...[float(2, 2, 3, 4), float(2, 2, 3, 4)],
          ...[flag(staticKeys), flag(usePast), flag(1), flag(0)],
        ],
        { num_heads: 2 },
        3,
      );
    const cache = (length: number) => ['[1,2,8]', `[2,2,${length},4]`, `[2,2,${length},4]`];
    expect(shapesOf(inferTypes(decoder(0, 0)))).toEqual(cache(1));
    expect(shapesOf(inferTypes(decoder(0, 1)))).toEqual(cache(4));
    expect(shapesOf(inferTypes(decoder(1, 0)))).toEqual(cache(6));
    expect(shapesOf(inferTypes(decoder(1, 1)))).toEqual(cache(3));
    expect(costOf(decoder(0, 1))?.macs).toBe(2 * 8 * 8 * 3 + 2 * 2 * 4 * 8);
  });

  it.each([
    [ms('Attention', merged, { num_heads: 0 }), 'OP_ATTRIBUTE'],
    [ms('Attention', merged, { num_heads: 3 }), 'SHAPE_MISMATCH'],
    [ms('Attention', merged), 'OP_ATTRIBUTE'],
    [ms('Attention', [float(2, 5, 7), float(8, 12), float(12)], { num_heads: 2 }), 'SHAPE_MISMATCH'],
    [ms('Attention', [float(5, 8), float(8, 12), float(12)], { num_heads: 2 }), 'SHAPE_MISMATCH'],
    [ms('Attention', merged, { num_heads: 2, qkv_hidden_sizes: [4, 4] }), 'OP_ATTRIBUTE'],
    [ms('Attention', merged, { num_heads: 2, qkv_hidden_sizes: [4, 4, -4] }), 'OP_ATTRIBUTE'],
    [ms('Attention', [...merged, null, float(2, 2)], { num_heads: 2 }), 'SHAPE_MISMATCH'],
  ])('refuses what cannot be', (test, code) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ code, where: { node: 'node', operator: 'com.microsoft.Attention' } }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { apply, costOf, float, half, zeros } from '../../cases.testing.js';
import { expectSameAsOrt, inferSymbolic, inferTypes, shapesOf, type TestCase } from '../../ort.testing.js';

const all = { opset: 23, outputs: 4 };
const heads = { q_num_heads: 4, kv_num_heads: 2 };
const grouped = [float(2, 4, 5, 8), float(2, 2, 6, 8), float(2, 2, 6, 10)];
const flat = [float(2, 5, 32), float(2, 6, 16), float(2, 6, 20)];
const cache = [float(5, 9), float(2, 2, 3, 8), float(2, 2, 3, 10)];

const CASES: readonly TestCase[] = [
  apply('Attention', [float(2, 4, 5, 8), float(2, 4, 6, 8), float(2, 4, 6, 10)], {}, { opset: 23 }),
  apply('Attention', grouped, {}, all),
  apply('Attention', flat, heads, all),
  apply('Attention', [...grouped, ...cache], { is_causal: 1 }, all),
  apply('Attention', [...flat, ...cache], heads, all),
  apply('Attention', [half(2, 4, 5, 8), half(2, 4, 6, 8), half(2, 4, 6, 10)], { softmax_precision: 1 }, all),
  apply('Attention', [...grouped, null, null, null, zeros('int64', 2)], {}, { opset: 24 }),
  apply(
    'RotaryEmbedding',
    [float(2, 4, 5, 8), float(9, 4), float(9, 4), zeros('int64', 2, 5)],
    {},
    { opset: 23 },
  ),
  apply(
    'RotaryEmbedding',
    [float(2, 5, 32), float(2, 5, 4), float(2, 5, 4)],
    { num_heads: 4 },
    { opset: 23 },
  ),
];

describe('attention', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('keeps symbolic lengths, also of the cache', () => {
    const test = apply('Attention', [...flat, null, ...cache.slice(1)], heads, all);
    const sizes = { 0: ['b', 's', '32'], 1: ['b', 's', '16'], 2: ['b', 's', '20'], 4: ['b', '2', 'p', '8'] };
    expect(shapesOf(inferSymbolic(test, sizes))).toEqual([
      '[b,s,40]',
      '[b,2,p+s,8]',
      '[b,2,p+s,10]',
      '[b,4,s,p+s]',
    ]);
  });

  it('counts queries against all keys', () => {
    const scores = 2 * 4 * 5 * 9;
    const expected = { macs: scores * (8 + 10), otherFlops: scores * 6 };
    expect(costOf(apply('Attention', [...grouped, ...cache], {}, all))).toEqual(expected);
    expect(costOf(apply('Attention', [...flat, ...cache], heads, all))).toEqual(expected);
  });

  it('counts rotated elements only', () => {
    const inputs = [float(2, 5, 32), float(2, 5, 2), float(2, 5, 2)];
    const partial = apply(
      'RotaryEmbedding',
      inputs,
      { num_heads: 4, rotary_embedding_dim: 4 },
      { opset: 23 },
    );
    expect(costOf(partial)).toEqual({ otherFlops: 2 * 5 * 4 * 4 * 3 });
  });

  it.each([
    ['rank 3 without heads', flat, {}, /q_num_heads/],
    ['heads that do not divide', flat, { q_num_heads: 5, kv_num_heads: 2 }, /5 equal parts/],
    ['unequal groups', [float(2, 4, 5, 8), float(2, 3, 6, 8), float(2, 3, 6, 8)], {}, /4 query heads/],
    ['keys of another size', [float(2, 4, 5, 8), float(2, 4, 6, 9), float(2, 4, 6, 8)], {}, /the keys/],
    ['values of another length', [float(2, 4, 5, 8), float(2, 4, 6, 8), float(2, 4, 7, 8)], {}, /the values/],
    ['mixed ranks', [float(2, 4, 5, 8), ...flat.slice(1)], heads, /ranks 4, 3, 3/],
    ['a mask that does not fit', [...grouped, float(4, 6)], {}, /the mask/],
  ])('refuses %s', (_, inputs, attributes, message) => {
    expect(() => inferTypes(apply('Attention', inputs, attributes, { opset: 23 }))).toThrowError(message);
  });

  it.each([
    ['an odd part', { num_heads: 4, rotary_embedding_dim: 3 }],
    ['a part larger than a head', { num_heads: 4, rotary_embedding_dim: 10 }],
  ])('refuses to rotate %s', (_, attributes) => {
    const inputs = [float(2, 5, 32), float(2, 5, 4), float(2, 5, 4)];
    const test = apply('RotaryEmbedding', inputs, attributes, { opset: 23 });
    expect(() => inferTypes(test)).toThrowError(/rotary_embedding_dim/);
  });
});

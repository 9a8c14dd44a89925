import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferTypes, input, knownScalar, shapesOf } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const positions = input('int64', [2, 3], [0, 1, 2, 0, 1, 2]);

describe('positions', () => {
  it.each([
    ms('RotaryEmbedding', [float(2, 3, 8), positions, float(16, 2), float(16, 2)], {
      num_heads: 2,
      rotary_embedding_dim: 4,
    }),
    ms('RotaryEmbedding', [float(2, 2, 3, 4), positions, float(16, 2), float(16, 2)]),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('counts a rotation as two products and a sum', () => {
    const rotary = ms('RotaryEmbedding', [float(2, 2, 3, 4), positions, float(16, 2), float(16, 2)]);
    expect(costOf(rotary)).toEqual({ otherFlops: 3 * 48 });
  });

  it('infers the kinds that only run on other devices', () => {
    const relative = ms('RelativePositionBias', [half(32, 8), knownScalar(5), knownScalar(6)], {
      max_distance: 128,
    });
    expect(inferTypes(relative).map(String)).toEqual(['float16[1,8,5,6]']);
    const unknown = ms('RelativePositionBias', [half(32, 8), input('int64', []), knownScalar(6)], {
      max_distance: 128,
    });
    expect(shapesOf(inferTypes(unknown))).toEqual(['[1,8,y0[2],6]']);
    const gated = ms(
      'GatedRelativePositionBias',
      [half(2, 3, 8), half(8), half(1, 2, 3, 3), half(4, 6), half(6), half(1, 2, 1, 1)],
      { num_heads: 2 },
    );
    expect(shapesOf(inferTypes(gated))).toEqual(['[2,2,3,3]']);
    expect(costOf(gated)).toEqual({ macs: 2 * 3 * 8 * 6, otherFlops: 2 * 3 * 8 + 36 });
    const heads = half(2, 4, 3, 8);
    const gemma = ms('GemmaRotaryEmbedding', [float(2, 3, 8), heads, heads, heads, heads], {}, 2);
    expect(inferTypes(gemma).map(String)).toEqual(['float16[2,4,3,8]', 'float16[2,4,3,8]']);
    expect(costOf(gemma)).toEqual({ otherFlops: 2 * 48 + 3 * 192 * 2 });
  });

  it('refuses a negative length', () => {
    const test = ms('RelativePositionBias', [half(32, 8), knownScalar(-5), knownScalar(6)], {
      max_distance: 128,
    });
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code: 'OP_INPUT' }));
  });
});

import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferTypes, input } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const bytes = (...dims: number[]) => input('uint8', dims);
/** 6 tokens of 8 numbers, 4 experts with 16 hidden units. */
const experts = [float(6, 8), float(6, 4), float(4, 16, 8), float(4, 16), float(4, 8, 16)];

describe('mixtures of experts', () => {
  it.each([
    ms('MoE', experts, { k: 2 }),
    ms('MoE', [float(2, 3, 8), ...experts.slice(1)], { k: 1, activation_type: 'gelu' }),
    ms(
      'QMoE',
      [float(6, 32), float(6, 4), bytes(4, 64, 16), float(4, 64), null, bytes(4, 32, 16), float(4, 32)],
      { k: 2, activation_type: 'swiglu', swiglu_fusion: 1 },
    ),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('counts only the experts that are chosen', () => {
    expect(costOf(ms('MoE', experts, { k: 2 }))).toEqual({
      macs: 6 * 2 * (8 * 16 + 16 * 8),
      // ReLU of 16 units and the weighted sum of 8 outputs for each chosen expert; a softmax over 4 experts.
      otherFlops: 6 * 2 * (16 + 2 * 8) + 5 * 24,
    });
  });

  it('sees through packed weights', () => {
    const test = ms(
      'QMoE',
      [half(6, 8), half(6, 4), bytes(4, 32, 4), half(4, 32), null, bytes(4, 8, 8), half(4, 8)],
      { k: 2, activation_type: 'swiglu', swiglu_fusion: 1 },
    );
    expect(inferTypes(test).map(String)).toEqual(['float16[6,8]']);
    expect(costOf(test)?.macs).toBe(6 * 2 * (32 * 8 + 8 * 16));
  });

  it.each([
    ms('MoE', experts, { k: 5 }),
    ms('MoE', experts, { k: 0 }),
    ms('MoE', [float(8), ...experts.slice(1)]),
  ])('refuses what does not fit', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: 'com.microsoft.MoE' } }),
    );
  });
});

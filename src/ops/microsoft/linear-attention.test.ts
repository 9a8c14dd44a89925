import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferSymbolic, inferTypes, input, shapesOf } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

/** Queries and keys (2, 3, 2·4), values (2, 3, 2·6). */
const packed = [float(2, 3, 8), float(2, 3, 8), float(2, 3, 12)];
const heads = { q_num_heads: 2, kv_num_heads: 2 };

describe('linear attention', () => {
  it.each([
    ms('LinearAttention', packed, { ...heads, update_rule: 'linear' }, 2),
    ms('LinearAttention', [...packed, float(2, 2, 4, 6), float(2, 3, 2), float(2, 3, 2)], heads, 2),
    ms('LinearAttention', [...packed, null, float(2, 3, 8)], { ...heads, update_rule: 'gated' }, 2),
    ms(
      'LinearAttention',
      [float(2, 3, 16), float(2, 3, 8), float(2, 3, 12)],
      { q_num_heads: 4, kv_num_heads: 2, update_rule: 'linear' },
      2,
    ),
    ms('LinearAttentionGate', [float(2, 3, 4), float(4), float(4), float(2, 3, 4)], {}, 2),
    ms('CausalConvWithState', [float(2, 4, 7), float(4, 1, 3), float(4)], { activation: 'silu' }, 2),
    ms('CausalConvWithState', [float(2, 4, 7), float(4, 1, 3), null, float(2, 4, 4)], { dilation: 2 }, 2),
    ms('CausalConvWithState', [float(2, 7, 2, 2), float(4, 1, 3)], { channels_last: 1 }, 2),
    ms('EngramGate', [float(2, 3, 2, 4), float(2, 3, 2, 4), float(2, 3, 4), float(2, 4), float(2, 4)]),
    ms(
      'NGramHashMapping',
      [input('int64', [2, 5]), input('int64', [3]), input('int64', [8])],
      { max_ngram_size: 3, n_head_per_ngram: 4, pad_id: 0 },
      2,
    ),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('infers the kinds that only run on other devices', () => {
    const net = ms(
      'GatedDeltaNet',
      [half(7, 2, 4), half(7, 2, 4), half(7, 4, 6), input('int32', [4]), float(7, 4), float(7, 4)],
      { state_update_capacity: 2 },
      3,
    );
    // Per transition: 4 decays, 2 keys of 4, 4 changes of 6.
    expect(shapesOf(inferTypes(net))).toEqual(['[7,4,6]', '[3,4,6,4]', '[3,72]']);
    expect(costOf(net)?.macs).toBe(7 * 4 * 6 * (4 * 2 + 4));
    const state = half(3, 4, 6);
    const conv = ms(
      'VarlenCausalConvWithState',
      [half(7, 4), half(4, 1, 3), input('int32', [4]), null, state, input('int32', [3])],
      { dilation: 3, state_update_capacity: 2 },
      3,
    );
    expect(shapesOf(inferTypes(conv))).toEqual(['[7,4]', '[3,4,6]', '[3,2,4]']);
    expect(costOf(conv)?.macs).toBe(7 * 4 * 3);
  });

  it('puts a window of states in front', () => {
    const attention = ms('LinearAttention', packed, { ...heads, state_window: 2 }, 2);
    expect(shapesOf(inferTypes(attention))).toEqual(['[2,3,12]', '[2,2,2,4,6]']);
    const conv = ms('CausalConvWithState', [float(2, 4, 7), float(4, 1, 3)], { state_window: 3 }, 2);
    expect(shapesOf(inferTypes(conv))).toEqual(['[2,4,7]', '[3,2,4,2]']);
  });

  it('keeps symbols', () => {
    const test = ms('LinearAttention', packed, { ...heads, update_rule: 'linear' }, 2);
    const sizes = { 0: ['batch', 'seq', '8'], 1: ['batch', 'seq', '8'], 2: ['batch', 'seq', '12'] };
    expect(shapesOf(inferSymbolic(test, sizes))).toEqual(['[batch,seq,12]', '[batch,2,4,6]']);
  });

  it('counts writes, reads and corrections of the state', () => {
    const state = 2 * 3 * 4 * 6;
    const cost = (rule: string) => costOf(ms('LinearAttention', packed, { ...heads, update_rule: rule }, 2));
    expect(cost('linear')).toEqual({ macs: state * (2 + 2), otherFlops: 0 });
    expect(cost('gated')).toEqual({ macs: state * (2 + 2), otherFlops: state * 2 });
    expect(cost('gated_delta')).toEqual({ macs: state * (4 + 2), otherFlops: state * 2 });
    const conv = ms(
      'CausalConvWithState',
      [float(2, 4, 7), float(4, 1, 3), float(4)],
      { activation: 'silu' },
      2,
    );
    expect(costOf(conv)).toEqual({ macs: 2 * 4 * 7 * 3, otherFlops: 2 * 4 * 7 * 6 });
  });

  it.each([
    ms('LinearAttention', packed, { q_num_heads: 3, kv_num_heads: 2 }, 2),
    ms('LinearAttention', packed, { ...heads, state_window: -1 }, 2),
    ms('CausalConvWithState', [float(2, 4, 7), float(4, 1, 3)], { dilation: 0 }, 2),
  ])('refuses what cannot be', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: `com.microsoft.${test.op}` } }),
    );
  });
});

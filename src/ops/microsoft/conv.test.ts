import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferSymbolic, inferTypes, input, known, shapesOf } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const uint8 = (...dims: number[]) => input('uint8', dims);
const scalar = float();
const zero = uint8();

/** x (2, 4, 9, 9), w (6, 4, 3, 3) with scales and zero points; in the other layout x is (2, 9, 9, 4). */
const quantised = (channelsLast: boolean) => [
  ...[channelsLast ? uint8(2, 9, 9, 4) : uint8(2, 4, 9, 9), scalar, zero],
  ...[{ ...uint8(6, 4, 3, 3), constant: true }, scalar, zero, scalar, zero, input('int32', [6])],
];

describe('fused convolutions', () => {
  it.each([
    ms('FusedConv', [float(2, 4, 9, 9), float(6, 4, 3, 3), float(6)], {
      activation: 'Relu',
      pads: [1, 1, 1, 1],
    }),
    ms('FusedConv', [float(2, 4, 9, 9), float(6, 2, 3, 3), null, float(2, 6, 4, 4)], {
      group: 2,
      strides: [2, 2],
    }),
    ms('FusedConv', [float(1, 4, 20), float(8, 4, 5)], { dilations: [2] }),
    ms('NhwcMaxPool', [uint8(2, 9, 9, 4)], { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] }),
    ms('QLinearConv', quantised(false), { strides: [2, 2] }),
    ms('QLinearConv', quantised(true), { strides: [2, 2], channels_last: 1 }),
    ms('MaxpoolWithMask', [float(1, 2, 8, 8), input('int32', [1, 2, 8, 8])], {
      kernel_shape: [2, 2],
      strides: [2, 2],
    }),
    ms('ConvTransposeWithDynamicPads', [float(1, 4, 5, 5), float(4, 3, 3, 3), known([1, 1, 1, 1])], {
      strides: [2, 2],
    }),
    ms('WordConvEmbedding', [input('int32', [2, 7]), float(6, 1, 3, 4), float(6), float(10, 4)]),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('takes channels last, and weights either way', () => {
    const oihw = ms('NhwcConv', [half(2, 9, 9, 4), half(6, 4, 3, 3)]);
    const ohwi = ms('NhwcConv', [half(2, 9, 9, 4), half(6, 3, 3, 4)]);
    for (const test of [oihw, ohwi]) {
      expect(shapesOf(inferTypes(test))).toEqual(['[2,7,7,6]']);
      expect(costOf(test)).toEqual({ macs: 2 * 7 * 7 * 6 * 4 * 9, otherFlops: 0 });
    }
    const fused = ms('NhwcFusedConv', [half(2, 9, 9, 4), half(6, 4, 3, 3), half(6), half(2, 7, 7, 6)], {
      activation: 'Relu',
    });
    expect(inferTypes(fused).map(String)).toEqual(['float16[2,7,7,6]']);
    expect(costOf(fused)?.otherFlops).toBe(3 * 2 * 7 * 7 * 6);
  });

  it('keeps symbols', () => {
    const pooled = ms('NhwcMaxPool', [uint8(2, 8, 8, 4)], { kernel_shape: [2, 2], strides: [2, 2] });
    expect(shapesOf(inferSymbolic(pooled, { 0: ['batch', '8', '8', 'c'] }))).toEqual(['[batch,4,4,c]']);
    const test = ms('ConvTransposeWithDynamicPads', [
      float(1, 4, 5, 5),
      float(4, 3, 3, 3),
      input('int64', [4]),
    ]);
    expect(shapesOf(inferTypes(test))).toEqual(['[1,3,y0[2],y0[3]]']);
  });

  it('counts what is fused in', () => {
    const test = ms('FusedConv', [float(2, 4, 9, 9), float(6, 4, 3, 3), float(6)], { activation: 'Sigmoid' });
    const outputs = 2 * 6 * 7 * 7;
    expect(costOf(test)).toEqual({ macs: outputs * 4 * 9, otherFlops: outputs + 4 * outputs });
    expect(costOf(ms('QLinearConv', quantised(true), { channels_last: 1 }))?.macs).toBe(outputs * 4 * 9);
    const words = ms('WordConvEmbedding', [
      input('int32', [2, 7]),
      float(6, 1, 3, 4),
      float(6),
      float(10, 4),
    ]);
    expect(costOf(words)?.macs).toBe(2 * 5 * 6 * 3 * 4);
  });

  it.each([
    ms('FusedConv', [float(2, 4, 9, 9), float(6, 3, 3, 3)]),
    ms('FusedConv', [float(2, 4, 9, 9), float(6, 4, 3, 3), null, float(2, 6, 3, 3)]),
    ms('NhwcFusedConv', [half(2, 9, 9, 4), half(6, 5, 3, 3)]),
    ms('NhwcMaxPool', [uint8(2, 9, 9, 4)], { kernel_shape: [3], strides: [0] }),
    ms('ConvTransposeWithDynamicPads', [float(1, 4, 5, 5), float(4, 3, 3, 3), known([1, 1])]),
    ms('WordConvEmbedding', [input('int32', [2, 2]), float(6, 1, 3, 4), float(6), float(10, 4)]),
    ms('ConvTransposeWithDynamicPads', [float(1, 4, 5, 5), float(4, 3, 3, 3), known([9, 9, 9, 9])]),
  ])('refuses what does not fit', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: `com.microsoft.${test.op}` } }),
    );
  });
});

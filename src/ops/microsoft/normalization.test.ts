import { describe, expect, it } from 'vitest';
import { apply } from '../cases.testing.js';
import { expectSameAsOrt, inferSymbolic, inferTypes, input, shapesOf } from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const ids = (...dims: number[]) => input('int32', dims, new Array<number>(20).fill(0));
const skipped = [float(2, 3, 8), float(2, 3, 8), float(8)];
/** Ids (2, 3), segments, tables for words, positions and segments, scale and shift. */
const embedding = [ids(2, 3), ids(2, 3), float(20, 8), float(5, 8), float(2, 8), float(8), float(8)];
const uint8 = (...dims: number[]) => input('uint8', dims);
const image = { groups: 4, activation: 1, channels_last: 1 };

describe('fused normalisations', () => {
  it.each([
    apply('SimplifiedLayerNormalization', [float(2, 3, 8), float(8)], { axis: -1 }, { opset: 17 }),
    ms('SkipLayerNormalization', [...skipped, float(8)]),
    ms('SkipLayerNormalization', [float(2, 3, 8), float(3, 8), float(8), float(8), float(8)]),
    ms('SkipSimplifiedLayerNormalization', skipped),
    ms('EmbedLayerNormalization', embedding, {}, 2),
    ms('EmbedLayerNormalization', [...embedding, ids(2, 3)], { mask_index_type: 1 }, 3),
    ms(
      'EmbedLayerNormalization',
      [ids(2, 3), null, float(20, 8), float(5, 8), null, float(8), float(8)],
      {},
      2,
    ),
    ms('GatedRMSNorm', [float(2, 3, 8), float(4), float(2, 3, 8)]),
    ms(
      'QEmbedLayerNormalization',
      [
        ...[ids(2, 3), ids(2, 3), uint8(20, 8), uint8(5, 8), uint8(2, 8), uint8(8), uint8(8), null],
        ...[float(), float(), float(), float(), float(), uint8(), uint8(), uint8(), uint8(), uint8()],
      ],
      {},
      2,
    ),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('gives the sum before the normalisation as output 3', () => {
    const skip = ms('SkipSimplifiedLayerNormalization', [half(2, 3, 8), half(2, 3, 8), half(8)], {}, 4);
    expect(inferTypes(skip).map(String)).toEqual([
      'float16[2,3,8]',
      'float32[2,3,1]',
      'float32[2,3,1]',
      'float16[2,3,8]',
    ]);
  });

  it('infers what only other devices run', () => {
    expect(inferTypes(ms('GroupNorm', [half(2, 4, 4, 16), float(16), float(16)], image)).map(String)).toEqual(
      ['float16[2,4,4,16]'],
    );
    const skip = ms(
      'SkipGroupNorm',
      [half(2, 4, 4, 16), float(16), float(16), half(2, 16), half(16)],
      image,
      2,
    );
    expect(shapesOf(inferTypes(skip))).toEqual(['[2,4,4,16]', '[2,4,4,16]']);
    expect(costOf(skip)).toEqual({ otherFlops: (7 + 5 + 2) * 512 });
    const byte = input('int8', [2, 8]);
    const ordered = ms('QOrderedLayerNormalization', [byte, float(), half(8), half(8), float()]);
    expect(inferTypes(ordered).map(String)).toEqual(['int8[2,8]']);
    const rms = ms('SimplifiedLayerNormalization', [float(2, 3, 8), half(8)], {}, 2);
    expect(inferTypes(rms).map(String)).toEqual(['float16[2,3,8]', 'float32[2,3,1]']);
  });

  it('keeps symbols', () => {
    const types = inferSymbolic(ms('EmbedLayerNormalization', embedding, {}, 2), {
      0: ['batch', 'seq'],
      1: ['batch', 'seq'],
    });
    expect(shapesOf(types)).toEqual(['[batch,seq,8]', '[batch]']);
  });

  it('counts residuals, biases and shifts', () => {
    expect(costOf(ms('SkipLayerNormalization', skipped))).toEqual({ otherFlops: (1 + 6) * 48 });
    expect(costOf(ms('SkipLayerNormalization', [...skipped, float(8), float(8)]))).toEqual({
      otherFlops: (2 + 7) * 48,
    });
    expect(costOf(ms('SkipSimplifiedLayerNormalization', skipped))).toEqual({ otherFlops: (1 + 4) * 48 });
  });

  it('reads one row of each embedding table per token', () => {
    const cost = costOf(ms('EmbedLayerNormalization', embedding, {}, 2));
    // Three rows of 8 floats per token and as many ids; one row is written.
    expect(cost).toEqual({ otherFlops: (7 + 2) * 48, memoryBytes: 6 * (3 * 32 + 3 * 4 + 32) });
  });

  it.each([
    ms('SkipLayerNormalization', [float(2, 3, 8), float(2, 3, 8), float(7)]),
    ms('EmbedLayerNormalization', [ids(2, 3), null, float(20, 8), float(5, 9), null, float(8), float(8)]),
    ms('GroupNorm', [half(2, 4, 4, 18), float(18), float(18)], image),
    ms('GroupNorm', [half(2, 4, 4, 16), float(16), float(16)], { ...image, groups: 0 }),
    ms('GatedRMSNorm', [float(2, 3, 8), float(3), float(2, 3, 8)]),
  ])('refuses what does not fit', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: `com.microsoft.${test.op}` } }),
    );
  });
});

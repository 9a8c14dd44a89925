import { describe, expect, it } from 'vitest';
import { describeSpace } from '../conformance.testing.js';
import { countsOf, expectGoldenCounts } from './mobile-blocks.testing.js';
import { ofaResNet } from './ofa-resnet.js';

const [first, second, third, fourth] = ['w65e20e20', 'w65e20e20', 'w65e20e20e20e20', 'w65e20e20'];
const lists = (arch: object): string =>
  JSON.stringify({ d: [0, 0, 0, 0, 0], e: Array(18).fill(0.2), w: Array(6).fill(0), ...arch });

describeSpace(ofaResNet, {
  small: { resolution: 32, width: 0.1 },
  refused: [
    ['', /begins with ''/],
    ['r224', /the stem, ''/],
    [`r224-w65+80-${first}`, /1 stages after the stem/],
    [`r224-w65-${first}-${second}-${third}-${fourth}`, /the stem, 'w65'/],
    [`r208-w65,80-${first}-${second}-${third}-${fourth}`, /resolution is 208/],
    [`r224-w70,80-${first}-${second}-${third}-${fourth}`, /first convolution is 70/],
    [`r224-w65,70-${first}-${second}-${third}-${fourth}`, /last convolution is 70/],
    [`r224-w65,80-w60e20e20-${second}-${third}-${fourth}`, /width of stage 1 is 60/],
    [`r224-w65,80-${first}-${second}-w65e20e20-${fourth}`, /blocks of stage 3 is 2, not 4 or 5 or 6/],
    [`r224-w65,80-${first}-w65e20e30-${third}-${fourth}`, /expansion of stage 2, block 2 is 30/],
    [`r224-w65,80-${first}-w65-${third}-${fourth}`, /stage 2, 'w65', is not of the form/],
    [lists({ d: [0, 0, 0, 0, 3] }), /'d' has 3/],
    [lists({ w: [0, 0, 0, 0, 0, 3] }), /'w' has 3/],
    [lists({ e: [0.2] }), /'e' has 1 numbers, not 18/],
    [lists({ e: Array(18).fill(0.3) }), /expansion of stage 1, block 1 is 30/],
    [lists({ image_size: 200 }), /resolution is 200/],
  ],
});

describe('OFA ResNet-50', () => {
  it('counts its architectures', () => {
    // 3 widths and 3² + 3³ + 3⁴ (or 3⁴ + 3⁵ + 3⁶) expansions in a stage; 2 × 2 × 3 stems; 8 resolutions.
    expect(ofaResNet.size).toBe(8n * 12n * (3n * 117n) ** 3n * (3n * 1053n));
  });

  expectGoldenCounts(ofaResNet);

  it('does not look at blocks beyond the depth of a stage', () => {
    const e = Array(18).fill(0.2);
    const [a, b] = [lists({ e }), lists({ e: e.with(2, 0.35).with(17, 0) })].map(ofaResNet.parse);
    expect(b).toEqual(a);
    expect(ofaResNet.parse(lists({ e: e.with(4, 0.35) })).stages[1]!.expansions).toEqual([35, 20]);
  });

  it('reads two widths of the first convolution as the same, as they are', () => {
    const [a, b] = [0, 1].map((index) => lists({ w: [index, 0, 0, 0, 0, 0] }));
    expect(ofaResNet.parse(a!)).toEqual(ofaResNet.parse(b!));
    expect(ofaResNet.format(ofaResNet.parse(`r224-w80,80-${first}-${second}-${third}-${fourth}`))).toMatch(
      /^r224-w65,80-/,
    );
  });

  it('has a deep stem only at the greatest depth, as the supernet', () => {
    const isDeep = [0, 1, 2].map((d) => ofaResNet.parse(lists({ d: [d, 0, 0, 0, 0] })).isStemDeep);
    expect(isDeep).toEqual([false, false, true]);
  });

  it('has a node for every block that there is, and for the convolutions of the stem', () => {
    const { ops } = ofaResNet.cell!(ofaResNet.parse(ofaResNet.example));
    expect(ops.slice(0, 5)).toEqual([
      'input@176',
      ...['w65@stem.1', 'residual@stem.2', 'w80@stem.3'],
      'w100_e25@1.1',
    ]);
    expect(ops.slice(-2)).toEqual(['w100_e20@4.4', 'output']);
    const { largestCell, vocabulary } = ofaResNet;
    expect([largestCell, vocabulary!.length]).toEqual([23, 8 + 2 + 1 + 3 + 18 * 9 + 1]);
  });

  // At 144 the last stage halves 9 × 9 images: 5 × 5 remain on both ways, or they could not be added.
  it('halves odd sides on both ways alike', () => {
    const text = `r144-w65,65-${first}-${second}-${third}-${fourth}`;
    expect(countsOf(ofaResNet, text).macs).toBeGreaterThan(0);
  });
});

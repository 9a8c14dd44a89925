import { describe, expect, it } from 'vitest';
import { describeSpace } from '../conformance.testing.js';
import { countsOf, expectGoldenCounts } from './mobile-blocks.testing.js';
import { ofaMobileNetV3 } from './ofa-mobilenetv3.js';

const twos = 'k3e3k3e3';
const lists = (arch: object): string =>
  JSON.stringify({ ks: Array(20).fill(3), e: Array(20).fill(3), d: [2, 2, 2, 2, 2], r: 224, ...arch });

describeSpace(ofaMobileNetV3, {
  small: { resolution: 32, width: 0.25 },
  refused: [
    ['', /begins with ''/],
    [`r224-${twos}`, /1 stages/],
    [`r225-${twos}-${twos}-${twos}-${twos}-${twos}`, /resolution is 225/],
    [`r224-k3e3-${twos}-${twos}-${twos}-${twos}`, /stage 1 has 1 layers, not 2 or 3 or 4/],
    [`r224-${twos}-k9e3k3e3-${twos}-${twos}-${twos}`, /stage 2, layer 1: the kernel is 9/],
    [`r224-${twos}-${twos}-k3e3k3e5-${twos}-${twos}`, /stage 3, layer 2: the expansion is 5/],
    [`r224-${twos}-${twos}-k3e3e5-${twos}-${twos}`, /stage 3, 'k3e3e5', is not of the form/],
    ['{"ks": 3', /not JSON/],
    [lists({ ks: [3, 3] }), /'ks' has 2 numbers, not 20/],
    [lists({ e: 'many' }), /'e' is not a list of numbers/],
    [lists({ d: [2, 2, 2, 2, 5] }), /stage 5 has 5 layers/],
    [lists({ e: Array(20).fill(2) }), /expansion is 2/],
    [lists({ d: undefined }), /'d' is missing/],
    [lists({ r: 100 }), /resolution is 100/],
    [lists({ wid: 1 }), /'wid' is a width/],
  ],
});

describe('OFA MobileNetV3', () => {
  // "(3 × 3)² + (3 × 3)³ + (3 × 3)⁴)⁵ ≈ 2 × 10¹⁹ different neural network architectures", each at 25 resolutions
  // (section 3.2 of the paper).
  it('has as many architectures as the paper says', () => {
    expect(ofaMobileNetV3.size).toBe(25n * 7371n ** 5n);
    expect(Math.round(Number(ofaMobileNetV3.size) / 25 / 1e19)).toBe(2);
  });

  expectGoldenCounts(ofaMobileNetV3);

  it('does not look at layers beyond the depth of a stage', () => {
    const ks = Array(20).fill(3);
    const other = ks.with(2, 7).with(3, 0).with(19, 5);
    const [a, b] = [lists({ ks }), lists({ ks: other })].map(ofaMobileNetV3.parse);
    expect(b).toEqual(a);
    expect(ofaMobileNetV3.parse(lists({ ks: ks.with(1, 7) }))).not.toEqual(a);
  });

  it('reads the names of different tables, and one number for a list', () => {
    const expected = ofaMobileNetV3.parse(lists({ r: 160 }));
    expect(ofaMobileNetV3.parse(lists({ r: undefined, image_size: 160, wid: null }))).toEqual(expected);
    expect(ofaMobileNetV3.parse('{"ks": 3, "e": 3, "d": 2, "r": 160}')).toEqual(expected);
    expect(ofaMobileNetV3.parse('{"ks": 3, "e": 3, "d": 2}').resolution).toBe(224);
    expect(ofaMobileNetV3.parse("{'wid': None, 'ks': 3, 'e': 3, 'd': 2, 'r': [160]}")).toEqual(expected);
  });

  it('has a node for every layer that there is, and the resolution in its input', () => {
    const { ops } = ofaMobileNetV3.cell!(ofaMobileNetV3.parse(ofaMobileNetV3.example));
    expect(ops).toEqual([
      'input@160',
      ...['k3_e4@1.1', 'k5_e6@1.2'],
      ...['k7_e3@2.1', 'k3_e3@2.2', 'k5_e6@2.3'],
      ...['k3_e3@3.1', 'k3_e4@3.2', 'k3_e6@3.3', 'k7_e3@3.4'],
      ...['k5_e6@4.1', 'k5_e4@4.2'],
      ...['k7_e6@5.1', 'k3_e3@5.2', 'k5_e4@5.3'],
      'output',
    ]);
    const { largestCell, vocabulary } = ofaMobileNetV3;
    expect([largestCell, vocabulary!.length]).toEqual([22, 25 + 20 * 9 + 1]);
  });

  it('takes the resolution of the architecture unless the options have one', () => {
    const text = `r128-${twos}-${twos}-${twos}-${twos}-${twos}`;
    const at = (resolution: number) => countsOf(ofaMobileNetV3, text, { resolution }).macs;
    expect(countsOf(ofaMobileNetV3, text).macs).toBe(at(128));
    expect(at(224)).toBeGreaterThan(at(128));
  });
});

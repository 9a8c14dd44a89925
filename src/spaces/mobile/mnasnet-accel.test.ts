import { describe, expect, it } from 'vitest';
import { describeSpace } from '../conformance.testing.js';
import { accelMnasNet } from './mnasnet-accel.js';
import { countsOf, expectGoldenCounts, goldenModels } from './mobile-blocks.testing.js';

const blocks = Array(6).fill('e1k3l1').join('-');

describeSpace(accelMnasNet, {
  small: { resolution: 32, width: 0.25 },
  refused: [
    ['', /1 blocks/],
    [blocks, /6 blocks/],
    [`${blocks}-e1k3`, /block 7, 'e1k3', is not of the form/],
    [`${blocks}-e3k3l1`, /block 7: the expansion is 3, not 1 or 4 or 6/],
    [`${blocks}-e1k7l1`, /block 7: the kernel is 7/],
    [`${blocks}-e1k3l4`, /block 7: the number of layers is 4/],
    ['{"block0_e": 1}', /'block0_k' is missing/],
    [JSON.stringify({ block0_e: 1, block0_k: 3, block0_l: 1, block0_se: 'yes' }), /'block0_se' is neither/],
  ],
});

describe('Accel-NASBench MnasNet', () => {
  // Its authors speak of about 10⁹ architectures without squeeze-and-excitation.
  it('counts its architectures', () => {
    expect(accelMnasNet.size).toBe(36n ** 6n * 48n);
    expect(Math.round(Math.log10(Number(accelMnasNet.size) / 2 ** 7))).toBe(9);
  });

  expectGoldenCounts(accelMnasNet);

  it('has a node for every layer that there is', () => {
    const { ops } = accelMnasNet.cell!(
      accelMnasNet.parse('e1k3l1s-e6k5l2-e6k3l1-e6k3l1-e6k3l1-e6k3l1-e4k3l1s'),
    );
    expect(ops.slice(0, 5)).toEqual(['input', 'k3_e1_s@1.1', 'k5_e6@2.1', 'k5_e6@2.2', 'k3_e6@3.1']);
    expect(ops.slice(-2)).toEqual(['k3_e4_s@7.1', 'output']);
    expect([accelMnasNet.largestCell, accelMnasNet.vocabulary!.length]).toEqual([24, 1 + 22 * 12 + 1]);
  });

  it('has EfficientNet-B0 for an example', () => {
    expect(countsOf(accelMnasNet, accelMnasNet.example)).toEqual(goldenModels['torchvision efficientnet_b0']);
  });
});

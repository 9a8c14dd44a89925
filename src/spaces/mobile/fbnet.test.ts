import { describe, expect, it } from 'vitest';
import { Random } from '../../util/random.js';
import { describeSpace } from '../conformance.testing.js';
import { FBNET_BLOCKS, fbNet } from './fbnet.js';
import { countsOf, expectGoldenCounts, goldenModels } from './mobile-blocks.testing.js';

describeSpace(fbNet, {
  small: { resolution: 16, width: 0.25 },
  refused: [
    ['', /0 layers/],
    ['1 2 3', /3 layers, not 22/],
    [Array(22).fill('9').join(' '), /layer 1: unknown block '9'/],
    [`${Array(21).fill('8').join(' ')} k7_e6`, /layer 22: unknown block 'k7_e6'/],
  ],
});

describe('FBNet', () => {
  it('has 9²² architectures', () => {
    expect(fbNet.size).toBe(9n ** 22n);
    expect(FBNET_BLOCKS.length).toBe(9);
  });

  expectGoldenCounts(fbNet);

  const imagenet = { resolution: 224, classes: 1000 };

  it("has timm's FBNet-C for an example, at ImageNet's size", () => {
    expect(countsOf(fbNet, fbNet.example, imagenet)).toEqual(goldenModels['timm fbnetc_100']);
  });

  // The paper says 375 million multiply-accumulates and 5.5 million parameters; the published network has 3 % more.
  it('is close to what the paper says of FBNet-C', () => {
    const { parameters, macs } = countsOf(fbNet, fbNet.example, imagenet);
    expect(parameters / 5.5e6).toBeCloseTo(1, 1);
    expect(macs / 375e6).toBeCloseTo(1, 1);
  });

  it('has a node for every layer, skips too', () => {
    const { ops } = fbNet.cell!(fbNet.parse(fbNet.example));
    expect(ops.slice(0, 6)).toEqual(['input', 'k3_e1@1', 'k3_e6@2', 'skip@3', 'k3_e1@4', 'k3_e1@5']);
    expect(ops.slice(-2)).toEqual(['k3_e6@22', 'output']);
    expect([fbNet.largestCell, fbNet.vocabulary!.length]).toEqual([24, 9 * 22 + 2]);
  });

  it('reads names and lists', () => {
    const arch = fbNet.sample(Random.seeded(1));
    expect(fbNet.parse(arch.join(' '))).toEqual(arch);
    expect(fbNet.parse(`[${fbNet.format(arch).replaceAll(' ', ', ')}]`)).toEqual(arch);
  });

  it('takes networks for the same whose skips stand elsewhere in a stage', () => {
    const of = (blocks: string) => fbNet.hash!(fbNet.parse(`0 ${blocks} ${Array(17).fill(0).join(' ')}`));
    expect(of('3 8 1 8')).toBe(of('3 8 8 1'));
    expect(of('3 8 1 8')).not.toBe(of('3 8 8 2'));
    // The first layer of a stage has the stride.
    expect(of('8 3 1 8')).not.toBe(of('3 8 1 8'));
  });
});

import { describe, expect, it } from 'vitest';
import { describeSpace } from '../conformance.testing.js';
import { describeArchitecture } from '../describe.js';
import { autoFormerBase, autoFormerSmall, autoFormerTiny } from './autoformer.js';
import { expectGoldenCounts, expectGoldenOutput } from './transformers.testing.js';

const SPACES = [autoFormerTiny, autoFormerSmall, autoFormerBase];

for (const space of SPACES) {
  const { embedDim, mlpRatios, heads } = space.parse(space.example);
  describeSpace(space, {
    small: { resolution: 32, width: 0.0625 },
    refused: [
      ['', /1 fields/],
      [`${embedDim}:${heads.length}:r${mlpRatios}`, /3 fields/],
      [`200:${heads.length}:r${mlpRatios}:h${heads}`, /hidden_dim is 200/],
      [`${embedDim}:${heads.length}:${mlpRatios}:h${heads}`, /mlp_ratio, must begin with 'r'/],
      [`${embedDim}:${heads.length}:r${mlpRatios}:h${heads.slice(1)}`, /num_heads has \d+ elements/],
      [`${embedDim}:${heads.length}:r2${String(mlpRatios).slice(1)}:h${heads}`, /mlp_ratio of layer 1 is 2/],
      [`${embedDim}:${heads.length}:r${mlpRatios}:hx${String(heads).slice(1)}`, /layer 1 is "x/],
      ['{"hidden_dim":', /looks like JSON/],
      ['{"hidden_dim":"192"}', /"192", not a number/],
      [`{"hidden_dim":${embedDim}}`, /depth is missing/],
    ],
  });
}

describe('AutoFormer', () => {
  it('has as many architectures as choices allow', () => {
    expect(autoFormerTiny.size).toBe(3n * (4n ** 12n + 4n ** 13n + 4n ** 14n));
    expect(autoFormerSmall.size).toBe(3n * (9n ** 12n + 9n ** 13n + 9n ** 14n));
    expect(autoFormerBase.size).toBe(3n * (6n ** 14n + 6n ** 15n + 6n ** 16n));
  });

  it.each(SPACES)('has the parameters that PyTorch counts: $name', expectGoldenCounts);

  it('computes what PyTorch computes', async () => {
    await expectGoldenOutput(autoFormerTiny);
  });

  // The subnets released by the authors; sizes are those of the paper's abstract.
  it.each([
    [autoFormerSmall, 22.9],
    [autoFormerBase, 53.7],
  ])('has the published size of the released subnet: $name', (space, millions) => {
    const { parameters } = describeArchitecture(space, space.parse(space.example));
    expect(parameters / 1e6).toBeCloseTo(millions, 1);
  });

  it('reads the released Tiny, whose ratio of 3 is never drawn', () => {
    const text = '192:13:r3.5,3.5,3,3.5,3,3,4,4,3.5,4,3.5,4,3.5:h3,3,3,3,3,3,3,3,3,3,4,3,3';
    const arch = autoFormerTiny.parse(text);
    expect(autoFormerTiny.format(arch)).toBe(text);
    // 5.8 million in the authors' list of models, 5.7 in the paper.
    const { parameters } = describeArchitecture(autoFormerTiny, arch);
    expect(Math.abs(parameters / 1e6 - 5.8)).toBeLessThan(0.1);
  });

  it('reads JSON as tables have it', () => {
    const { embedDim, mlpRatios, heads } = autoFormerTiny.parse(autoFormerTiny.example);
    const json = { hidden_dim: embedDim, mlp_ratio: mlpRatios, depth: heads.length, num_heads: heads };
    expect(autoFormerTiny.format(autoFormerTiny.parse(JSON.stringify(json)))).toBe(autoFormerTiny.example);
  });

  it('refuses images without a patch', () => {
    const arch = autoFormerTiny.parse(autoFormerTiny.example);
    expect(() => autoFormerTiny.network(arch, { resolution: 15 })).toThrow(/smaller than a patch/);
  });
});

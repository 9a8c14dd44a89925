import { describe, expect, it } from 'vitest';
import { describeSpace } from '../conformance.testing.js';
import { hwGptS } from './hwgpt.js';
import { expectGoldenCounts, expectGoldenOutput } from './transformers.testing.js';

const { heads, mlpRatios } = hwGptS.parse(hwGptS.example);

describeSpace(hwGptS, {
  small: { resolution: 8, width: 0.0625, classes: 11 },
  refused: [
    ['', /1 fields/],
    [`200:10:h${heads}:m${mlpRatios}:b1`, /sample_embed_dim is 200/],
    [`192:9:h${heads}:m${mlpRatios}:b1`, /sample_n_layer is 9/],
    [`192:11:h${heads}:m${mlpRatios}:b1`, /sample_n_head has 10 elements/],
    [`192:10:h${heads}:m${mlpRatios}:b2`, /sample_bias is "2"/],
    [`192:10:h${heads},4:m${mlpRatios}:b1`, /sample_n_head has 11 elements/],
    [`192:10:h${heads}:m5${String(mlpRatios).slice(1)}:b1`, /sample_mlp_ratio of layer 1 is 5/],
  ],
});

describe('HW-GPT-Bench GPT-S', () => {
  it('has as many architectures as choices allow', () => {
    expect(hwGptS.size).toBe(6n * (9n ** 10n + 9n ** 11n + 9n ** 12n));
  });

  it('has the parameters that PyTorch counts', () => {
    expectGoldenCounts(hwGptS);
  });

  it('computes what PyTorch computes', async () => {
    await expectGoldenOutput(hwGptS);
  });

  it('reads the benchmark’s JSON, whose lists name layers that are not there', () => {
    const json = {
      sample_embed_dim: 384,
      sample_n_layer: 10,
      sample_n_head: [...heads, 12, 12],
      sample_mlp_ratio: [...mlpRatios, 4, 4],
      sample_bias: true,
    };
    expect(hwGptS.format(hwGptS.parse(JSON.stringify(json)))).toBe(hwGptS.example);
  });
});

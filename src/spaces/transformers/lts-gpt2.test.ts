import { describe, expect, it } from 'vitest';
import { Random } from '../../util/random.js';
import { crossover, mutate } from '../choices.js';
import { describeSpace } from '../conformance.testing.js';
import { decoderParameters, ltsGpt2 } from './lts-gpt2.js';
import { expectGoldenCounts, expectGoldenOutput } from './transformers.testing.js';

describeSpace(ltsGpt2, {
  small: { resolution: 8, width: 0.0625, classes: 11 },
  refused: [
    ['', /1 fields/],
    ['500:2:e128:k1:i1024,1024:h2,2', /d_model is 500/],
    ['512:1:e128:k1:i1024:h2', /n_layer is 1/],
    ['512:2:e64:k1:i1024,1024:h2,2', /d_embed is 64/],
    ['512:2:e128:k3:i1024,1024:h2,2', /div_val is 3/],
    ['512:2:e128:k1:i1024:h2,2', /d_inner has 1 elements/],
    ['512:2:e128:k1:i1024,5000:h2,2', /d_inner of layer 2 is 5000/],
    ['512:2:e128:k1:i1024,1024.5:h2,2', /d_inner of layer 2 is 1024.5/],
    ['512:2:e128:k1:i1024,1024:h2,3', /n_head of layer 2 is 3/],
    ['{"d_model":512,"n_layer":2,"primer_square":true}', /primer_square is true/],
    ['{"d_model":512,"n_layer":2,"d_embed":128,"div_val":1,"d_inner":1024}', /d_inner is not a list/],
  ],
});

describe('LTS GPT-2', () => {
  it('has the parameters that PyTorch counts', () => {
    expectGoldenCounts(ltsGpt2);
  });

  it('computes what PyTorch computes', async () => {
    await expectGoldenOutput(ltsGpt2);
  });

  it('counts the parameters of the decoder', () => {
    // GPT-2 small without its embeddings: 12 layers of 7,087,872 and the last normalisation.
    const heads = Array.from({ length: 12 }, () => 8);
    const dInner = heads.map(() => 3072);
    expect(decoderParameters({ dModel: 768, dEmbed: 512, divVal: 4, dInner, heads })).toBe(85_056_000);
  });

  it('reads archai’s configurations, whose perceptrons have any width', () => {
    const config = {
      ...{ adaptive: true, tie_weight: true, tie_projs: [false, true, true, true], primer_square: false },
      ...{ d_model: 64, d_inner: [1001, 533], d_embed: 256, div_val: 2, n_head: [8, 2], n_layer: 2 },
    };
    const arch = ltsGpt2.parse(JSON.stringify(config));
    expect(ltsGpt2.format(arch)).toBe('64:2:e256:k2:i1001,533:h8,2');
  });

  it('keeps perceptrons wide enough when the model becomes wider', () => {
    const random = Random.seeded(1);
    let arch = ltsGpt2.sample(random);
    for (let i = 0; i < 2000; i++) {
      arch =
        i % 3 === 0
          ? crossover(ltsGpt2, arch, ltsGpt2.sample(random), random)
          : mutate(ltsGpt2, arch, random);
      expect(Math.min(...arch.dInner)).toBeGreaterThan(2 * arch.dModel);
    }
  });
});

import { describe, expect, it } from 'vitest';
import '../ops/index.js';
import { tensorNumbers } from '../graph/tensor.js';
import { ArchNetwork } from '../networks/arch-network.js';
import { listOf } from '../networks/networks.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import { Random } from '../util/random.js';
import { embeddingOf } from './hidden-layer.js';
import { kindNamed } from './kinds/index.js';

const random = Random.seeded(2);
const networks = listOf(
  Array.from({ length: 40 }, () => new ArchNetwork(nasBench201, nasBench201.sample(random))),
);
const values = Float64Array.from({ length: 80 }, () => random.normal());
const labels = { names: ['a', 'b'], values };
const RUN = { seed: 1, threads: 1 };

describe('the last hidden layer', () => {
  it('gives the predictions by the last dense layers, of all members', async () => {
    const changes = { steps: 5, members: 2, isFromScratch: true, model: { width: 8, layers: 1 } };
    const { predictor } = await kindNamed('nn-former').fit({ networks, labels }, changes, RUN);
    const embedding = embeddingOf(predictor)!;
    const { rows, width, data } = await embedding.embed!(networks);
    expect([rows, width]).toEqual([40, 16]);
    const { initializers } = predictor.model.graph;
    const weight = [0, 1].map((i) => tensorNumbers(initializers.get(`member.${i}.head.weight`)!));
    const sums = Array.from({ length: rows * 2 }, (_, at) => {
      const [row, label] = [Math.floor(at / 2), at % 2];
      return weight
        .flatMap((w, member) =>
          Array.from({ length: 8 }, (_, k) => data[row * 16 + member * 8 + k]! * Number(w[2 * k + label])),
        )
        .reduce((a, b) => a + b);
    });
    // Predictions are lines in these sums: one factor and one offset for each label.
    const { values: found } = await predictor.predict!(networks);
    for (const label of [0, 1]) {
      const [x, y] = [sums, found].map((all) => [...all].filter((_, i) => i % 2 === label)) as [
        number[],
        number[],
      ];
      const slope = (y[1]! - y[0]!) / (x[1]! - x[0]!);
      for (const i of x.keys()) expect(Math.abs(y[0]! + slope * (x[i]! - x[0]!) - y[i]!)).toBeLessThan(1e-3);
    }
    await Promise.all([predictor.dispose(), embedding.dispose()]);
  });

  it('is not asked of predictors that embed, and not had by forests', async () => {
    const small = { steps: 3, model: { width: 8, layers: 1, latent: 4 } };
    const { predictor } = await kindNamed('arch2vec').fit({ networks }, small, RUN);
    expect(embeddingOf(predictor)).toBe(predictor);
    const forest = await kindNamed('forest').fit({ networks, labels }, { model: { trees: 3 } }, RUN);
    expect(embeddingOf(forest.predictor)).toBeUndefined();
    await Promise.all([predictor.dispose(), forest.predictor.dispose()]);
  });
});

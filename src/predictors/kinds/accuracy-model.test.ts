import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { ArchNetwork } from '../../networks/arch-network.js';
import { listOf } from '../../networks/networks.js';
import { nasBench101 } from '../../spaces/cells/nasbench101.js';
import { Random } from '../../util/random.js';
import { CellAutoencoder } from '../cell-autoencoder.js';
import { accuracyModel } from './accuracy-model.js';

const random = Random.seeded(4);
const all = Array.from({ length: 160 }, () => new ArchNetwork(nasBench101, nasBench101.sample(random)));
const networks = listOf(all.slice(0, 64));
const unlabelled = listOf(all.slice(64));
const labels = { names: ['accuracy'], values: Float64Array.from({ length: 64 }, () => random.float()) };
const sizes = { width: 8, layers: 1, latent: 4, headWidth: 8, passes: 3 };

describe('the Accuracy model', () => {
  it('learns from unlabelled networks, and goes through the labelled ones several times in an epoch', async () => {
    const fit = (data: object) =>
      accuracyModel.fit({ networks, labels, ...data }, { model: sizes }, { seed: 1, threads: 1 });
    const { predictor, members } = await fit({ unlabelled });
    // Ten epochs: three times two labelled batches of 32, and three unlabelled ones.
    expect((predictor.info.recipe as { steps: number }).steps).toBe(10 * (3 * 2 + 3));
    expect(members[0]!.curves.loss.length).toBe(90);
    const autoencoder = CellAutoencoder.of(predictor)!;
    const { width } = await autoencoder.latents(networks);
    expect(width).toBe(7 * 4);
    await Promise.all([predictor.dispose(), autoencoder.dispose()]);
    const alone = await fit({});
    expect((alone.predictor.info.recipe as { steps: number }).steps).toBe(10 * (3 * 2 + 2));
    await alone.predictor.dispose();
  });
});

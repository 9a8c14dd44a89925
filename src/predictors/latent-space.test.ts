import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../ops/index.js';
import { ArchNetwork } from '../networks/arch-network.js';
import { listOf } from '../networks/networks.js';
import { nasBench101 } from '../spaces/cells/nasbench101.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import { Random } from '../util/random.js';
import { CellAutoencoder } from './cell-autoencoder.js';
import { drawnLatents } from './cell-decoder.js';
import { arch2vec } from './kinds/arch2vec.js';
import { networksBetween, networksDrawn, networksNear } from './latent-space.js';
import { decodePredictor } from './load.js';

const random = Random.seeded(4);
const all = Array.from({ length: 200 }, () => new ArchNetwork(nasBench101, nasBench101.sample(random)));
const [first, second] = all as [ArchNetwork, ArchNetwork];
let autoencoder: CellAutoencoder;

beforeAll(async () => {
  const sizes = { width: 32, layers: 2, latent: 8, decoder: 'softmax', mode: 'training' };
  const { predictor } = await arch2vec.fit(
    { networks: listOf(all) },
    { steps: 80, rate: 5e-3, model: sizes },
    { seed: 1, threads: 1 },
  );
  const again = await decodePredictor(predictor.toOnnx());
  autoencoder = CellAutoencoder.of(again)!;
  const { data, width } = await predictor.embed!(listOf([first]));
  const latents = await autoencoder.latentsOf(first);
  expect(latents.length).toBe(7 * width);
  // The embedding is the mean of the latents.
  for (let k = 0; k < width; k++) {
    const mean = latents.filter((_, i) => i % width === k).reduce((a, b) => a + b) / 7;
    expect(mean).toBeCloseTo(data[k]!, 5);
  }
  await predictor.dispose();
  await again.dispose();
});
afterAll(() => autoencoder.dispose());

describe('the latent space of cells', () => {
  it('has different networks near one, the nearest first', async () => {
    const near = (seed: number) =>
      networksNear(autoencoder, first, { count: 5, random: Random.seeded(seed) });
    const found = await near(1);
    expect(found.length).toBe(5);
    expect(new Set([first.key(), ...found.map(({ key }) => key)]).size).toBe(6);
    const distances = found.map(({ distance }) => distance);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    expect(await near(1)).toEqual(found);
    // Steps that change nothing decode one network, which is the first one if it comes back.
    const here = await networksNear(autoencoder, first, { count: 5, radius: 1e-9, random: Random.seeded(1) });
    expect(here.length).toBeLessThanOrEqual(1);
  });

  it('leads from one network to another', async () => {
    const found = await networksBetween(autoencoder, [first, second], { count: 3 });
    expect(found.map(({ part }) => part)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    const ends = await autoencoder.latents(listOf([first, second]));
    expect(found[0]!.decoded).toEqual(autoencoder.decode(ends.data.subarray(0, ends.width)));
    expect(found[4]!.decoded).toEqual(autoencoder.decode(ends.data.subarray(ends.width)));
  });

  it('decodes drawn latents to networks, or to nothing', () => {
    const options = { count: 60, random: Random.seeded(2) };
    const plain = networksDrawn(autoencoder, { ...options, decoding: 'plain' });
    const valid = networksDrawn(autoencoder, options);
    const count = (found: readonly unknown[]): number => found.filter((each) => each !== undefined).length;
    expect(count(valid)).toBeGreaterThanOrEqual(count(plain));
    expect(count(valid)).toBeGreaterThan(50);
    const z = drawnLatents(autoencoder.decoder, Random.seeded(3));
    expect(autoencoder.decode(z)!.network.arch!.space).toBe(nasBench101);
  });

  it('knows cells of its space only', async () => {
    const other = new ArchNetwork(nasBench201, nasBench201.sample(random));
    await expect(networksNear(autoencoder, other, { count: 1, random })).rejects.toMatchObject({
      code: 'OTHER_SPACE',
    });
  });
});

import { expect, it } from 'vitest';
import { listOf, Resolver } from '../../networks/index.js';
import { sgd } from '../../nn/optimiser.js';
import { constantRate } from '../../nn/schedules.js';
import { Trainer } from '../../nn/trainer.js';
import { nasBench101 } from '../../spaces/cells/nasbench101.js';
import { Random } from '../../util/random.js';
import type { IoExamples } from '../kind.js';
import { ARCH2VEC, cellsOf, encodeCells } from '../models/arch2vec.js';
import { cellLoss, ioHead } from '../models/cell-heads.js';
import { cellView } from '../views/cell.js';
import { ioTests } from './io-tests.js';

const random = Random.seeded(3);
const resolver = new Resolver();
const cells = Array.from({ length: 6 }, () =>
  resolver.network(`nasbench101:${nasBench101.format(nasBench101.sample(random))}`),
);
const side = 8;
const pixels = Float32Array.from({ length: 5 * 3 * side ** 2 }, (_, i) => Math.sin(i));

/** Features are the numbers of the network and of the image, and 1. */
const examples = (
  networks: readonly (typeof cells)[number][],
  name: string,
): IoExamples & { name: string } => ({
  name,
  networks: listOf(networks),
  images: { count: 5, side, pixels },
  width: 3,
  read: (network, image, out, at) => out.set([network, image, 1], at),
});

it('compares the outputs of the whole model, and the mean, with those of networks', async () => {
  const run = { seed: 0, threads: 1 };
  const head = { flat: 4, width: 8, depth: 2, dropout: 0.5, channels: [3, 4], outputs: 3 };
  const state = await cellView.prepare(listOf(cells), { form: 'whole', sizes: 'fixed' });
  const options = { ...ARCH2VEC, layers: 1, width: 8, latent: 4, operations: state.vocabulary.length };
  const set = await cellView.encode(cells, state);
  const all = set.merged?.(set.count) ?? set;
  const trainer = new Trainer(
    {
      loss: (s, given) =>
        cellLoss(s, cellsOf(given), options, {
          predict: (scope, latents) => ioHead(scope, latents, given.image!, head),
          target: given.target!,
        }),
      predict: (s, given) => ioHead(s, encodeCells(s, cellsOf(given), options).mean, given.image!, head),
    },
    { optimiser: sgd(), schedule: constantRate(0.01), clipNorm: 5, seed: 1, session: { threads: 1 } },
  );
  const batch = (network: number) => ({
    ...all.batch(Array<number>(5).fill(network)),
    image: { type: 'float32' as const, dims: [5, 3, side, side], data: pixels },
    target: {
      type: 'float32' as const,
      dims: [5, 3],
      data: Float32Array.from({ length: 15 }, (_, i) => [network, Math.floor(i / 3), 1][i % 3]!),
    },
  });
  for (let step = 0; step < 3; step++) await trainer.step(batch(step));
  let sum = 0;
  for (let network = 0; network < 6; network++) {
    const { data } = await trainer.predict(batch(network));
    (data as Float32Array).forEach((value, i) => {
      sum += (value - [network, Math.floor(i / 3), 1][i % 3]!) ** 2;
    });
  }
  const io = { ...examples(cells, 'learned'), tests: [examples(cells, 'all'), examples([], 'none')] };
  const found = await ioTests(
    io,
    trainer.weights('current'),
    { state, options, head, kind: { title: 'IO' } },
    run,
  );
  await trainer.dispose();
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ name: 'all', networks: 6, images: 5 });
  expect(found[0]!.error).toBeCloseTo(sum / 90, 5);
  // The variances of 0 … 5, of 0 … 4, and of 1.
  expect(found[0]!.baseline).toBeCloseTo((35 / 12 + 2) / 3, 9);
});

import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { ArchNetwork } from '../../networks/arch-network.js';
import { listOf } from '../../networks/networks.js';
import { nasBench101 } from '../../spaces/cells/nasbench101.js';
import { Random } from '../../util/random.js';
import type { CellDecoder } from '../cell-decoder.js';
import { decodingQuality } from '../decoding-quality.js';
import type { FitRun } from '../kind.js';
import { arch2vec } from './arch2vec.js';

const random = Random.seeded(4);
const networks = listOf(
  Array.from({ length: 300 }, () => new ArchNetwork(nasBench101, nasBench101.sample(random))),
);
const RUN: FitRun = { seed: 1, threads: 1 };
const SMALL = { steps: 60, model: { width: 32, layers: 2, latent: 8, mode: 'training' } };

describe('arch2vec', () => {
  it('embeds cells, and decodes some that exist', async () => {
    const { predictor, members } = await arch2vec.fit({ networks }, SMALL, RUN);
    const { loss } = members[0]!.curves;
    const mean = (some: readonly number[]): number => some.reduce((a, b) => a + b) / some.length;
    expect(mean(loss.slice(-10))).toBeLessThan(mean(loss.slice(0, 10)));
    const { width, data } = await predictor.embed!(networks);
    expect(width).toBe(8);
    expect(data.every(Number.isFinite)).toBe(true);
    const { decoder } = predictor.info.recipe as unknown as { decoder: CellDecoder };
    const drawn = { count: 100, random: Random.seeded(5) };
    const free = decodingQuality(decoder, nasBench101, drawn);
    const bound = decodingQuality(decoder, nasBench101, { ...drawn, isConstrained: true });
    expect(bound.validity).toBeGreaterThan(0.9);
    expect(bound.validity).toBeGreaterThanOrEqual(free.validity);
    await predictor.dispose();
  });

  it('goes on from a file, with the same loss', async () => {
    const first = await arch2vec.fit({ networks }, SMALL, RUN);
    const again = await arch2vec.fit(
      { networks, from: first.predictor },
      { ...SMALL, steps: 5, rate: 1e-9 },
      RUN,
    );
    const before = first.members[0]!.curves.loss.slice(-20);
    const after = again.members[0]!.curves.loss;
    const mean = (some: readonly number[]): number => some.reduce((a, b) => a + b) / some.length;
    expect(Math.abs(mean(after) - mean(before)) / mean(before)).toBeLessThan(0.2);
    await first.predictor.dispose();
    await again.predictor.dispose();
  });

  it('trains in evaluation mode from the second epoch on, as released', async () => {
    const model = { ...SMALL.model, mode: 'evaluation-from-epoch-2', dropout: 0.9 };
    const { members, predictor } = await arch2vec.fit({ networks }, { ...SMALL, steps: 40, model }, RUN);
    // Without dropout and samples, cells are decoded better at once.
    expect(members[0]!.curves.loss.length).toBe(40 - Math.floor(300 / 32));
    await predictor.dispose();
  });

  it('has one member', () => {
    expect(() => arch2vec.recipe!(100, { members: 2 })).toThrow(/one member/);
    expect(arch2vec.recipe!(3200).steps).toBe(800);
  });
});

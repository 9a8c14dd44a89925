import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { ArchNetwork } from '../../networks/arch-network.js';
import { listOf } from '../../networks/networks.js';
import { spaceNamed } from '../../spaces/index.js';
import { Random } from '../../util/random.js';
import type { FitRun } from '../kind.js';
import { decodePredictor } from '../load.js';
import { contrastiveKind } from './contrastive.js';

const space = spaceNamed('nnlqp-alexnet');
const random = Random.seeded(4);
const networks = listOf(Array.from({ length: 48 }, () => new ArchNetwork(space, space.sample(random))));
const RUN: FitRun = { seed: 1, threads: 1 };
const SMALL = { batch: 16, model: { width: 8, layers: 1, feedForward: 8, projection: 8 } };

function mean(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b) / numbers.length;
}

describe('the contrastive encoder', () => {
  it('learns, and goes on from a file', async () => {
    const { predictor, members } = await contrastiveKind.fit({ networks }, { ...SMALL, steps: 40 }, RUN);
    const { loss } = members[0]!.curves;
    expect(mean(loss.slice(-8))).toBeLessThan(mean(loss.slice(0, 8)));
    const { width, data } = await predictor.embed!(networks);
    expect(width).toBe(16);

    // Hardly moved, it says the same; begun anew, it would not.
    const from = await decodePredictor(predictor.toOnnx(), { threads: 1 });
    const still = { batch: 16, steps: 2, rate: 1e-9 };
    const again = await contrastiveKind.fit({ networks, from }, still, { ...RUN, seed: 2 });
    const same = await again.predictor.embed!(networks);
    same.data.forEach((x, i) => {
      expect(x).toBeCloseTo(data[i]!, 4);
    });
    const anew = await contrastiveKind.fit({ networks }, { ...SMALL, ...still }, { ...RUN, seed: 2 });
    const other = await anew.predictor.embed!(networks);
    expect(Math.max(...other.data.map((x, i) => Math.abs(x - data[i]!)))).toBeGreaterThan(0.1);
    for (const each of [predictor, from, again.predictor, anew.predictor]) await each.dispose();
  });

  it('refuses what an encoder to begin with cannot be, and what cannot be compared', async () => {
    const { predictor: from } = await contrastiveKind.fit({ networks }, { ...SMALL, steps: 1 }, RUN);
    const recipe = contrastiveKind.recipe!;
    const refused = (changes: object, code: string) =>
      expect(() => recipe(100, changes, from)).toThrow(expect.objectContaining({ code }));
    refused({ model: { width: 16 } }, 'MODEL_OPTION');
    refused({ model: { sizes: 'log' } }, 'MODEL_OPTION');
    refused({ members: 2 }, 'BAD_OPTION');
    refused({ batch: 1 }, 'BAD_OPTION');
    refused({ steps: 0 }, 'BAD_OPTION');
    expect(recipe(100, { model: { alpha: 'printed', width: 8 } }, from).steps).toBe(500);
    await from.dispose();
  });
});

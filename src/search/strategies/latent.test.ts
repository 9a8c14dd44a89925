// Strategies in latent space beyond what every strategy must keep to.
import { describe, expect, it } from 'vitest';
import type { Embedding } from '../contract.js';
import { digitEmbedding, searchDigits, sumOf, textOf } from '../toy.testing.js';
import { bayesianOptimisation } from './bo.js';
import { randomSearch } from './random-search.js';
import { reinforce } from './reinforce.js';

const SMALL = { units: 16, samples: 200 };
const seeds = [1, 2, 3, 4, 5];

async function meanBest(strategy: Parameters<typeof searchDigits>[0], budget: number): Promise<number> {
  let sum = 0;
  for (const seed of seeds) sum += (await searchDigits(strategy, budget, seed)).best!.value;
  return sum / seeds.length;
}

describe('strategies in latent space', () => {
  it.each([
    ['bo', bayesianOptimisation(digitEmbedding, { ...SMALL, starts: 8, epochs: 40 })],
    [
      'bo as released',
      bayesianOptimisation(digitEmbedding, {
        ...{ ...SMALL, starts: 8, epochs: 40 },
        ...{ spread: 'variance', incumbent: 19, targets: 'raw' },
      }),
    ],
    ['reinforce', reinforce(digitEmbedding, { ...SMALL, steps: 8 })],
  ])('%s is better than random search where the embedding says it all', async (_, strategy) => {
    expect(await meanBest(strategy, 60)).toBeGreaterThan((await meanBest(randomSearch(), 60)) + 0.5);
  });

  it('embed every architecture once, and choose none that cannot be embedded', async () => {
    const asked: string[] = [];
    const partly: Embedding = {
      name: 'partly',
      embed: async (networks) => {
        asked.push(...networks.map(textOf));
        const rows = await digitEmbedding.embed(networks);
        networks.forEach((network, i) => {
          if (sumOf(textOf(network)) > 15) rows.data.fill(Number.NaN, i * rows.width, (i + 1) * rows.width);
        });
        return rows;
      },
    };
    for (const strategy of [
      bayesianOptimisation(partly, { ...SMALL, epochs: 2 }),
      reinforce(partly, SMALL),
    ]) {
      asked.length = 0;
      const { trials } = await searchDigits(strategy, 80, 1);
      expect(trials.length).toBe(80);
      expect(trials.every(({ arch }) => sumOf(arch) <= 15)).toBe(true);
      expect(new Set(asked).size).toBe(asked.length);
    }
  });

  it('say so where nothing can be embedded', async () => {
    const none: Embedding = {
      name: 'none',
      embed: async ({ length }) => ({
        rows: length,
        width: 2,
        data: new Float64Array(2 * length).fill(Number.NaN),
      }),
    };
    await expect(searchDigits(reinforce(none, SMALL), 5, 1)).rejects.toMatchObject({ code: 'CANNOT_EMBED' });
  });
});

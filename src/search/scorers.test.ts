import { describe, expect, it } from 'vitest';
import { ranksOf } from '../metrics/ranks.js';
import { bestFirst, rankCombined, scored } from './scorers.js';
import { networksOfTexts, scorerOf } from './toy.testing.js';

const { NaN: nan, POSITIVE_INFINITY: infinite } = Number;

describe('ranks', () => {
  it('go from the worst to the best, ties in the middle, what is no number last', () => {
    const scores = Float64Array.from([3, 1, nan, infinite, 3, -infinite, nan]);
    // From the worst: two NaN share 1 and 2, then −∞, 1, two 3 share 5 and 6, ∞.
    expect([...ranksOf(scores, 'higher')]).toEqual([5.5, 4, 1.5, 7, 5.5, 3, 1.5]);
    expect([...ranksOf(scores, 'lower')]).toEqual([4.5, 6, 1.5, 3, 4.5, 7, 1.5]);
    expect(bestFirst(scores, 'higher')).toEqual([3, 0, 4, 1, 5, 2, 6]);
    expect(bestFirst(scores, 'lower')).toEqual([5, 1, 0, 4, 3, 2, 6]);
  });
});

describe('scores put together', () => {
  it('are the mean of ranks in the list: NTSR = ½(R(NTKT) + R(SEPT))', async () => {
    const trainability: Readonly<Record<string, number>> = { a: 10, b: 1e9, c: 30, d: 30 };
    const expressivity: Readonly<Record<string, number>> = { a: 4, b: 1, c: 2, d: 4 };
    const ntsr = rankCombined([
      { ...scorerOf((arch) => trainability[arch]!), name: 'ntkt' },
      { ...scorerOf((arch) => expressivity[arch]!), name: 'sept' },
    ]);
    expect([ntsr.name, ntsr.better]).toEqual(['ntkt+sept', 'higher']);
    // Ranks of the first: 1, 4, 2.5, 2.5; of the second: 3.5, 1, 2, 3.5.
    expect([...(await ntsr.score(networksOfTexts(['a', 'b', 'c', 'd'])))]).toEqual([2.25, 2.5, 2.25, 3]);
    // Another list has other ranks.
    expect([...(await ntsr.score(networksOfTexts(['a', 'b'])))]).toEqual([1.5, 1.5]);
    expect(() => rankCombined([])).toThrow(/no scores were given to combine/);
  });

  it('turn the ranks of those of which less is better', async () => {
    const both = rankCombined([scorerOf(Number), scorerOf((arch) => -Number(arch), 'lower')]);
    expect([...(await both.score(networksOfTexts(['5', '7', '6'])))]).toEqual([1, 3, 2]);
  });

  it('are as many as there are architectures', async () => {
    const broken = { ...scorerOf(Number), score: async () => new Float64Array(1) };
    await expect(scored(broken, networksOfTexts(['1', '2']))).rejects.toThrow('gave 1 scores for 2');
  });
});

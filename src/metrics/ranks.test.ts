import { describe, expect, it } from 'vitest';
import { rankMean, ranksOf } from './ranks.js';

describe('ranks', () => {
  it('run from the worst to the best, ties sharing their average', () => {
    expect([...ranksOf([5, 1, 5, 9], 'higher')]).toEqual([2.5, 1, 2.5, 4]);
    expect([...ranksOf([5, 1, 5, 9], 'lower')]).toEqual([2.5, 4, 2.5, 1]);
  });

  it('put what is missing last in either direction, infinities where they belong', () => {
    const scores = [2, Number.NaN, undefined, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect([...ranksOf(scores, 'higher')]).toEqual([4, 1.5, 1.5, 3, 5]);
    expect([...ranksOf(scores, 'lower')]).toEqual([4, 1.5, 1.5, 5, 3]);
  });

  it('are averaged; a member without any score has none', () => {
    expect([
      ...rankMean(
        [
          [3.1, 8.2, 5.0],
          [10, 10, 40],
        ],
        ['higher', 'higher'],
      ),
    ]).toEqual([1.25, 2.25, 2.5]);
    // The second is last by the first score, and best of all by the other.
    expect([
      ...rankMean(
        [
          [1, undefined, 2],
          [5, 9, 7],
        ],
        ['higher', 'higher'],
      ),
    ]).toEqual([1.5, 2, 2.5]);
    expect([
      ...rankMean(
        [
          [1, undefined],
          [2, Number.NaN],
        ],
        ['higher', 'lower'],
      ),
    ]).toEqual([2, Number.NaN]);
    expect([...rankMean([], [])]).toEqual([]);
  });
});

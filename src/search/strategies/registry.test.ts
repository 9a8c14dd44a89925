import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { digitEmbedding, scorerOf, searchDigits, sumOf } from '../toy.testing.js';
import { count } from './options.js';
import { randomSearch } from './random-search.js';
import { registerStrategy, STRATEGIES, strategyNamed } from './registry.js';

describe('strategies by name', () => {
  it.each([...STRATEGIES])('%s runs as it is', async (name, { takesScorer, takesEmbedding, options }) => {
    const scorer = takesScorer ? scorerOf(sumOf) : undefined;
    const strategy = strategyNamed(name, scorer, {}, takesEmbedding ? digitEmbedding : undefined);
    expect(strategy.options).toMatchObject(options.parse({}));
    expect((await searchDigits(strategy, 12, 1)).trials.length).toBe(12);
  });

  it('take the settings of the paper, and others', () => {
    expect(strategyNamed('etas-vit').options).toMatchObject({
      pool: 500,
      candidates: 100,
      mutationProbability: 0.4,
    });
    expect(strategyNamed('etas-gpt').options).toMatchObject({
      pool: 300,
      candidates: 100,
      mutationProbability: 0.3,
    });
    expect(strategyNamed('etas-gpt', undefined, { pool: 7 }).options).toMatchObject({ pool: 7, rounds: 10 });
  });

  it('refuse what they do not know', () => {
    expect(() => strategyNamed('annealing')).toThrow(/no strategy called 'annealing'/);
    expect(() => strategyNamed('toString')).toThrow(/no strategy/);
    expect(() => strategyNamed('random', scorerOf(sumOf))).toThrow(/does not use a proxy/);
    expect(() => strategyNamed('bo')).toThrow(/needs an embedding/);
    expect(() => strategyNamed('random', undefined, {}, digitEmbedding)).toThrow(/does not use an embedding/);
    expect(() => strategyNamed('random', undefined, { pool: 7 })).toThrow(/has no option 'pool'/);
    for (const [name, options, hint] of [
      ['evolution', { population: 2.5 }, 'it must be a whole number from 1 to 100,000'],
      ['evolution', { population: 1e12 }, 'it must be a whole number from 1 to 100,000'],
      ['nsga2', { population: 1e5 }, 'it must be a whole number from 1 to 20,000'],
      ['evolution', { tournament: 'many' }, 'it must be a whole number from 1 to 100,000'],
      ['etas', { mutationProbability: 5 }, 'it must be a number from 0 to 1'],
      ['local', { move: 'worst' }, 'it must be best or first'],
      ['local', { steps: 3 }, 'it has move: best or first'],
      ['random', { steps: 3 }, 'it has none'],
    ] as const) {
      expect(() => strategyNamed(name, undefined, options)).toThrow(
        expect.objectContaining({ code: 'STRATEGY_OPTION', hint }),
      );
    }
  });

  it('can be added', async () => {
    const own = { summary: 'the first of all', options: z.object({ digits: count(6) }), takesScorer: false };
    registerStrategy('zeros', {
      ...own,
      make: (_, { digits }) => ({
        name: 'zeros',
        options: { digits },
        async *propose() {
          yield [{ arch: Array(digits).fill(0).join(','), by: 'hand' }];
        },
      }),
    });
    expect((await searchDigits(strategyNamed('zeros'), 5, 1)).trials.map(({ arch }) => arch)).toEqual([
      '0,0,0,0,0,0',
    ]);
    expect(() => strategyNamed('zeros', undefined, { digits: 0 })).toThrow(/cannot be 0/);
    expect(() => registerStrategy('zeros', { ...own, make: () => randomSearch() })).toThrow(/already/);
    // Other test files of this process run over all strategies.
    (STRATEGIES as Map<string, unknown>).delete('zeros');
  });
});

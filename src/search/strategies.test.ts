import { describe, expect, it } from 'vitest';
import { STRATEGIES, strategyNamed } from './strategies.js';
import { scorerOf, searchDigits, sumOf } from './toy.testing.js';

describe('strategies by name', () => {
  it.each(Object.entries(STRATEGIES))('%s runs as it is', async (name, { takesScorer, defaults }) => {
    const strategy = strategyNamed(name, takesScorer ? scorerOf(sumOf) : undefined);
    expect(strategy.options).toMatchObject(defaults);
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
    expect(() => strategyNamed('random', scorerOf(sumOf))).toThrow(/asks no proxy/);
    expect(() => strategyNamed('random', undefined, { pool: 7 })).toThrow(/has no option 'pool'/);
    expect(() => strategyNamed('evolution', undefined, { population: 2.5 })).toThrow(/cannot be 2.5/);
  });
});

import { describe, expect, it } from 'vitest';
import { averageRanks } from '../../metrics/order.js';
import { digest } from '../../util/digest.js';
import { ranked, type Scorer, type Trial } from '../contract.js';
import { memoryLog } from '../log.js';
import { rankCombined } from '../scorers.js';
import { allTexts, digitSpace, evaluatorOf, scorerOf, searchDigits, sumOf, textOf } from '../toy.testing.js';
import { ETAS_PRESETS, etas } from './etas.js';

/** A number from 0 to 1 that has nothing to do with the digits. */
const noise = (text: string): number => Number.parseInt(digest(text).slice(0, 8), 16) / 2 ** 32;

const roundsOf = (trials: readonly Trial[]): Trial[][] =>
  Array.from({ length: Math.max(...trials.map(({ round }) => round! + 1)) }, (_, round) =>
    trials.filter((trial) => trial.round === round),
  );

describe('ETAS', () => {
  it.each(Object.entries(ETAS_PRESETS))('spends what the paper does: %s', async (_, preset) => {
    const lists: number[] = [];
    const scorer: Scorer = {
      ...scorerOf(noise),
      score: async (list) => {
        const texts = list.map(textOf);
        lists.push(texts.length);
        expect(new Set(texts).size).toBe(texts.length);
        return Float64Array.from(texts, noise);
      },
    };
    const { trials, end } = await searchDigits(etas(scorer, { ...preset, patience: 10 }), 1000, 1, {
      space: digitSpace(12, 4),
    });
    expect(lists).toEqual([preset.pool, ...Array(10).fill(100)]);
    expect(roundsOf(trials).map(({ length }) => length)).toEqual(Array(11).fill(3));
    expect(end).toBe('finished');
  });

  it('takes the best by score, and the best by value for parents', async () => {
    const lists: string[][] = [];
    const scorer: Scorer = {
      name: 'noise',
      better: 'lower',
      score: async (list) => {
        lists.push(list.map(textOf));
        return Float64Array.from(lists.at(-1)!, noise);
      },
    };
    const { trials } = await searchDigits(etas(scorer, { rounds: 6, patience: 6 }), 1000, 3, {
      space: digitSpace(12, 4),
    });
    roundsOf(trials).forEach((round, i) => {
      const best = [...lists[i]!].sort((a, b) => noise(a) - noise(b)).slice(0, 3);
      expect(round.map(({ arch }) => arch)).toEqual(best);
      const before = trials.slice(0, 3 * i);
      const parents = ranked(before, 'higher')
        .slice(0, 3)
        .map(({ index }) => index);
      for (const { parents: own, by } of round) {
        if (i === 0) expect(by).toBe('sample');
        else expect(parents).toContain(own![0]);
      }
    });
  });

  it('makes as many choices differently as its probability says', async () => {
    const space = digitSpace(20, 5);
    for (const mutationProbability of [0.05, 0.3, 0.4]) {
      const log: string[][] = [];
      const scorer: Scorer = {
        ...scorerOf(noise),
        score: async (list) => {
          log.push(list.map(textOf));
          return Float64Array.from(log.at(-1)!, noise);
        },
      };
      const strategy = etas(scorer, { pool: 1, top: 1, candidates: 2000, mutationProbability, rounds: 1 });
      const { trials } = await searchDigits(strategy, 10, 1, { space });
      const parent = trials[0]!.arch.split(',');
      const changes = log[1]!.map((text) => text.split(',').filter((digit, i) => digit !== parent[i]).length);
      // Binomial, but for none: E = np / (1 − (1 − p)^n). With 0.05, candidates with few changes run out, as there are
      // but 80 with one.
      const n = 20;
      const nothing = (1 - mutationProbability) ** n;
      const mean = (n * mutationProbability) / (1 - nothing);
      const spread = Math.sqrt((n * mutationProbability * (1 - mutationProbability)) / 2000);
      const found = changes.reduce((a, b) => a + b) / changes.length;
      if (mutationProbability > 0.1) expect(Math.abs(found - mean)).toBeLessThan(5 * spread);
      else expect(found).toBeLessThan(3);
      expect(Math.min(...changes)).toBeGreaterThan(0);
    }
  });

  it('ends after five rounds without anything better', async () => {
    // Nothing is ever better than the first.
    const { trials, end } = await searchDigits(etas(scorerOf(noise)), 1000, 1, {
      space: digitSpace(12, 4),
      evaluator: evaluatorOf(() => 1),
    });
    expect(trials.length).toBe(3 * 6);
    expect(end).toBe('finished');
    // Always something better: all ten rounds.
    let value = 0;
    const { trials: all } = await searchDigits(etas(scorerOf(noise)), 1000, 1, {
      space: digitSpace(12, 4),
      evaluator: evaluatorOf(() => value++),
    });
    expect(all.length).toBe(33);
  });

  it('with a perfect score evaluates the best first', async () => {
    for (let seed = 0; seed < 10; seed++) {
      const strategy = etas(scorerOf(sumOf), { mutationProbability: 0.3 });
      const { trials, best } = await searchDigits(strategy, 33, seed);
      // The best of 500 of 4096, then of 100 mutants: never worse from round to round.
      expect(trials[0]!.value).toBe(Math.max(...trials.slice(0, 3).map(({ value }) => value!)));
      expect(best!.arch).toBe('3,3,3,3,3,3');
      expect(best!.round).toBeLessThanOrEqual(5);
    }
  });

  it('with a score that says nothing is as good as chance', async () => {
    // Values without any order, too: mutants of the best are no better than others. The rank of the best of 33
    // different ones of N, drawn at random, is (N + 1) / 34 on average, with a deviation of less than that.
    const texts = allTexts(6, 4);
    const ranks = averageRanks(Float64Array.from(texts, (text) => -noise(text)));
    const rankOf = new Map(texts.map((text, i) => [text, ranks[i]!]));
    const expected = (texts.length + 1) / 34;
    const seeds = 60;
    for (const scorer of [scorerOf((arch) => noise(`another ${arch}`)), undefined]) {
      let sum = 0;
      for (let seed = 0; seed < seeds; seed++) {
        const strategy = etas(scorer, { pool: 40, candidates: 20, patience: 10 });
        const { trials, best } = await searchDigits(strategy, 33, seed, { evaluator: evaluatorOf(noise) });
        expect(trials.length).toBe(33);
        sum += rankOf.get(best!.arch)!;
      }
      expect(Math.abs(sum / seeds - expected)).toBeLessThan((4 * expected) / Math.sqrt(seeds));
    }
  });

  it('does not score again what is in the log', async () => {
    let asked = 0;
    const counted: Scorer = {
      ...scorerOf(sumOf),
      score: async (list) => {
        asked++;
        // Some are not numbers, and must come back from the log as they are.
        return Float64Array.from(list.map(textOf), (arch) =>
          sumOf(arch) % 5 === 0 ? Number.NaN : noise(arch),
        );
      },
    };
    const log = memoryLog();
    const strategy = etas(counted, { pool: 40, candidates: 20 });
    const whole = await searchDigits(strategy, 20, 1, { log });
    const text = log.records.map((record) => JSON.stringify(record));
    const before = asked;
    const resumed = await searchDigits(strategy, 20, 1, {
      log: memoryLog(text.map((line) => JSON.parse(line))),
    });
    expect(asked).toBe(before);
    expect(resumed.trials.map(({ arch }) => arch)).toEqual(whole.trials.map(({ arch }) => arch));
  });

  it('runs with ranks that are put together', async () => {
    const strategy = etas(
      rankCombined([scorerOf(sumOf), { ...scorerOf((a) => -sumOf(a), 'lower'), name: 'too' }]),
    );
    expect(strategy.options.scorer).toBe('known+too');
    expect((await searchDigits(strategy, 33, 1)).best!.arch).toBe('3,3,3,3,3,3');
  });

  it('refuses options that make no sense', () => {
    expect(() => etas(undefined, { mutationProbability: 1.5 })).toThrow(/cannot be 1.5/);
    expect(() => etas(undefined, { top: 0 })).toThrow(/cannot be 0/);
  });
});

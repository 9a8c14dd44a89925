import { describe, expect, it } from 'vitest';
import { ranked } from '../contract.js';
import { digitSpace, evaluatorOf, searchDigits, sumOf } from '../toy.testing.js';
import { agingEvolution } from './aging-evolution.js';

describe('aging evolution', () => {
  // So large that no mutant is ever what it was before: the population is the last trials.
  const space = digitSpace(400, 9);

  it('lets the oldest go, however good', async () => {
    // So many are drawn that the parent is the best of the population: of the last twelve, not of all.
    let asked = 0;
    const { trials } = await searchDigits(agingEvolution({ population: 12, tournament: 1000 }), 150, 1, {
      space,
      // The first ones are better than all that follow.
      evaluator: evaluatorOf((arch) => sumOf(arch) + (asked++ < 12 ? 10_000 : 0)),
    });
    expect(trials.slice(0, 12).every(({ by }) => by === 'sample')).toBe(true);
    let [pastFirst, count] = [0, 0];
    for (const { index, parents, by } of trials.slice(12)) {
      expect(by).toBe('mutate');
      const population = trials.slice(index - 12, index);
      const best = ranked(population, 'higher')[0]!.value;
      expect(trials[parents![0]!]!.value).toBe(best);
      expect(parents![0]).toBeGreaterThanOrEqual(index - 12);
      pastFirst += Number(parents![0]! >= 12);
      count++;
    }
    // Twelve children are born while one of the first is there.
    expect(pastFirst).toBe(count - 12);
  });

  it('changes one choice of the parent', async () => {
    const { trials } = await searchDigits(agingEvolution({ population: 5, tournament: 2 }), 60, 2, { space });
    for (const { arch, parents } of trials.slice(5)) {
      const parent = trials[parents![0]!]!.arch.split(',');
      expect(arch.split(',').filter((digit, i) => digit !== parent[i]).length).toBe(1);
    }
  });

  it('draws parents with replacement: all are parents where one is drawn', async () => {
    const { trials } = await searchDigits(agingEvolution({ population: 4, tournament: 1 }), 400, 3, {
      space,
    });
    const ages = trials.slice(4).map(({ index, parents }) => index - parents![0]!);
    for (const age of [1, 2, 3, 4]) {
      const share = ages.filter((a) => a === age).length / ages.length;
      // Binomial with 1/4 of 396: the deviation is 0.022.
      expect(Math.abs(share - 0.25)).toBeLessThan(0.1);
    }
    expect(Math.max(...ages)).toBe(4);
  });

  it('begins anew where a population has converged, and spends its budget', async () => {
    // The parent is always the best, so that only its neighbours are tried once they are known.
    const strategy = agingEvolution({ population: 50, tournament: 200 });
    const { trials, end } = await searchDigits(strategy, 1000, 1, { space: digitSpace(7, 4) });
    expect([trials.length, end]).toEqual([1000, 'budget']);
    const drawn = new Map<number, number>();
    for (const { by, round } of trials) if (by === 'sample') drawn.set(round!, (drawn.get(round!) ?? 0) + 1);
    // Whole populations are drawn, of which a few were tried before; the budget may end within the last.
    const sizes = [...drawn.values()].slice(0, -1);
    expect(sizes.length).toBeGreaterThan(4);
    expect(sizes.every((size) => size > 40 && size <= 50)).toBe(true);
  });

  it('beats chance where neighbours are alike', async () => {
    const small = digitSpace(16, 4);
    let wins = 0;
    for (let seed = 0; seed < 20; seed++) {
      const best = async (size: number): Promise<number> =>
        (await searchDigits(agingEvolution({ population: size, tournament: 5 }), 200, seed, { space: small }))
          .best!.value;
      // With a population as large as the budget nothing evolves: random search.
      wins += Number((await best(20)) > (await best(200)));
    }
    expect(wins).toBe(20);
  });
});

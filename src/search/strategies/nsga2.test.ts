import { describe, expect, it } from 'vitest';
import type { Objective, Trial } from '../contract.js';
import { isValued, objectiveValues } from '../contract.js';
import { inBatches, oneByOne } from '../evaluating.js';
import { hypervolume } from '../hypervolume.js';
import { dominates, minimised, paretoFront } from '../pareto.js';
import { allTexts, digitSpace, searchDigits, textOf } from '../toy.testing.js';
import { nsga2 } from './nsga2.js';
import { randomSearch } from './random-search.js';

const OBJECTIVES: readonly Objective[] = [
  { name: 'accuracy', better: 'higher' },
  { name: 'latency', better: 'lower' },
];

/** Threes are worth most and cost most; ones of the first half are worth less than they cost. */
function valuesOf(arch: string): number[] {
  const digits = arch.split(',').map(Number);
  const accuracy = digits.reduce((sum, d, i) => sum + Math.sqrt(d) * (i < 3 ? 1 : 2), 0);
  const latency = digits.reduce((sum, d, i) => sum + d * (i < 3 ? 2 : 1), 0);
  return [accuracy, latency];
}

const evaluator = inBatches({ name: 'both', objectives: OBJECTIVES }, async (networks) =>
  networks.map((network) => ({ values: valuesOf(textOf(network)) })),
);

const volumeOf = (trials: readonly Trial[]): number =>
  hypervolume(
    trials.filter(isValued).map((trial) => minimised(objectiveValues(trial), OBJECTIVES)),
    [0, 28],
  );

describe('NSGA-II', () => {
  it('finds the whole front, of which random search finds a part', async () => {
    const points = allTexts(6, 4).map((arch) => minimised(valuesOf(arch), OBJECTIVES));
    const front = points.filter((p) => !points.some((other) => dominates(other, p)));
    const best = hypervolume(front, [0, 28]);
    for (let seed = 0; seed < 3; seed++) {
      const found = await searchDigits(nsga2({ population: 40 }), 800, seed, { evaluator });
      const drawn = await searchDigits(randomSearch(), 800, seed, { evaluator });
      expect(volumeOf(found.trials) / best).toBeGreaterThan(0.99);
      expect(volumeOf(found.trials)).toBeGreaterThan(volumeOf(drawn.trials));
      for (const trial of paretoFront(found.trials, OBJECTIVES)) {
        expect(trial.objectives).toEqual(valuesOf(trial.arch));
        expect(trial.value).toBe(trial.objectives![0]);
      }
    }
  });

  it('makes children of two parents most of the time', async () => {
    const space = digitSpace(14, 4);
    const { trials } = await searchDigits(nsga2({ population: 20 }), 400, 1, { space, evaluator });
    const children = trials.slice(20);
    const crossed = children.filter(({ by }) => by === 'cross');
    // 0.9 of 380, less those that repeat a parent.
    expect(crossed.length / children.length).toBeGreaterThan(0.8);
    expect(crossed.every(({ parents }) => parents!.length === 2)).toBe(true);
    expect(children.length).toBeGreaterThan(crossed.length);
  });

  it('tells of an evaluator that gives too few numbers', async () => {
    const { trials } = await searchDigits(nsga2({ population: 4 }), 4, 1, {
      evaluator: oneByOne(evaluator, async () => [1]),
    });
    expect(trials.every(({ error }) => error?.code === 'EVALUATION_OBJECTIVES')).toBe(true);
  });
});

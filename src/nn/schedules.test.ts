import { describe, expect, it } from 'vitest';
import { goldenSchedules } from './golden.testing.js';
import {
  constantRate,
  type PlateauOptions,
  plateau,
  plateauStart,
  type Schedule,
  stepDecay,
  warmupCosine,
  warmupLinear,
} from './schedules.js';

const SCHEDULES: Readonly<Record<string, Schedule>> = {
  warmupCosine: warmupCosine({ rate: 0.3, steps: 20, warmup: 0.2, final: 0.1 }),
  warmupLinear: warmupLinear({ rate: 0.3, steps: 20, warmup: 0.2, final: 0.1 }),
  cosine: warmupCosine({ rate: 0.3, steps: 20, warmup: 0, final: 0.01 }),
  stepDecay: stepDecay({ rate: 0.3, every: 6, factor: 0.5 }),
};

it.each(Object.entries(SCHEDULES))('%s is PyTorch’s', (name, schedule) => {
  goldenSchedules[name]!.forEach((rate, step) => {
    expect(schedule(step), `step ${step}`).toBeCloseTo(rate, 12);
  });
});

it('stays constant', () => {
  expect([0, 1, 1000].map(constantRate(0.3))).toEqual([0.3, 0.3, 0.3]);
});

it('stays at the last rate beyond the end', () => {
  const options = { rate: 1, steps: 10, final: 0.1 };
  for (const schedule of [warmupCosine(options), warmupLinear(options)]) {
    expect(schedule(10)).toBeCloseTo(0.1, 12);
    expect(schedule(99)).toBe(schedule(10));
  }
});

describe('plateau', () => {
  const options: PlateauOptions = { factor: 0.5, patience: 2, threshold: 1e-3, leastRate: 0.02 };
  const ratesFor = (metrics: readonly number[], mode: 'min' | 'max'): number[] => {
    let state = plateauStart(0.3);
    return metrics.map((metric) => {
      const { rate } = state;
      // Through JSON: a training that is continued goes on as if it had not stopped.
      state = JSON.parse(JSON.stringify(plateau(state, metric, { ...options, mode })));
      return rate;
    });
  };
  const { metrics } = goldenSchedules;

  it('is PyTorch’s for what should be little', () => {
    expect(ratesFor(metrics!, 'min')).toEqual(goldenSchedules.plateau);
  });

  it('is PyTorch’s for what should be much', () => {
    expect(
      ratesFor(
        metrics!.map((m) => 10 - m),
        'max',
      ),
    ).toEqual(goldenSchedules.plateauOfMost);
  });

  it('takes the same steps for negative metrics that should be much', () => {
    expect(
      ratesFor(
        metrics!.map((m) => -m),
        'max',
      ),
    ).toEqual(goldenSchedules.plateau);
  });

  it('takes NaN for no improvement', () => {
    const once = plateau(plateauStart(1), Number.NaN);
    expect(once).toEqual({ rate: 1, best: null, stale: 1 });
    expect(plateau(once, 5).best).toBe(5);
  });
});

import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { type BootstrapOptions, bootstrap } from './bootstrap.js';
import { generated, golden } from './golden.testing.js';
import type { MetricFunction } from './input.js';
import { kendallTauB } from './kendall.js';
import { mae } from './regression.js';

/** Pairs of the bivariate normal distribution. */
function normalPairs(random: Random, rows: number, correlation: number) {
  const [p, t] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < rows; i++) {
    t[i] = random.normal();
    p[i] = correlation * t[i]! + Math.sqrt(1 - correlation ** 2) * random.normal();
  }
  return { p, t };
}

describe('against scipy.stats.bootstrap', () => {
  const METRICS: Readonly<Record<string, MetricFunction>> = { 'tau-b': kendallTauB, mae };
  const { predictions, truths } = generated(golden.bootstrap);

  it.each(Object.entries(golden.bootstrap.intervals))('%s', (key, [low, high]) => {
    const [name, confidence] = key.split(' ');
    const interval = bootstrap(METRICS[name!]!, predictions, truths, {
      confidence: Number(confidence),
      resamples: 20_000,
      seed: 1,
    });
    // Chance moves an end by about a hundredth of the interval; 90% in place of 95% would by eight.
    expect(Math.abs(interval.low - low) / (high - low)).toBeLessThan(0.03);
    expect(Math.abs(interval.high - high) / (high - low)).toBeLessThan(0.03);
    expect(interval.degenerate).toBe(0);
  });
});

it('of three rows has the percentiles of all 27 resamples', () => {
  // Errors 0, 1 and 8. Of the 27 sums, 0 has probability 1/27 and 24 as well: an interval of 90% goes from 1 to 17.
  const interval = bootstrap(mae, [0, 1, 8], [0, 0, 0], { confidence: 0.9, resamples: 5000 });
  expect(interval).toMatchObject({ estimate: 3, low: 1 / 3, high: 17 / 3 });
});

it('interpolates between resamples', () => {
  // A metric that counts its calls: after the estimate, resamples give 0, 1 … 100.
  let calls = -1;
  const interval = bootstrap(() => calls++, [1, 2], [1, 2], { confidence: 0.95, resamples: 101 });
  expect(interval.low).toBeCloseTo(2.5, 10);
  expect(interval.high).toBeCloseTo(97.5, 10);
});

it('is the same for the same seed, and another for another', () => {
  const { p, t } = normalPairs(Random.seeded(1), 50, 0.6);
  const run = (seed: number) => bootstrap(kendallTauB, p, t, { seed, resamples: 200 });
  expect(run(3)).toEqual(run(3));
  expect(run(3).low).not.toBe(run(4).low);
});

it('holds the estimate in ordinary cases', () => {
  const random = Random.seeded(2);
  for (const correlation of [-0.8, -0.3, 0, 0.3, 0.8]) {
    const { p, t } = normalPairs(random, 60, correlation);
    const { low, high, estimate } = bootstrap(kendallTauB, p, t, { resamples: 400 });
    expect(estimate).toBe(kendallTauB(p, t));
    expect(low).toBeLessThan(estimate);
    expect(high).toBeGreaterThan(estimate);
  }
});

// The standard error of a share of 400 intervals is 1.1%, and percentile intervals of few rows cover a little less than
// they say: 92.6% for the absolute error of 50 rows, in NumPy as well as here. An interval of 90% would fail.
it.each<[string, MetricFunction, number]>([
  ["Kendall's τ of normal pairs, 2/π·asin ρ", kendallTauB, (2 / Math.PI) * Math.asin(0.5)],
  ['mean absolute error of normal pairs, √(2·(1 − ρ))·√(2/π)', mae, Math.sqrt(2 / Math.PI)],
])('covers the truth 95 times of 100: %s', (_, metric, truth) => {
  const random = Random.seeded(5);
  let covered = 0;
  for (let i = 0; i < 400; i++) {
    const { p, t } = normalPairs(random, 100, 0.5);
    const { low, high } = bootstrap(metric, p, t, { resamples: 200, seed: i });
    covered += Number(low <= truth && truth <= high);
  }
  expect(covered / 400).toBeGreaterThan(0.91);
  expect(covered / 400).toBeLessThan(0.98);
});

describe('resamples that are constant', () => {
  it('are counted and left out', () => {
    const { degenerate, low, high, resamples } = bootstrap(kendallTauB, [1, 2, 3], [1, 2, 3], {
      resamples: 2000,
    });
    // Three equal rows of three: 3 of 27.
    expect(resamples).toBe(2000);
    expect(degenerate / 2000).toBeGreaterThan(0.08);
    expect(degenerate / 2000).toBeLessThan(0.145);
    expect([low, high]).toEqual([1, 1]);
  });

  it('are an error if they are the most', () => {
    // Two rows drawn of four, of which three are equal: 10 of 16 draws are constant.
    const lonely: MetricFunction = (p, t) => kendallTauB([p[0]!, p[1]!], [t[0]!, t[1]!]);
    const run = () => bootstrap(lonely, [1, 2, 2, 2], [1, 2, 2, 2], { resamples: 500 });
    expect(run).toThrow(expect.objectContaining({ code: 'METRIC_DEGENERATE' }));
  });

  it('other errors stay errors', () => {
    const run = () => bootstrap(kendallTauB, [1, 1, 1], [1, 2, 3]);
    expect(run).toThrow(expect.objectContaining({ code: 'METRIC_CONSTANT' }));
    const broken = (): number => {
      throw new TypeError('a defect');
    };
    expect(() => bootstrap(broken, [1, 2], [1, 2])).toThrow(TypeError);
  });
});

it.each<[string, BootstrapOptions]>([
  ['confidence of 95', { confidence: 95 }],
  ['confidence of 0', { confidence: 0 }],
  ['no resamples', { resamples: 0 }],
  ['too few for the tails', { resamples: 39 }],
  ['half a resample', { resamples: 1000.5 }],
  ['no seed', { seed: Number.NaN }],
])('%s', (_, options) => {
  const run = () => bootstrap(mae, [1, 2, 3], [1, 2, 4], options);
  expect(run).toThrow(expect.objectContaining({ code: 'METRIC_BOOTSTRAP' }));
});

it.each([
  [0.95, 40],
  [0.9, 20],
  [0.99, 200],
])('the fewest resamples for %s are %s', (confidence, resamples) => {
  expect(() => bootstrap(mae, [1, 2, 3], [1, 2, 4], { confidence, resamples })).not.toThrow();
});

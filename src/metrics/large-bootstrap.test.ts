import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { bootstrap, metricNamed } from './index.js';
import { DRAWN_ROWS, largeBootstrap } from './large-bootstrap.js';

/** Pairs of the bivariate normal distribution, rounded to make ties. */
function pairs(seed: number, rows: number, correlation: number, digits = 12) {
  const random = Random.seeded(seed);
  const round = (value: number): number => Math.round(value * 10 ** digits) / 10 ** digits;
  const [p, t] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < rows; i++) {
    const truth = random.normal();
    t[i] = round(truth);
    p[i] = round(correlation * truth + Math.sqrt(1 - correlation ** 2) * random.normal());
  }
  return { p, t };
}

const OPTIONS = { resamples: 400, seed: 3 };

it('is the plain bootstrap where rows are few', () => {
  const { p, t } = pairs(1, 100, 0.7);
  for (const name of ['tau-b', 'precision@10', 'mae']) {
    const metric = metricNamed(name);
    expect(largeBootstrap(metric, p, t, OPTIONS)).toEqual(bootstrap(metric.compute, p, t, OPTIONS));
  }
});

describe('the k best of many rows', () => {
  // The draws differ, so the ends differ by chance; where values are few (tenths), they hardly do.
  it.each<[string, number, number]>([
    ['precision@10', 12, 0.1],
    ['precision@10', 1, 0.1],
    ['ndcg@10', 12, 0.05],
    ['ndcg-linear@20', 1, 0.01],
    ['regret@1', 12, 0.15],
    ['regret@3', 1, 0.15],
  ])('%s, %s digits: as a resample of all rows has it', (name, digits, within) => {
    const { p, t } = pairs(2, DRAWN_ROWS + 1000, 0.9, digits);
    const metric = metricNamed(name);
    const all = bootstrap(metric.compute, p, t, { resamples: 400, seed: 4 });
    const near = largeBootstrap(metric, p, t, { resamples: 400, seed: 5 });
    expect(near.estimate).toBe(all.estimate);
    expect(Math.abs(near.low - all.low)).toBeLessThanOrEqual(within + 1e-9);
    expect(Math.abs(near.high - all.high)).toBeLessThanOrEqual(within + 1e-9);
  });

  it('holds for a predictor of few distinct values, where all of them matter', () => {
    const { p, t } = pairs(6, DRAWN_ROWS + 100, 0.8, 0);
    const interval = largeBootstrap(metricNamed('precision@10'), p, t, { resamples: 60, seed: 1 });
    expect(interval.low).toBeLessThanOrEqual(interval.estimate + 0.2);
    expect(interval.high).toBeGreaterThanOrEqual(interval.estimate - 0.2);
  });
});

describe('errors and correlations of many rows', () => {
  // MAE of n normal errors of deviation σ has the deviation σ·√((1 − 2/π)/n), whatever the bootstrap.
  it('are as wide as theory has it, not as wide as those of the rows drawn', () => {
    const rows = 40_000;
    const { p, t } = pairs(7, rows, 0.5);
    const { low, high } = largeBootstrap(metricNamed('mae'), p, t, { resamples: 1000, seed: 1 });
    const expected = 2 * 1.96 * Math.sqrt((1 - 2 / Math.PI) / rows);
    expect((high - low) / expected).toBeGreaterThan(0.9);
    expect((high - low) / expected).toBeLessThan(1.1);
  });

  it('cover the truth 95 times of 100', () => {
    let covered = 0;
    const truth = Math.sqrt(2 / Math.PI);
    for (let i = 0; i < 100; i++) {
      const { p, t } = pairs(100 + i, 2 * DRAWN_ROWS, 0.5);
      const { low, high } = largeBootstrap(metricNamed('mae'), p, t, { resamples: 40, seed: i });
      covered += Number(low <= truth && truth <= high);
    }
    // Of 100, two standard errors are 4.4%; ends of 40 resamples cover about 92%. Not rescaled, it would be over 99%.
    expect(covered / 100).toBeGreaterThan(0.87);
    expect(covered / 100).toBeLessThan(0.99);
  });
});

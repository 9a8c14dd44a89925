// Against SciPy and NumPy: verify/golden/measure_statistics.py.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binomialCdf, incompleteBeta, logGamma, studentQuantile } from './distributions.js';
import { ratioOf, relativeError, summarise } from './statistics.js';

interface Golden {
  samples: {
    times: number[];
    median: number;
    mean: number;
    min: number;
    max: number;
    p90: number;
    p99: number;
    interval: [number, number] | null;
  }[];
  ratios: {
    times: number[];
    baseline: number[];
    confidence: number;
    ratio: number;
    interval: [number, number];
  }[];
  beta: [number, number, number, number][];
  gamma: [number, number][];
  binomial: [number, number, number, number][];
  student: [number, number, number][];
}

const golden = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/statistics.json'), 'utf8'),
) as Golden;
const near = (found: number, wanted: number, tolerance = 1e-10): void =>
  expect(Math.abs(found - wanted)).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(wanted)));

describe('distributions', () => {
  it('agree with SciPy', () => {
    for (const [x, wanted] of golden.gamma) near(logGamma(x), wanted);
    for (const [x, a, b, wanted] of golden.beta) near(incompleteBeta(x, a, b), wanted);
    for (const [k, n, p, wanted] of golden.binomial) near(binomialCdf(k, n, p), wanted);
    for (const [p, degrees, wanted] of golden.student) near(studentQuantile(p, degrees), wanted, 1e-9);
  });
});

describe('summarise', () => {
  it('gives quantiles as NumPy and the interval of the median as SciPy', () => {
    for (const { times, interval, p99, ...wanted } of golden.samples) {
      const found = summarise(times);
      for (const key of ['median', 'mean', 'min', 'max', 'p90'] as const) near(found[key], wanted[key]);
      expect(found.interval).toEqual(interval ?? undefined);
      if (times.length < 100) expect(found.p99).toBeUndefined();
      else near(found.p99!, p99);
    }
  });

  it('knows no error of a median of few runs', () => {
    expect(relativeError([1, 1, 1, 1, 1])).toBe(Number.POSITIVE_INFINITY);
    expect(relativeError([1, 1, 1, 1, 1, 1])).toBe(0);
  });
});

describe('ratioOf', () => {
  it("gives Welch's interval of the ratio", () => {
    for (const { times, baseline, confidence, ratio, interval } of golden.ratios) {
      const found = ratioOf(times, baseline, confidence);
      near(found.ratio, ratio);
      near(found.interval[0], interval[0], 1e-9);
      near(found.interval[1], interval[1], 1e-9);
    }
  });

  it('has no width where blocks do not vary', () => {
    expect(ratioOf([2, 2], [1, 1])).toMatchObject({ ratio: 2, interval: [2, 2], blocks: [2, 2] });
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metricNamed } from '../metrics/index.js';
import { DRAWN_ROWS } from '../metrics/large-bootstrap.js';
import { Random } from '../util/random.js';
import { EVALUATED_METRICS, evaluate } from './evaluate.js';
import type { Prediction } from './predictions.js';

interface Case {
  readonly seed: number;
  readonly rows: number;
  readonly levels: number;
  readonly offset: number;
  readonly noise: number;
  readonly shift: number;
  readonly divisor: number;
  readonly metrics: Readonly<Record<string, readonly [estimate: number, low: number, high: number]>>;
}

/** Written by verify/golden/evaluate.py with scipy.stats.bootstrap, every resample of all rows. */
const golden = JSON.parse(readFileSync(new URL('fixtures/evaluate.json', import.meta.url), 'utf8')) as {
  readonly cases: Readonly<Record<'small' | 'large', Case>>;
  readonly wilson: readonly (readonly [inside: number, rows: number, low: number, high: number])[];
};

function generated({ seed, rows, levels, offset, noise, shift, divisor }: Case) {
  let state = seed;
  const draw = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
  const truths = new Float64Array(rows);
  const predictions: Prediction[] = [];
  for (let i = 0; i < rows; i++) {
    const truth = offset + (draw() % levels);
    truths[i] = truth / divisor;
    predictions.push({ value: (truth + (draw() % noise) - shift) / divisor });
  }
  return { predictions, truths };
}

const points = (values: readonly number[]): Prediction[] => values.map((value) => ({ value }));
const code = (name: string) => expect.objectContaining({ code: name });

describe.each([
  // An end moves by chance: for B resamples of a normal metric its standard error is √(0.025·0.975/B)/φ(1.96) of a
  // deviation, that is 1.5% of the width for 2,000 and 2.1% for 1,000, and SciPy's has one, too. Intervals that were not
  // rescaled would be twice as wide.
  ['small', 2000, 0.06],
  ['large', 1000, 0.14],
] as const)('against scipy.stats.bootstrap, %s', (name, resamples, within) => {
  const { predictions, truths } = generated(golden.cases[name]);
  const found = evaluate(predictions, truths, { resamples, seed: 2 });
  expect(found.bootstrap.drawn < truths.length).toBe(name === 'large');

  it.each(EVALUATED_METRICS)('%s', (metric) => {
    const [estimate, low, high] = golden.cases[name].metrics[metric]!;
    const ours = found.metrics.find((result) => result.name === metric)!;
    expect(ours.estimate).toBeCloseTo(estimate, 10);
    expect(Math.abs(ours.low! - low)).toBeLessThanOrEqual(within * (high - low));
    expect(Math.abs(ours.high! - high)).toBeLessThanOrEqual(within * (high - low));
  });
});

describe('intervals of predictions', () => {
  it.each(golden.wilson)(
    '%s of %s inside: the share has the interval of SciPy',
    (inside, rows, low, high) => {
      const predictions = Array.from({ length: rows }, (_, i) => ({ value: i, low: i - 1, high: i + 2 }));
      const truths = predictions.map(({ value }, i) => (i < inside ? value + 0.5 : value + 3));
      const { coverage } = evaluate(predictions, truths, { metrics: ['mae'], resamples: 40 });
      expect(coverage).toMatchObject({ rows, inside, share: inside / rows, meanWidth: 3 });
      expect(coverage!.low).toBeCloseTo(low, 10);
      expect(coverage!.high).toBeCloseTo(high, 10);
    },
  );

  it('include their ends, and count only where there are any', () => {
    const predictions = [{ value: 1, low: 0, high: 2 }, { value: 1, low: 0, high: 2 }, { value: 1 }];
    expect(evaluate(predictions, [0, 2, 9], { metrics: ['mae'] }).coverage).toMatchObject({
      rows: 2,
      inside: 2,
    });
    expect(evaluate(points([1, 2]), [1, 2], { metrics: ['mae'] }).coverage).toBeUndefined();
  });
});

describe('rows without a truth', () => {
  it('are left out and counted', () => {
    const { rows, withoutTruth, metrics } = evaluate(points([1, Number.NaN, 3, 4]), [2, Number.NaN, 3, 4], {
      metrics: ['mae'],
    });
    expect({ rows, withoutTruth }).toEqual({ rows: 3, withoutTruth: 1 });
    expect(metrics[0]!.estimate).toBeCloseTo(1 / 3, 12);
  });

  it('leave too few', () => {
    const run = () => evaluate(points([1, 2]), [Number.NaN, 2]);
    expect(run).toThrow(code('EVALUATE_TOO_FEW'));
    expect(run).toThrow('1 of 2 rows have a truth');
    expect(() => evaluate([], [])).toThrow(code('EVALUATE_TOO_FEW'));
  });
});

describe('what has no value', () => {
  const problems = (predictions: readonly number[], truths: readonly number[]) =>
    Object.fromEntries(
      evaluate(points(predictions), truths, { resamples: 100 }).metrics.map((m) => [m.name, m.problem?.code]),
    );

  it('of constant predictions, errors still have one', () => {
    expect(problems(Array(12).fill(3), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])).toEqual({
      'tau-b': 'METRIC_CONSTANT',
      spearman: 'METRIC_CONSTANT',
      pearson: 'METRIC_CONSTANT',
      'ndcg@10': 'METRIC_CONSTANT',
      'precision@10': 'METRIC_CONSTANT',
      'regret@1': 'METRIC_CONSTANT',
      mape: undefined,
      'acc@0.1': undefined,
      'acc@0.05': undefined,
      mae: undefined,
      rmse: undefined,
      r2: undefined,
    });
  });

  it('of constant truths, only errors have one', () => {
    const found = problems([1, 2, 3], [2, 2, 2]);
    expect([found.r2, found['tau-b'], found.mae]).toEqual(['METRIC_CONSTANT', 'METRIC_CONSTANT', undefined]);
  });

  it('of a truth of zero and of few rows', () => {
    const found = problems([1, 2, 3, 5], [0, 2, 3, 4]);
    expect(found).toMatchObject({ mape: 'METRIC_ZERO_TRUTH', 'precision@10': 'METRIC_K', mae: undefined });
  });

  it('an estimate without an interval says so', () => {
    const truths = Array.from({ length: 12 }, (_, i) => (i === 0 ? 1 : 0));
    const [tau] = evaluate(points(truths), truths, { metrics: ['tau-b'], resamples: 2000 }).metrics;
    // A resample lacks the odd row with probability (11/12)^12 = 0.35.
    expect(tau!.estimate).toBe(1);
    expect(tau!.degenerate! / 2000).toBeGreaterThan(0.3);
    expect(tau!.degenerate! / 2000).toBeLessThan(0.4);
    const [none] = evaluate(points([1, 2]), [1, 2], { metrics: ['tau-b'], resamples: 2000, seed: 5 }).metrics;
    expect(none!.estimate).toBe(1);
    // Half of the resamples of two rows are constant: by chance more than half or not.
    expect(none!.problem === undefined ? none!.low : none!.problem.code).toBe(
      none!.problem === undefined ? 1 : 'METRIC_DEGENERATE',
    );
  });
});

it('the best rows of a latency are the fastest', () => {
  const random = Random.seeded(1);
  const truths = Float64Array.from({ length: 50 }, () => 1 + random.float());
  const predictions = points([...truths].map((value) => value + 0.3 * random.float()));
  const { metrics } = evaluate(predictions, truths, {
    metrics: ['regret@1', 'tau-b', 'mae'],
    better: 'lower',
  });
  const chosen = predictions.reduce((best, { value }, i) => (value < predictions[best]!.value ? i : best), 0);
  expect(metrics[0]!.estimate).toBeCloseTo(truths[chosen]! - Math.min(...truths), 12);
  const values = predictions.map(({ value }) => value);
  expect(metrics[1]!.estimate).toBe(metricNamed('tau-b').compute(values, truths));
});

it('is the same for the same seed, and another for another', () => {
  const { predictions, truths } = generated(golden.cases.small);
  const run = (seed: number) => evaluate(predictions, truths, { metrics: ['tau-b'], seed, resamples: 100 });
  expect(run(1)).toEqual(run(1));
  expect(run(1).metrics[0]!.low).not.toBe(run(2).metrics[0]!.low);
  expect(run(1).bootstrap).toEqual({ confidence: 0.95, resamples: 100, seed: 1, drawn: 300 });
  expect(DRAWN_ROWS).toBeGreaterThan(300);
});

it.each<[string, () => unknown]>([
  ['EVALUATE_LENGTH', () => evaluate(points([1]), [1, 2])],
  ['EVALUATE_NOT_FINITE', () => evaluate(points([1, Number.NaN]), [1, 2])],
  ['EVALUATE_NOT_FINITE', () => evaluate(points([1, 2]), [1, Number.POSITIVE_INFINITY])],
  ['METRIC_UNKNOWN', () => evaluate(points([1, 2]), [1, 2], { metrics: ['beauty'] })],
  ['METRIC_BOOTSTRAP', () => evaluate(points([1, 2]), [1, 2], { resamples: 3 })],
])('%s', (name, run) => {
  expect(run).toThrow(code(name));
});

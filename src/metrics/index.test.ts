import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { METRICS, type Metric, metricNamed } from './index.js';

const random = Random.seeded(1);
const ROWS = 40;
/** Whole numbers, so that no metric's rounding matters. */
const truths = Array.from({ length: ROWS }, () => random.between(1, 500));
const noisy = truths.map((truth) => truth + random.between(-60, 60));
const unrelated = truths.map(() => random.between(1, 500));

describe.each(Object.entries<Metric>(METRICS))('%s', (name, metric) => {
  it('is best for the truths, and worse for what has little to do with them', () => {
    const sign = metric.better === 'higher' ? 1 : -1;
    const [perfect, near, far] = [truths, noisy, unrelated].map((p) => sign * metric.compute(p, truths));
    expect(perfect).toBeGreaterThanOrEqual(near!);
    expect(near).toBeGreaterThan(far!);
  });

  it(`compares ${metric.compares}`, () => {
    const cubed = metric.compute(
      noisy.map((x) => x ** 3),
      truths,
    );
    const same = metric.compute(noisy, truths);
    if (metric.compares === 'ranks') expect(cubed).toBe(same);
    else expect(Math.abs(cubed - same)).toBeGreaterThan(0.01);
  });

  it.each<[string, ArrayLike<number>, ArrayLike<number>]>([
    ['METRIC_LENGTH', [1, 2, 3], [1, 2]],
    ['METRIC_TOO_FEW', [1], [1]],
    ['METRIC_TOO_FEW', new Float32Array(0), new Float32Array(0)],
    ['METRIC_NOT_FINITE', Float32Array.of(1, Number.NaN), [1, 2]],
    ['METRIC_NOT_FINITE', [1, 2], [1, Number.POSITIVE_INFINITY]],
  ])('%s', (code, p, t) => {
    expect(() => metric.compute(p, t)).toThrow(expect.objectContaining({ code }));
  });

  it('constant input', () => {
    const constant = truths.map(() => 3);
    const error = expect.objectContaining({ code: 'METRIC_CONSTANT' });
    const needsBoth = metric.compares === 'ranks' || name === 'pearson';
    if (needsBoth) expect(() => metric.compute(constant, truths)).toThrow(error);
    else expect(metric.compute(constant, truths)).toSatisfy(Number.isFinite);
    if (needsBoth || name === 'r2') expect(() => metric.compute(truths, constant)).toThrow(error);
    else expect(metric.compute(truths, constant)).toSatisfy(Number.isFinite);
  });

  it('is found by its name, with and without its parameter', () => {
    const found = metricNamed(name);
    expect(found.compute(noisy, truths)).toBe(metric.compute(noisy, truths));
    expect(found).toMatchObject({ title: metric.title, better: metric.better, compares: metric.compares });
    if (metric.parameter === undefined) {
      expect(found.name).toBe(name);
      expect(() => metricNamed(`${name}@3`)).toThrow(expect.objectContaining({ code: 'METRIC_UNKNOWN' }));
    } else {
      expect(found.name).toBe(`${name}@${metric.parameter.default}`);
      const other = metric.parameter.name === 'k' ? 3 : 0.02;
      expect(metricNamed(`${name}@${other}`).compute(noisy, truths)).toBe(
        metric.compute(noisy, truths, other),
      );
    }
  });
});

it.each(['', 'tau', 'toString', 'ndcg@', 'ndcg@ten', 'ndcg@1@2', 'acc@-1', 'ndcg@0x10', 'NDCG'])(
  "there is no metric '%s'",
  (text) => {
    expect(() => metricNamed(text)).toThrow(expect.objectContaining({ code: 'METRIC_UNKNOWN' }));
  },
);

it('the error lists what there is', () => {
  try {
    metricNamed('kendall');
  } catch (error) {
    expect((error as { hint: string }).hint).toContain('tau-b, tau-a');
    expect((error as { hint: string }).hint).toContain('ndcg@k');
    return;
  }
  expect.unreachable();
});

it('a k that there are too few rows for is the metric’s to refuse', () => {
  const { compute } = metricNamed('ndcg@50');
  expect(() => compute(noisy, truths)).toThrow(expect.objectContaining({ code: 'METRIC_K' }));
});

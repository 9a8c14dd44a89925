import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pearson, spearman } from './correlation.js';
import { expectSame, goldenCases } from './golden.testing.js';

describe.each([
  ['pearson', pearson],
  ['spearman', spearman],
])('%s', (name, correlation) => {
  it.each(goldenCases(name))('$name', ({ predictions, truths, expected }) => {
    expectSame(correlation(predictions, truths), expected);
  });

  it('of a line is 1, of a falling one −1', () => {
    const values = fc.uniqueArray(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 50 });
    fc.assert(
      fc.property(values, (t) => {
        const line = (slope: number): number[] => t.map((x) => slope * x + 5);
        expectSame(correlation(line(3), t), 1);
        expectSame(correlation(line(-0.5), t), -1);
      }),
    );
  });
});

describe('pearson', () => {
  it.each<[string, number[], number[]]>([
    ['values in the last bit', [1, 1 + Number.EPSILON], [1 + Number.EPSILON, 1]],
    ['the largest values', [Number.MAX_VALUE, -Number.MAX_VALUE], [0, 1]],
    ['the smallest values', [0, Number.MIN_VALUE], [1, 0]],
    ['squares beyond float64', [1e200, 2e200, 3e200], [-1e-200, -2e-200, -3e-200]],
  ])('%s', (_, p, t) => {
    expectSame(pearson(p, t), -1);
  });

  it('is not a matter of ranks, as spearman is', () => {
    const t = [1, 2, 3, 4];
    const p = t.map((x) => Math.exp(x));
    expect(spearman(p, t)).toBe(1);
    expect(pearson(p, t)).toBeLessThan(0.95);
  });
});

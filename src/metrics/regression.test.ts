import { describe, expect, it } from 'vitest';
import { expectSame, goldenCases } from './golden.testing.js';
import { accuracyWithin, mae, mape, r2, rmse } from './regression.js';

describe.each([
  ['mae', mae],
  ['rmse', rmse],
  ['mape', mape],
  ['r2', r2],
])('%s', (name, metric) => {
  it.each(goldenCases(name))('$name', ({ predictions, truths, expected }) => {
    expectSame(metric(predictions, truths), expected);
  });
});

describe('acc', () => {
  it.each(goldenCases('acc'))('$name', ({ predictions, truths, parameter, expected }) => {
    expectSame(accuracyWithin(predictions, truths, parameter), expected);
  });

  it('the bound itself is within', () => {
    expect(accuracyWithin([1.25, 2.6], [1, 2], 0.25)).toBe(0.5);
    expect(accuracyWithin([1, 2.6], [1, 2], 0)).toBe(0.5);
  });

  it.each([-0.1, Number.NaN, Number.POSITIVE_INFINITY])('δ = %s', (delta) => {
    const run = () => accuracyWithin([1, 2], [1, 2], delta);
    expect(run).toThrow(expect.objectContaining({ code: 'METRIC_DELTA' }));
  });
});

it('relative errors are relative to the size of a negative truth', () => {
  expect(mape([-1.5, 3], [-1, 2])).toBe(0.5);
});

it.each([
  ['mape', mape],
  ['acc', (p: number[], t: number[]) => accuracyWithin(p, t, 0.1)],
])('%s: nothing is relative to a truth of 0', (_, metric) => {
  const error = { code: 'METRIC_ZERO_TRUTH', where: { path: 'truths[1]' } };
  expect(() => metric([1, 2, 3], [1, 0, 3])).toThrow(expect.objectContaining(error));
});

describe('r2', () => {
  it('of the mean is 0, of the truths 1', () => {
    const t = [1, 2, 6];
    expect(r2([3, 3, 3], t)).toBe(0);
    expect(r2(t, t)).toBe(1);
  });

  it('needs truths that differ', () => {
    const error = { code: 'METRIC_CONSTANT', where: { path: 'truths' } };
    expect(() => r2([1, 2], [3, 3])).toThrow(expect.objectContaining(error));
  });
});

describe('values at the ends of float64', () => {
  it('rmse squares no error that is too large or too small', () => {
    expectSame(rmse([1e200, 2e200], [0, 0]) / 1e200, Math.sqrt(2.5));
    expectSame(rmse([1e-200, 2e-200], [0, 0]) / 1e-200, Math.sqrt(2.5));
    expect(rmse([1, 2], [1, 2])).toBe(0);
  });

  it.each([
    ['mae', mae, [1.7e308, 1], [-1.7e308, 1]],
    ['rmse', rmse, [1.7e308, 1], [-1.7e308, 1]],
    ['mape', mape, [1e300, 1], [1e-300, 1]],
    ['r2', r2, [1, 2], [1e-200, 2e-200]],
  ] as const)('%s says so where it cannot', (_, metric, p, t) => {
    expect(() => metric(p, t)).toThrow(expect.objectContaining({ code: 'METRIC_OVERFLOW' }));
  });
});

import { describe, expect, it } from 'vitest';
import { axis, extent, roundStep } from './axis.js';

const texts = (domain: readonly [number, number], kind: 'linear' | 'log' = 'linear', count = 6): string[] =>
  axis({ domain, range: [0, 100], kind, count }).ticks.map(({ text }) => text);

describe('ticks', () => {
  it.each<[readonly [number, number], string[]]>([
    [
      [0, 1],
      ['0', '0.2', '0.4', '0.6', '0.8', '1'],
    ],
    [
      [0.1, 0.33],
      ['0.1', '0.15', '0.2', '0.25', '0.3'],
    ],
    [
      [-3, 4],
      ['-3', '-2', '-1', '0', '1', '2', '3', '4'],
    ],
    [
      [1, 15_625],
      ['2,000', '4,000', '6,000', '8,000', '10,000', '12,000', '14,000'],
    ],
    [
      [0, 4e6],
      ['0', '0.5M', '1M', '1.5M', '2M', '2.5M', '3M', '3.5M', '4M'],
    ],
    [
      [0, 2e-5],
      ['0', '5e-6', '1e-5', '1.5e-5', '2e-5'],
    ],
    [
      [93.1, 94.4],
      ['93.2', '93.4', '93.6', '93.8', '94', '94.2', '94.4'],
    ],
  ])('of %j are round', (domain, expected) => {
    expect(texts(domain)).toEqual(expected);
  });

  it.each<[readonly [number, number], string[]]>([
    [
      [1, 100],
      ['1', '2', '5', '10', '20', '50', '100'],
    ],
    [
      [0.5, 3],
      ['0.5', '1', '1.5', '2', '2.5', '3'],
    ],
    [
      [1e-9, 1e9],
      ['1e-8', '1e-6', '1e-4', '1e-2', '1e0', '1e2', '1e4', '1e6', '1e8'],
    ],
  ])('of a logarithmic axis over %j', (domain, expected) => {
    expect(texts(domain, 'log')).toEqual(expected);
  });

  it('lie on the axis, whatever the values', () => {
    for (const low of [-1e300, -5, 0, 1e-12, 3, 1e9]) {
      for (const span of [1e-13, 1e-3, 1, 7, 1e6, 1e300]) {
        const { ticks } = axis({ domain: [low, low + span], range: [10, 90] });
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.length).toBeLessThan(20);
        for (const { at } of ticks) expect(at >= 10 - 1e-6 && at <= 90 + 1e-6).toBe(true);
      }
    }
  });
});

it('places values', () => {
  const linear = axis({ domain: [0, 4], range: [10, 90] });
  expect([0, 1, 4].map(linear.at)).toEqual([10, 30, 90]);
  const log = axis({ domain: [1, 100], range: [0, 2], kind: 'log' });
  expect(log.at(10)).toBeCloseTo(1, 12);
});

it('widens a single value', () => {
  for (const value of [0, 1, -7, 1e12, 1e-12]) {
    const { at } = axis({ domain: [value, value], range: [0, 100] });
    expect(at(value)).toBeCloseTo(50, 6);
  }
  expect(axis({ domain: [5, 5], range: [0, 100], kind: 'log' }).at(5)).toBeCloseTo(50, 6);
});

it('knows its limits', () => {
  const run = (domain: readonly [number, number], kind: 'linear' | 'log') => () =>
    axis({ domain, range: [0, 1], kind });
  expect(run([0, 1], 'log')).toThrow(expect.objectContaining({ code: 'PLOT_LOG' }));
  expect(run([-1e308, 1e308], 'linear')).toThrow(expect.objectContaining({ code: 'PLOT_RANGE' }));
});

it('extent is of what is finite', () => {
  expect(extent([3, Number.NaN, 1], [Number.POSITIVE_INFINITY, 7])).toEqual([1, 7]);
  expect(extent([], [Number.NaN])).toBeUndefined();
});

it.each([
  [0.9, 1],
  [1.3, 1],
  [1.5, 2],
  [3, 2],
  [3.3, 5],
  [8, 10],
  [0.0031, 0.002],
])('the round number nearest to %s is %s', (step, round) => {
  expect(roundStep(step)).toBeCloseTo(round, 12);
});

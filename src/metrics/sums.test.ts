import { expect, it } from 'vitest';
import { dot, sum } from './sums.js';

it('keep terms that plain addition loses', () => {
  const terms = Float64Array.of(1, 1e100, 1, -1e100);
  expect(sum(terms)).toBe(2);
  expect(dot(terms, Float64Array.of(2, -1, 3, -1))).toBe(5);
  const tenths = new Float64Array(1_000_000).fill(0.1);
  expect(sum(tenths)).toBe(100_000);
  expect(dot(tenths, tenths)).toBe(0.1 * 0.1 * 1_000_000);
  expect(sum(new Float64Array(0))).toBe(0);
});

it('overflow to infinity, not to NaN', () => {
  const large = Float64Array.of(1e308, 1e308);
  expect(sum(large)).toBe(Number.POSITIVE_INFINITY);
  expect(dot(large, large)).toBe(Number.POSITIVE_INFINITY);
});

import { describe, expect, it } from 'vitest';
import { AuspexError } from '../util/errors.js';
import { checkedK, MAX_ROWS, rankPairs, representable, requireVaried, valuePairs } from './input.js';

function errorOf(run: () => unknown): AuspexError {
  try {
    run();
  } catch (error) {
    if (error instanceof AuspexError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('valuePairs', () => {
  it('makes float64 of any array of numbers, and uses float64 as it is', () => {
    const truths = Float64Array.of(1, 2);
    const pairs = valuePairs(Float32Array.of(0.5, 0.25), truths);
    expect(pairs.predictions).toEqual(Float64Array.of(0.5, 0.25));
    expect(pairs.truths).toBe(truths);
    expect(valuePairs([1, 2], Int8Array.of(3, 4)).truths).toEqual(Float64Array.of(3, 4));
  });

  it('lengths that differ', () => {
    expect(errorOf(() => valuePairs([1, 2, 3], [1, 2]))).toMatchObject({
      code: 'METRIC_LENGTH',
      message: '3 predictions, but 2 truths',
    });
  });

  it.each([undefined, null, 7])('%s in place of an array', (value) => {
    const error = errorOf(() => valuePairs([1, 2], value as unknown as number[]));
    expect(error).toMatchObject({ code: 'METRIC_LENGTH', where: { path: 'truths' } });
  });

  it.each([[[]], [[1]]])('too few rows: %j', (rows) => {
    expect(errorOf(() => valuePairs(rows, rows)).code).toBe('METRIC_TOO_FEW');
  });

  it('too many rows to count their pairs', () => {
    const pairs = (rows: bigint): bigint => (rows * (rows - 1n)) / 2n;
    expect(pairs(BigInt(MAX_ROWS)) <= Number.MAX_SAFE_INTEGER).toBe(true);
    expect(pairs(BigInt(MAX_ROWS) + 1n) <= Number.MAX_SAFE_INTEGER).toBe(false);
    const rows = { length: MAX_ROWS + 1 };
    expect(errorOf(() => valuePairs(rows, rows)).code).toBe('METRIC_TOO_MANY');
  });

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['infinity', Number.NEGATIVE_INFINITY],
    ['a hole', undefined],
    ['null', null],
    ['a text', '3'],
  ])('%s is named with its side and index', (_, value) => {
    const bad = [1, 2, value] as number[];
    expect(errorOf(() => valuePairs(bad, [1, 2, 3]))).toMatchObject({
      code: 'METRIC_NOT_FINITE',
      where: { path: 'predictions[2]' },
    });
    expect(errorOf(() => valuePairs([1, 2, 3], bad)).where).toEqual({ path: 'truths[2]' });
  });

  it('NaN in a typed array', () => {
    const bad = Float64Array.of(1, Number.NaN);
    expect(errorOf(() => valuePairs(bad, [1, 2])).where).toEqual({ path: 'predictions[1]' });
  });
});

describe('rankPairs', () => {
  it('says which side is constant', () => {
    expect(errorOf(() => rankPairs([5, 5, 5], [1, 2, 3]))).toMatchObject({
      code: 'METRIC_CONSTANT',
      message: 'all 3 predictions are 5',
      where: { path: 'predictions' },
    });
    expect(errorOf(() => rankPairs([1, 2, 3], [0, -0, 0])).where).toEqual({ path: 'truths' });
  });

  it('one row that differs is enough', () => {
    expect(() => rankPairs([5, 5, 6], [1, 1, 2])).not.toThrow();
    expect(() => requireVaried(Float64Array.of(1, 1), 'truths')).toThrow(AuspexError);
  });
});

it.each([0, -1, 1.5, 4, Number.NaN, Number.POSITIVE_INFINITY])('k = %s of 3 rows', (k) => {
  expect(errorOf(() => checkedK(k, 3)).code).toBe('METRIC_K');
});

it('k from 1 to the number of rows', () => {
  expect([1, 2, 3].map((k) => checkedK(k, 3))).toEqual([1, 2, 3]);
});

it('what float64 cannot hold', () => {
  expect(representable(-2)).toBe(-2);
  expect(errorOf(() => representable(Number.NaN)).code).toBe('METRIC_OVERFLOW');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectSame, goldenCases } from './golden.testing.js';
import { precisionAtK, regretAtK } from './top.js';

/** All orders of items. */
function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) =>
    permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  );
}

/** By the definition: the mean over all orders of the rows in which predictions do not rise. */
function meanOverOrders(p: readonly number[], ofTop: (rows: number[]) => number, k: number): number {
  const orders = permutations([...p.keys()]).filter((order) =>
    order.every((row, i) => i === 0 || p[row]! <= p[order[i - 1]!]!),
  );
  return orders.reduce((sum, order) => sum + ofTop(order.slice(0, k)), 0) / orders.length;
}

const rows = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 4 })), {
    minLength: 2,
    maxLength: 6,
  })
  .filter((list) => new Set(list.map((row) => row[0])).size > 1)
  .filter((list) => new Set(list.map((row) => row[1])).size > 1);

describe('precision', () => {
  it.each(goldenCases('precision'))('$name', ({ predictions, truths, parameter, expected }) => {
    expectSame(precisionAtK(predictions, truths, parameter), expected);
  });

  it('with ties is the mean over the orders of equal predictions', () => {
    fc.assert(
      fc.property(rows, fc.nat(), (list, place) => {
        const [p, t] = [list.map((row) => row[0]), list.map((row) => row[1])];
        const k = 1 + (place % list.length);
        const bound = t.toSorted((a, b) => b - a)[k - 1]!;
        const ofTop = (top: number[]): number => top.filter((row) => t[row]! >= bound).length / k;
        expectSame(precisionAtK(p, t, k), meanOverOrders(p, ofTop, k));
      }),
    );
  });

  it('a row as good as the k-th best is a hit', () => {
    expect(precisionAtK([4, 3, 2, 1], [5, 5, 5, 6], 2)).toBe(1);
  });
});

describe('regret', () => {
  it.each(goldenCases('regret'))('$name', ({ predictions, truths, parameter, expected }) => {
    expectSame(regretAtK(predictions, truths, parameter), expected);
  });

  it('with ties is the mean over the orders of equal predictions', () => {
    fc.assert(
      fc.property(rows, fc.nat(), (list, place) => {
        const [p, t] = [list.map((row) => row[0]), list.map((row) => row[1])];
        const k = 1 + (place % list.length);
        const ofTop = (top: number[]): number => Math.max(...t) - Math.max(...top.map((row) => t[row]!));
        expectSame(regretAtK(p, t, k), meanOverOrders(p, ofTop, k));
      }),
    );
  });

  it('of all rows is 0', () => {
    expect(regretAtK([1, 2, 3], [9, 8, 7], 3)).toBe(0);
  });

  it('beyond float64', () => {
    const run = () => regretAtK([1, 2], [1.7e308, -1.7e308], 1);
    expect(run).toThrow(expect.objectContaining({ code: 'METRIC_OVERFLOW' }));
  });
});

it.each([0, 4, 1.5])('k = %s of 3 rows', (k) => {
  for (const metric of [precisionAtK, regretAtK]) {
    expect(() => metric([1, 2, 3], [1, 2, 3], k)).toThrow(expect.objectContaining({ code: 'METRIC_K' }));
  }
});

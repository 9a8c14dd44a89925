import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectSame, goldenCases } from './golden.testing.js';
import { ndcgExponential, ndcgLinear, relevances } from './ndcg.js';

const BOTH = [
  ['ndcg', ndcgExponential],
  ['ndcg-linear', ndcgLinear],
] as const;

/** Relevances of which not all are equal. */
const anyRelevances = fc
  .array(fc.integer({ min: 0, max: 20 }), { minLength: 2, maxLength: 40 })
  .filter((rel) => new Set(rel).size > 1);

describe.each(BOTH)('%s', (name, ndcg) => {
  it.each(goldenCases(name))('$name', ({ predictions, truths, parameter, expected }) => {
    expectSame(ndcg(predictions, relevances(truths), parameter), expected);
  });

  it('of the perfect order is 1, of any other no more', () => {
    fc.assert(
      fc.property(anyRelevances, fc.nat(), (rel, place) => {
        const k = 1 + (place % rel.length);
        expectSame(ndcg(rel, rel, k), 1);
        const others = rel
          .toSorted((a, b) => Math.sin(a + place) - Math.sin(b + place))
          .map((x, i) => x + i / 7);
        expect(ndcg(others, rel, k)).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });

  it('of equal predictions is the mean over their orders', () => {
    const rel = [3, 1, 0, 2];
    const broken = [
      [4, 3, 2, 1],
      [4, 2, 3, 1],
    ].map((p) => ndcg(p, rel, 2));
    expectSame(ndcg([4, 3, 3, 1], rel, 2), (broken[0]! + broken[1]!) / 2);
  });

  it.each([0, 5, 2.5])('k = %s of 4 rows', (k) => {
    const run = () => ndcg([1, 2, 3, 4], [1, 2, 3, 4], k);
    expect(run).toThrow(expect.objectContaining({ code: 'METRIC_K' }));
  });

  it('a negative relevance', () => {
    const error = { code: 'METRIC_RELEVANCE', where: { path: 'truths[1]' } };
    expect(() => ndcg([1, 2], [1, -2], 1)).toThrow(expect.objectContaining(error));
  });
});

it('the two gains give different numbers', () => {
  const [p, rel] = [
    [3, 2, 1],
    [10, 20, 0],
  ];
  // By hand: (10 + 20/log₂3)/(20 + 10/log₂3), and the same of 2^rel − 1.
  const log = Math.log2(3);
  expectSame(ndcgLinear(p!, rel!, 3), (10 + 20 / log) / (20 + 10 / log));
  const [low, high] = [2 ** 10 - 1, 2 ** 20 - 1];
  expectSame(ndcgExponential(p!, rel!, 3), (low + high / log) / (high + low / log));
});

it('relevances that are too large for their gain', () => {
  const run = () => ndcgExponential([1, 2], [3000, 4000], 2);
  expect(run).toThrow(expect.objectContaining({ code: 'METRIC_OVERFLOW' }));
});

describe('relevances', () => {
  it('go from 0 to 20', () => {
    expect([...relevances([0.9, 0.95, 0.925])].map((x) => Math.round(x * 1e9) / 1e9)).toEqual([0, 20, 10]);
    expect([...relevances([1, 3], 1)]).toEqual([0, 1]);
  });

  it('of constant truths do not exist', () => {
    const error = { code: 'METRIC_CONSTANT', where: { path: 'truths' } };
    expect(() => relevances([2, 2, 2])).toThrow(expect.objectContaining(error));
  });

  it('of a span beyond float64', () => {
    expect(() => relevances([-1.7e308, 1.7e308])).toThrow(
      expect.objectContaining({ code: 'METRIC_OVERFLOW' }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { expectSame, goldenCases } from './golden.testing.js';
import { kendallTauA, kendallTauB, kendallTauGennape } from './kendall.js';

/** Rows with many ties, of which neither side is constant. */
const tiedRows = fc
  .array(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 0, max: 4 })), {
    minLength: 2,
    maxLength: 30,
  })
  .map((rows) => ({ p: rows.map((row) => row[0]), t: rows.map((row) => row[1]) }))
  .filter(({ p, t }) => new Set(p).size > 1 && new Set(t).size > 1);

/** By the definition, pair by pair. */
function counted(p: readonly number[], t: readonly number[]) {
  const counts = { pairs: 0, difference: 0, tiedP: 0, tiedT: 0 };
  for (let i = 0; i < p.length; i++) {
    for (let j = 0; j < i; j++) {
      counts.pairs++;
      counts.difference += Math.sign(p[i]! - p[j]!) * Math.sign(t[i]! - t[j]!);
      counts.tiedP += Number(p[i] === p[j]);
      counts.tiedT += Number(t[i] === t[j]);
    }
  }
  return counts;
}

describe.each([
  ['tau-a', kendallTauA],
  ['tau-b', kendallTauB],
  ['tau-gennape', kendallTauGennape],
])('%s', (name, tau) => {
  it.each(goldenCases(name))('$name', ({ predictions, truths, expected }) => {
    expectSame(tau(predictions, truths), expected);
  });
});

describe.each([
  ['tau-a', kendallTauA],
  ['tau-b', kendallTauB],
])('%s: properties', (_, tau) => {
  it('no increasing map of either side changes it', () => {
    fc.assert(
      fc.property(tiedRows, ({ p, t }) => {
        const mapped = tau(
          p.map((x) => Math.exp(x)),
          t.map((x) => x ** 3 - 7),
        );
        expect(mapped).toBe(tau(p, t));
      }),
    );
  });

  it('changes sign with either side', () => {
    fc.assert(
      fc.property(tiedRows, ({ p, t }) => {
        const flipped = p.map((x) => -x);
        expect(tau(flipped, t)).toBeCloseTo(-tau(p, t), 15);
      }),
    );
  });

  it('is symmetric, and the order of the rows does not matter', () => {
    fc.assert(
      fc.property(tiedRows, fc.nat(), ({ p, t }, seed) => {
        const random = Random.seeded(seed);
        const rows = p.map((x, i) => ({ x, y: t[i]!, key: random.float() })).sort((a, b) => a.key - b.key);
        const shuffled = tau(
          rows.map((row) => row.y),
          rows.map((row) => row.x),
        );
        expect(shuffled).toBe(tau(p, t));
      }),
    );
  });
});

it('both are what their definitions say, pair by pair', () => {
  fc.assert(
    fc.property(tiedRows, ({ p, t }) => {
      const { pairs, difference, tiedP, tiedT } = counted(p, t);
      expect(kendallTauA(p, t)).toBe(difference / pairs);
      expect(kendallTauB(p, t)).toBe(difference / Math.sqrt((pairs - tiedP) * (pairs - tiedT)));
    }),
    { numRuns: 500 },
  );
});

it('ties: only tau-b reaches 1', () => {
  const tied = [1, 1, 2, 3];
  expect(kendallTauB(tied, tied)).toBe(1);
  expect(kendallTauA(tied, tied)).toBe(5 / 6);
});

describe("GENNAPE's", () => {
  it('counts pairs whose truths differ by 1e-4 or more', () => {
    // The second pair is ordered unlike, but its truths are too near each other.
    expect(kendallTauGennape([0.1, 0.3, 0.2], [0.9, 0.95, 0.95009])).toBe(1);
    expect(kendallTauGennape([0.1, 0.3, 0.2], [0.9, 0.95, 0.9501])).toBe(0.3333);
  });

  it('counts a predicted tie as ordered alike', () => {
    expect(kendallTauGennape([0.5, 0.5, 0.6], [0.1, 0.2, 0.3])).toBe(1);
    // Equal after rounding to 1e-6.
    expect(kendallTauGennape([0.5000001, 0.5, 0.6], [0.1, 0.2, 0.3])).toBe(1);
    expect(kendallTauB([0.5000001, 0.5, 0.6], [0.1, 0.2, 0.3])).toBeCloseTo(1 / 3, 15);
  });

  it('refuses constant predictions, for which that code gives 1', () => {
    const error = { code: 'METRIC_CONSTANT', where: { path: 'predictions' } };
    expect(() => kendallTauGennape([0.5, 0.5], [0.1, 0.2])).toThrow(expect.objectContaining(error));
    expect(() => kendallTauGennape([0.5, 0.5000001], [0.1, 0.2])).toThrow(expect.objectContaining(error));
  });

  it('refuses truths that are all too near each other', () => {
    const error = { code: 'METRIC_CONSTANT', where: { path: 'truths' } };
    expect(() => kendallTauGennape([0.1, 0.2], [0.5, 0.50009])).toThrow(expect.objectContaining(error));
  });

  it('refuses what float64 cannot hold in millionths', () => {
    const run = () => kendallTauGennape([1, 2, 3], [0.1, 0.2, 1e305]);
    expect(run).toThrow(expect.objectContaining({ code: 'METRIC_OVERFLOW' }));
  });

  it('the order of the rows does not matter', () => {
    const rows = fc.array(fc.tuple(fc.nat(400), fc.nat(400)), { minLength: 3, maxLength: 40 });
    fc.assert(
      fc.property(rows, (drawn) => {
        const list = [...drawn, [0, 0] as const, [9, 200] as const];
        const column = (order: typeof list, i: 0 | 1): number[] => order.map((row) => row[i] / 1e6);
        const reversed = list.toReversed();
        expect(kendallTauGennape(column(reversed, 0), column(reversed, 1))).toBe(
          kendallTauGennape(column(list, 0), column(list, 1)),
        );
      }),
    );
  });
});

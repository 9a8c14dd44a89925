import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { hypervolume } from './hypervolume.js';
import { crowdingDistances, dominates, nonDominatedFronts, type Point, paretoFront } from './pareto.js';

const points = (axes: number, most = 6, count = 12): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(fc.nat(most), { minLength: axes, maxLength: axes }), { maxLength: count });

describe('non-dominated fronts', () => {
  it('are what remains when the fronts before are taken away', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(points(2), points(3)), async (all) => {
        let left = all.map((_, i) => i);
        for (const front of await nonDominatedFronts(all)) {
          const expected = left.filter((i) => !left.some((j) => dominates(all[j]!, all[i]!)));
          expect(front).toEqual(expected);
          left = left.filter((i) => !front.includes(i));
        }
        expect(left).toEqual([]);
      }),
    );
  });

  it('respect which way is better', () => {
    const trials = [
      [90, 5],
      [80, 5],
      [95, 9],
      [70, 1],
      [70, 2],
    ].map(([a, b], index) => ({
      index,
      arch: `${index}`,
      by: 'sample',
      value: a!,
      objectives: [a!, b!],
      seconds: 0,
    }));
    const failed = { index: 5, arch: '5', by: 'sample', seconds: 0, error: { code: 'X', message: '' } };
    const front = paretoFront(
      [...trials, failed],
      [
        { name: 'accuracy', better: 'higher' },
        { name: 'latency', better: 'lower' },
      ],
    );
    expect(front.map(({ index }) => index)).toEqual([0, 2, 3]);
  });
});

describe('crowding', () => {
  it('is the span of the neighbours, and infinite at the ends', () => {
    // By hand: spans are 4 and 8; the second has (3 − 0)/4 + (8 − 2)/8, the third (4 − 1)/4 + (5 − 0)/8.
    const front = [
      [0, 8],
      [1, 5],
      [3, 2],
      [4, 0],
    ];
    const { POSITIVE_INFINITY: infinite } = Number;
    expect([...crowdingDistances(front)]).toEqual([infinite, 0.75 + 0.75, 0.75 + 0.625, infinite]);
    expect([...crowdingDistances([[1, 1]])]).toEqual([infinite]);
    expect([...crowdingDistances([])]).toEqual([]);
  });

  it('has no NaN for points that are all the same', () => {
    const same = Array.from({ length: 5 }, () => [1, 2]);
    expect([...crowdingDistances(same)].some(Number.isNaN)).toBe(false);
  });
});

describe('hypervolume', () => {
  it('is what one finds by hand', () => {
    // Two rectangles 2 × 1 and 1 × 2 that share a unit square.
    expect(
      hypervolume(
        [
          [1, 2],
          [2, 1],
        ],
        [3, 3],
      ),
    ).toBe(3);
    // Three boxes that stick out of the unit cube at (2, 2, 2) by one in one direction each.
    expect(
      hypervolume(
        [
          [1, 2, 2],
          [2, 1, 2],
          [2, 2, 1],
        ],
        [3, 3, 3],
      ),
    ).toBe(4);
    expect(hypervolume([[2, 5]], [3, 3])).toBe(0);
    expect(hypervolume([], [1, 1, 1])).toBe(0);
    expect(hypervolume([[4]], [6])).toBe(2);
  });

  it.each([1, 2, 3, 4])('is the number of unit cells that are dominated (%i objectives)', (axes) => {
    const side = 5;
    const reference = Array(axes).fill(side);
    const cells: Point[] = [];
    for (let i = 0; i < side ** axes; i++) {
      cells.push(Array.from({ length: axes }, (_, m) => Math.floor(i / side ** m) % side));
    }
    fc.assert(
      fc.property(points(axes, side + 1, 8), (all) => {
        const covered = cells.filter((cell) => all.some((p) => p.every((value, m) => value <= cell[m]!)));
        expect(hypervolume(all, reference)).toBe(covered.length);
      }),
      { numRuns: 60 },
    );
  });

  it.each([2, 3])('is what throwing darts finds (%i objectives)', (axes) => {
    const random = Random.seeded(axes);
    const darts = 20_000;
    for (let round = 0; round < 4; round++) {
      const point = (): number[] => Array.from({ length: axes }, () => random.float());
      const all = Array.from({ length: 15 }, point);
      let hits = 0;
      for (let i = 0; i < darts; i++) {
        const dart = point();
        hits += Number(all.some((p) => p.every((value, m) => value <= dart[m]!)));
      }
      const exact = hypervolume(all, Array(axes).fill(1));
      const deviation = Math.sqrt((exact * (1 - exact)) / darts);
      expect(Math.abs(hits / darts - exact)).toBeLessThan(4.5 * deviation);
    }
  });
});

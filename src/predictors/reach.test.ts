import { describe, expect, it } from 'vitest';
import { distanceOf, reachOf } from './reach.js';
import type { GraphSet } from './views/view.js';

const setOf = (rows: readonly (readonly number[])[]): GraphSet => ({
  count: rows.length,
  batch: () => ({}),
  outline: (row) => rows[row]!,
});

describe('reach', () => {
  it('is the farthest row, in deviations from the mean', () => {
    const rows = [
      [0, 10],
      [2, 10],
      [4, 10],
    ];
    const reach = reachOf(setOf(rows))!;
    // Deviation of 0, 2, 4: √(8/3). A number that is always 10 deviates by a tenth of 11.
    expect(reach.means).toEqual([2, 10]);
    expect(reach.deviations[0]).toBeCloseTo(Math.sqrt(8 / 3), 12);
    expect(reach.deviations[1]).toBeCloseTo(1.1, 12);
    expect(reach.radius).toBeCloseTo(2 / Math.sqrt(8 / 3) / Math.SQRT2, 12);
    expect(rows.map((row) => distanceOf(row, reach))).toEqual([1, 0, 1]);
    expect(distanceOf([8, 10], reach)).toBeCloseTo(3, 12);
    expect(distanceOf([2, 21], reach)).toBeCloseTo(10 / Math.SQRT2 / reach.radius, 12);
  });

  it('of one row, or of rows that are all alike, is that row', () => {
    const reach = reachOf(setOf([[3, 4]]))!;
    expect(distanceOf([3, 4], reach)).toBe(0);
    expect(distanceOf([3, 5], reach)).toBeCloseTo(2 / Math.SQRT2, 12);
    expect(reachOf({ count: 2, batch: () => ({}) })).toBeUndefined();
  });
});

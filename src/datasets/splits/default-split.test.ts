// Rows held out where nobody says how many.
import { describe, expect, it } from 'vitest';
import { defaultSplit } from './default-split.js';

describe('defaultSplit', () => {
  it.each([
    [0, undefined, 0, 0],
    [12, undefined, 12, 0],
    [29, undefined, 29, 0],
    [30, undefined, 15, 15],
    [50, undefined, 30, 20],
    [149, undefined, 120, 29],
    [15_625, undefined, 15_425, 200],
    [15_625, 156, 156, 200],
    [100, 90, 90, 0],
    [100, 80, 80, 20],
    [40, 40, 40, 0],
    [12, 50, 50, 0],
  ])('%d rows, %s to train on: %d and %d', (rows, train, expected, validation) => {
    expect(defaultSplit(rows, train)).toMatchObject({ train: expected, validation });
  });

  it('says why', () => {
    expect(defaultSplit(12).why).toBe(
      '12 rows are too few to hold any out: predictions have no intervals (--validation N holds out N)',
    );
    expect(defaultSplit(150).why).toMatch(/^30 of 150 rows are held out for prediction intervals/);
    expect(defaultSplit(100, 90).why).toMatch(/^only 10 of 100 rows are left/);
  });
});

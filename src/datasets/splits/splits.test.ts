import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  familySplit,
  familySplits,
  firstSplit,
  foldSplits,
  randomSplit,
  type Split,
  sizeSplit,
} from './splits.js';

fc.configureGlobal({ seed: 1 });

const all = (rows: number): number[] => Array.from({ length: rows }, (_, i) => i);
const sorted = (...sets: Uint32Array[]): number[] => sets.flatMap((set) => [...set]).sort((a, b) => a - b);

/** Sets of the sizes that were asked for, without a row in two of them. */
function expectSizes(split: Split, train: number, validation: number, test: number): void {
  expect([split.train.length, split.validation.length, split.test.length]).toEqual([train, validation, test]);
  const rows = sorted(split.train, split.validation, split.test);
  expect(new Set(rows).size).toBe(rows.length);
}

/** Rows and sizes of sets that fit. */
const sizes = fc.integer({ min: 1, max: 200 }).chain((rows) =>
  fc.tuple(fc.integer({ min: 0, max: rows }), fc.integer({ min: 0, max: rows })).map(([a, b]) => {
    const [train, both] = a < b ? [a, b] : [b, a];
    return { rows, train, validation: both - train, seed: rows };
  }),
);

describe('splits', () => {
  it('have disjoint sets of the sizes asked for; the rest tests', () => {
    fc.assert(
      fc.property(sizes, fc.nat(5), ({ rows, train, validation, seed }, groups) => {
        const sizeOf = all(rows).map((row) => row % (groups + 1));
        const made = [
          firstSplit(rows, { train, validation }),
          randomSplit(rows, { train, validation, seed }),
          sizeSplit(sizeOf, { train, validation, seed }),
        ];
        for (const split of made) {
          expectSizes(split, train, validation, rows - train - validation);
          expect(sorted(split.train, split.validation, split.test)).toEqual(all(rows));
        }
      }),
    );
  });

  it('take a test set of the size asked for', () => {
    fc.assert(
      fc.property(sizes, ({ rows, train, validation, seed }) => {
        const test = Math.floor((rows - train - validation) / 2);
        const sizeOf = all(rows).map((row) => row % 3);
        expectSizes(firstSplit(rows, { train, validation, test }), train, validation, test);
        expectSizes(randomSplit(rows, { train, validation, test, seed }), train, validation, test);
        expectSizes(sizeSplit(sizeOf, { train, validation, test, seed }), train, validation, test);
      }),
    );
  });

  it('test on all rows where papers do', () => {
    const options = { train: 3, validation: 2, seed: 1, testOnAll: true };
    for (const split of [firstSplit(9, options), randomSplit(9, options), sizeSplit(all(9), options)]) {
      expect([...split.test]).toEqual(all(9));
      expect(split.testOnAll).toBe(true);
      expect(new Set([...split.train, ...split.validation]).size).toBe(5);
    }
  });

  it('of the first rows take the first rows', () => {
    const split = firstSplit(10, { train: 4, validation: 2 });
    expect([...split.train]).toEqual([0, 1, 2, 3]);
    expect([...split.validation]).toEqual([4, 5]);
    expect([...split.test]).toEqual([6, 7, 8, 9]);
    expect(split).toMatchObject({ by: 'first', seed: undefined });
  });

  it('say their seed, which decides them', () => {
    const make = (seed: number): Split => randomSplit(1000, { train: 100, seed });
    expect(make(3)).toEqual(make(3));
    expect([...make(3).train]).not.toEqual([...make(4).train]);
    expect(make(3)).toMatchObject({ by: 'random', seed: 3 });
  });

  it('at random draw every row about equally often', () => {
    const counts = new Array(20).fill(0);
    for (let seed = 0; seed < 2000; seed++) {
      for (const row of randomSplit(20, { train: 5, seed }).train) counts[row]++;
    }
    // 2000 draws of probability 1/4: a standard deviation of 19.4.
    for (const count of counts) expect(Math.abs(count - 500)).toBeLessThan(4 * 19.4);
  });

  it('by size give every size its share', () => {
    // 10 of size 2, 40 of size 3, 950 of size 4.
    const sizeOf = all(1000).map((row) => (row < 10 ? 2 : row < 50 ? 3 : 4));
    const split = sizeSplit(sizeOf, { train: 100, validation: 100, seed: 1 });
    for (const set of [split.train, split.validation]) {
      const count = (size: number): number => [...set].filter((row) => sizeOf[row] === size).length;
      expect([count(2), count(3), count(4)]).toEqual([1, 4, 95]);
    }
  });

  it('by family test on one and train on the others', () => {
    const families = all(30).map((row) => ['a', 'b', 'c'][row % 3]!);
    const split = familySplit(families, 'b', { seed: 1, validation: 5 });
    expectSizes(split, 15, 5, 10);
    expect([...split.test].every((row) => families[row] === 'b')).toBe(true);
    expect([...split.train, ...split.validation].some((row) => families[row] === 'b')).toBe(false);
    expectSizes(familySplit(families, 'a', { seed: 1, train: 7 }), 7, 0, 10);
    const splits = familySplits(families, { seed: 1 });
    expect([...splits.keys()]).toEqual(['a', 'b', 'c']);
    expect(sorted(...[...splits.values()].map((s) => s.test))).toEqual(all(30));
  });

  it('by fold test every row once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 2, max: 10 }), (rows, k) => {
        const folds = Math.min(rows, k);
        const splits = foldSplits(rows, folds, { seed: 1 });
        expect(splits.length).toBe(folds);
        expect(sorted(...splits.map((s) => s.test))).toEqual(all(rows));
        for (const split of splits) {
          expect(sorted(split.train, split.test)).toEqual(all(rows));
          expect(Math.abs(split.test.length - rows / folds)).toBeLessThan(1);
        }
      }),
    );
    expectSizes(foldSplits(10, 5, { seed: 1, validation: 3 })[0]!, 5, 3, 2);
  });

  it.each([
    ['more than there is', () => firstSplit(10, { train: 11 }), /10 rows.*11 for training/],
    [
      'too much together',
      () => randomSplit(10, { train: 6, validation: 5, seed: 1 }),
      /6 for training, 5 for/,
    ],
    ['a test set that does not fit', () => firstSplit(10, { train: 6, test: 5 }), /5 for test/],
    ['a negative size', () => firstSplit(10, { train: -1 }), /cannot be -1/],
    ['a fraction', () => randomSplit(10, { train: 0.5, seed: 1 }), /cannot be 0.5/],
    ['too much by size', () => sizeSplit(all(4), { train: 5, seed: 1 }), /4 rows/],
    ['one fold', () => foldSplits(10, 1, { seed: 1 }), /into 1 folds/],
    ['more folds than rows', () => foldSplits(3, 4, { seed: 1 }), /into 4 folds/],
    ['a family that is not there', () => familySplit(['a'], 'b', { seed: 1 }), /family 'b'/],
    ['too many of other families', () => familySplit(['a', 'b'], 'b', { seed: 1, train: 2 }), /1 rows/],
  ])('refuse %s', (_, work, message) => {
    expect(work).toThrow(message);
  });
});

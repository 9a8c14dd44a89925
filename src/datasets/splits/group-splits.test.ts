// Splits that keep rows together.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupedFolds, groupedSplit, groupsBy, joinedGroups, withoutDoubles } from './group-splits.js';
import { firstSplit, foldSplits, randomSplit, type Split } from './splits.js';

fc.configureGlobal({ seed: 1 });

const SETS = ['train', 'validation', 'test'] as const;

/** In how many sets each group is. */
function setsOf(split: Split, groups: { of: Uint32Array }): number[] {
  const where = new Map<number, Set<string>>();
  for (const name of SETS) {
    for (const row of split[name]) {
      const group = groups.of[row]!;
      where.set(group, (where.get(group) ?? new Set()).add(name));
    }
  }
  return [...where.values()].map((sets) => sets.size);
}

describe('groups', () => {
  it('are of equal keys, and tell the doubles', () => {
    expect(groupsBy(['a', 'b', 'a', 'c', 'a'])).toEqual({
      of: Uint32Array.of(0, 1, 0, 2, 0),
      count: 3,
      duplicates: 2,
    });
  });

  it('join where either keeps rows together', () => {
    const archs = groupsBy(['a', 'b', 'a', 'c', 'd']);
    const devices = groupsBy(['x', 'x', 'y', 'z', 'z']);
    expect([...joinedGroups(archs, devices).of]).toEqual([0, 0, 0, 1, 1]);
  });
});

describe('groupedSplit', () => {
  it('gives the rows of randomSplit where all architectures differ', () => {
    fc.assert(
      fc.property(
        fc.nat(80),
        fc.nat(60),
        fc.nat(60),
        fc.nat(),
        fc.boolean(),
        (rows, train, validation, seed, all) => {
          fc.pre(train + validation <= rows);
          const groups = groupsBy(Array.from({ length: rows }, (_, i) => `arch ${i}`));
          const sizes = { train, validation, seed, testOnAll: all };
          expect(groupedSplit(groups, sizes)).toEqual(randomSplit(rows, sizes));
        },
      ),
    );
  });

  it('never has equal architectures in two sets', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(12), { minLength: 12, maxLength: 60 }), fc.nat(), (keys, seed) => {
        const groups = groupsBy(keys.map(String));
        fc.pre(groups.count > 4);
        const sizes = { train: keys.length >> 1, validation: 0, seed };
        const split = groupedSplit(groups, sizes);
        expect(new Set(setsOf(split, groups))).toEqual(new Set([1]));
        expect(split.train.length).toBeLessThanOrEqual(sizes.train);
        expect([...split.train, ...split.test].sort((a, b) => a - b)).toEqual([...keys.keys()]);
      }),
    );
  });

  it('says so if no group fits', () => {
    const groups = groupsBy(['a', 'a', 'a', 'b', 'b', 'b']);
    expect(() => groupedSplit(groups, { train: 3, validation: 2, seed: 0 })).toThrow(
      expect.objectContaining({ code: 'SPLIT_GROUPS' }),
    );
  });
});

describe('groupedFolds', () => {
  it('are the plain folds where all architectures differ', () => {
    const groups = groupsBy(Array.from({ length: 17 }, (_, i) => String(i)));
    expect(groupedFolds(groups, 4, { seed: 3, validation: 2 })).toEqual(
      foldSplits(17, 4, { seed: 3, validation: 2 }),
    );
  });

  it('test every row once and keep groups together', () => {
    const groups = groupsBy(Array.from({ length: 40 }, (_, i) => String(i % 23)));
    const folds = groupedFolds(groups, 5, { seed: 1, validation: 4 });
    expect(folds.flatMap(({ test }) => [...test]).sort((a, b) => a - b)).toEqual([...groups.of.keys()]);
    for (const split of folds) {
      expect(new Set(setsOf(split, groups))).toEqual(new Set([1]));
      expect(split.validation.length).toBeGreaterThan(0);
      expect(split.train.length + split.validation.length + split.test.length).toBe(40);
    }
  });

  it('refuse folds that groups cannot fill', () => {
    expect(() => groupedFolds(groupsBy(['a', 'a', 'b']), 3, { seed: 0 })).toThrow(/2 groups/);
    expect(() => groupedFolds(groupsBy([...'aaaaaaaaab', 'c']), 3, { seed: 0 })).toThrow(/stays empty/);
  });
});

describe('withoutDoubles', () => {
  it('takes rows whose architecture an earlier set has out of validation and test', () => {
    const groups = groupsBy([...'aabbcac']);
    const { split, dropped } = withoutDoubles(firstSplit(7, { train: 2, validation: 1 }), groups);
    expect([...split.train]).toEqual([0, 1]);
    expect([...split.validation]).toEqual([2]);
    expect([...split.test]).toEqual([4, 6]);
    expect(dropped).toBe(2);
  });

  it('leaves the protocol that tests on all rows alone', () => {
    const all = firstSplit(3, { train: 2, testOnAll: true });
    expect(withoutDoubles(all, groupsBy(['a', 'a', 'a']))).toEqual({ split: all, dropped: 0 });
  });
});

// Splits that keep rows together: equal architectures, or all rows of a device or a family. A row beside its double in
// training tells nothing about new architectures. Without doubles, rows are those of the plain splits.
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import {
  checked,
  type FoldOptions,
  foldSplits,
  identity,
  type SeededSizes,
  type Split,
  shuffled,
} from './splits.js';

/** Which rows belong together. */
export interface Groups {
  /** Of each row its group, counted from 0 in order of their first rows. */
  readonly of: Uint32Array;
  readonly count: number;
  /** Rows that are not the first of their group. */
  readonly duplicates: number;
}

/** Groups of rows by their keys: a canonical text, a device. */
export function groupsBy(keys: Iterable<string>): Groups {
  const known = new Map<string, number>();
  const of = Uint32Array.from(keys, (key) => {
    const group = known.get(key) ?? known.size;
    known.set(key, group);
    return group;
  });
  return { of, count: known.size, duplicates: of.length - known.size };
}

/** Groups of rows that are together in either of two: equal architectures, and those of one family. */
export function joinedGroups(a: Groups, b: Groups): Groups {
  const parent = identity(a.count + b.count);
  const root = (i: number): number => {
    while (parent[i] !== i) {
      parent[i] = parent[parent[i]!]!;
      i = parent[i]!;
    }
    return i;
  };
  for (let row = 0; row < a.of.length; row++) parent[root(a.of[row]!)] = root(a.count + b.of[row]!);
  return groupsBy(Array.from(a.of, (group) => String(root(group))));
}

/**
 * `randomSplit`, groups staying together. Where a group does not fit into a set any more, later ones are tried; sets
 * are thus at most as large as asked for. Without doubles its rows are those of `randomSplit`.
 *
 * Codes: SPLIT_SIZE, SPLIT_GROUPS (a set that was asked for stays empty).
 */
export function groupedSplit(groups: Groups, sizes: SeededSizes): Split {
  const rows = groups.of.length;
  const wanted = checked(rows, sizes);
  const order = together(shuffled(identity(rows), Random.seeded(sizes.seed)), groups);
  const left = new Set(order);
  const draw = (count: number): Uint32Array[] => {
    const drawn: Uint32Array[] = [];
    let room = count;
    for (const group of left) {
      if (room === 0) break;
      if (group.length > room) continue;
      drawn.push(group);
      left.delete(group);
      room -= group.length;
    }
    return drawn;
  };
  const train = flat(draw(wanted.train));
  const validation = flat(draw(wanted.validation));
  const test = sizes.test === undefined && !sizes.testOnAll ? flat([...left]) : flat(draw(wanted.test));
  const sets = { train, validation, test: sizes.testOnAll ? identity(rows) : test };
  for (const [name, set] of Object.entries({ train, validation })) {
    if (set.length > 0 || wanted[name as 'train' | 'validation'] === 0) continue;
    throw new AuspexError('SPLIT_GROUPS', `no group of rows fits into the ${name} set`, {
      hint: `there are ${groups.count} groups of ${rows} rows; ask for a larger set, or group by another column`,
    });
  }
  return { by: 'random', seed: sizes.seed, ...sets, testOnAll: sizes.testOnAll ?? false };
}

/** `foldSplits`, groups staying together: folds end where groups do. */
export function groupedFolds(groups: Groups, folds: number, options: FoldOptions): Split[] {
  const rows = groups.of.length;
  if (groups.count === rows) return foldSplits(rows, folds, options);
  if (folds > groups.count) {
    throw new AuspexError('SPLIT_SIZE', `${groups.count} groups of rows cannot be split into ${folds} folds`);
  }
  const order = together(shuffled(identity(rows), Random.seeded(options.seed)), groups);
  const parts = Array.from({ length: folds }, (): Uint32Array[] => []);
  let at = 0;
  for (const group of order) {
    parts[Math.floor((at * folds) / rows)]!.push(group);
    at += group.length;
  }
  const empty = parts.findIndex((part) => part.length === 0);
  if (empty >= 0) {
    throw new AuspexError('SPLIT_GROUPS', `fold ${empty + 1} of ${folds} stays empty`, {
      hint: `some of the ${groups.count} groups of rows are too large; ask for fewer folds`,
    });
  }
  return parts.map((test, i) => {
    const others = [...parts.slice(i + 1), ...parts.slice(0, i)].flat();
    let room = options.validation ?? 0;
    const isHeld = (group: Uint32Array): boolean => {
      if (group.length > room) return false;
      room -= group.length;
      return true;
    };
    const held = new Set(others.toReversed().filter(isHeld));
    return {
      by: 'fold',
      seed: options.seed,
      train: flat(others.filter((group) => !held.has(group))),
      validation: flat(others.filter((group) => held.has(group))),
      test: flat(test),
      testOnAll: false,
    };
  });
}

/**
 * A split without rows that have a double in an earlier set: training stays as it is, validation and test lose them.
 * For splits whose rows are given by a protocol.
 */
export function withoutDoubles(split: Split, groups: Groups): { split: Split; dropped: number } {
  if (split.testOnAll) return { split, dropped: 0 };
  const seen = new Set<number>();
  const kept = (set: Uint32Array): Uint32Array => {
    const rows = set.filter((row) => !seen.has(groups.of[row]!));
    for (const row of set) seen.add(groups.of[row]!);
    return rows;
  };
  const sets = { train: kept(split.train), validation: kept(split.validation), test: kept(split.test) };
  const count = (of: Pick<Split, 'train' | 'validation' | 'test'>): number =>
    of.train.length + of.validation.length + of.test.length;
  return { split: { ...split, ...sets }, dropped: count(split) - count(sets) };
}

/** Groups of rows, in the order in which the first of each comes. */
function together(order: Uint32Array, groups: Groups): Uint32Array[] {
  const found = new Map<number, number[]>();
  for (const row of order) {
    const group = found.get(groups.of[row]!);
    if (group) group.push(row);
    else found.set(groups.of[row]!, [row]);
  }
  return Array.from(found.values(), (rows) => Uint32Array.from(rows));
}

function flat(groups: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(groups.reduce((sum, group) => sum + group.length, 0));
  let at = 0;
  for (const group of groups) {
    all.set(group, at);
    at += group.length;
  }
  return all;
}

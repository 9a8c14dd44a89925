// Which rows a predictor is trained, chosen and tested on. The three sets are disjoint, unless the papers' own protocol
// is asked for, which tests on all rows. The same seed gives the same split on every machine.
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';

export interface Split {
  /** How it was made: `first`, `random`, `size`, `family`, `fold`. */
  readonly by: string;
  /** The seed it was made with; undefined where chance had no part. */
  readonly seed: number | undefined;
  /** Indices of rows, in the order in which they were drawn. */
  readonly train: Uint32Array;
  readonly validation: Uint32Array;
  readonly test: Uint32Array;
  /** The test set is all rows, those of training and validation among them. */
  readonly testOnAll: boolean;
}

/** How many rows the sets get. */
export interface Sizes {
  readonly train: number;
  /** None unless told. */
  readonly validation?: number | undefined;
  /** All that are left unless told. */
  readonly test?: number | undefined;
  /** Tests on all rows, as the papers on NAS-Bench-101 and 201 do. */
  readonly testOnAll?: boolean | undefined;
}

export interface SeededSizes extends Sizes {
  readonly seed: number;
}

/** The first rows train, the next ones validate, the rest tests: "the first N" of NAR-Former and NN-Former. */
export function firstSplit(rows: number, sizes: Sizes): Split {
  return cut('first', undefined, identity(rows), sizes);
}

/** Every row is equally likely to be anywhere. */
export function randomSplit(rows: number, sizes: SeededSizes): Split {
  return cut('random', sizes.seed, shuffled(identity(rows), Random.seeded(sizes.seed)), sizes);
}

/**
 * A random split in which every size of architecture (such as its number of vertices) has the same share of each set as
 * of the table, as nearly as whole rows allow: small sizes are rare, and a random draw often misses them.
 *
 * @param sizeOf the size of each row
 */
export function sizeSplit(sizeOf: ArrayLike<number>, sizes: SeededSizes): Split {
  const random = Random.seeded(sizes.seed);
  const groups = groupsOf(sizeOf.length, (row) => sizeOf[row]!);
  const bySize = [...groups].sort(([a], [b]) => a - b).map(([, rows]) => shuffled(rows, random));
  const { train, validation, test } = checked(sizeOf.length, sizes);
  const at = bySize.map(() => 0);
  const draw = (count: number): Uint32Array => {
    const left = bySize.map((rows, i) => rows.length - at[i]!);
    const drawn = shares(left, count).flatMap((share, i) => {
      at[i]! += share;
      return [...bySize[i]!.subarray(at[i]! - share, at[i])];
    });
    return shuffled(Uint32Array.from(drawn), random);
  };
  const sets = { train: draw(train), validation: draw(validation), test: draw(test) };
  return finished('size', sizes.seed, sizeOf.length, sets, sizes);
}

/** Sizes of the sets when one family is left out: its rows are the test set. */
export interface FamilySizes {
  readonly seed: number;
  /** All rows of other families unless told. */
  readonly train?: number | undefined;
  readonly validation?: number | undefined;
}

/** Tests on all rows of one family, trains on others: how a predictor does on what it has never seen. */
export function familySplit(familyOf: readonly string[], family: string, sizes: FamilySizes): Split {
  const groups = groupsOf(familyOf.length, (row) => familyOf[row]!);
  const test = groups.get(family);
  if (test === undefined) {
    throw new AuspexError('SPLIT_FAMILY', `no row belongs to the family '${family}'`, {
      hint: `choose one of ${[...groups.keys()].slice(0, 20).join(', ')}`,
    });
  }
  const others = identity(familyOf.length).filter((row) => familyOf[row] !== family);
  const order = shuffled(others, Random.seeded(sizes.seed));
  const validation = sizes.validation ?? 0;
  const train = sizes.train ?? order.length - validation;
  const sets = checked(order.length, { train, validation, test: 0 });
  return {
    by: 'family',
    seed: sizes.seed,
    train: order.slice(0, sets.train),
    validation: order.slice(sets.train, sets.train + sets.validation),
    test,
    testOnAll: false,
  };
}

/** Every family left out once, in order of their names. */
export function familySplits(familyOf: readonly string[], sizes: FamilySizes): Map<string, Split> {
  const families = [...new Set(familyOf)].sort();
  return new Map(families.map((family) => [family, familySplit(familyOf, family, sizes)]));
}

/** k splits of shuffled rows; every row is tested in exactly one. */
export function foldSplits(rows: number, folds: number, { seed, validation = 0 }: FoldOptions): Split[] {
  if (!Number.isInteger(folds) || folds < 2 || folds > rows) {
    throw new AuspexError('SPLIT_SIZE', `${rows} rows cannot be split into ${folds} folds`, {
      hint: 'give at least 2 folds, and at most one per row',
    });
  }
  const order = shuffled(identity(rows), Random.seeded(seed));
  return Array.from({ length: folds }, (_, i) => {
    const from = Math.floor((i * rows) / folds);
    const to = Math.floor(((i + 1) * rows) / folds);
    const others = Uint32Array.from([...order.subarray(to), ...order.subarray(0, from)]);
    const sets = checked(others.length, { train: others.length - validation, validation, test: 0 });
    return {
      by: 'fold',
      seed,
      train: others.slice(0, sets.train),
      validation: others.slice(sets.train),
      test: order.slice(from, to),
      testOnAll: false,
    };
  });
}

export interface FoldOptions {
  readonly seed: number;
  /** Rows of those not tested that validate. */
  readonly validation?: number | undefined;
}

/** Cuts an order of rows into the three sets. */
function cut(by: string, seed: number | undefined, order: Uint32Array, sizes: Sizes): Split {
  const { train, validation, test } = checked(order.length, sizes);
  const sets = {
    train: order.slice(0, train),
    validation: order.slice(train, train + validation),
    test: order.slice(train + validation, train + validation + test),
  };
  return finished(by, seed, order.length, sets, sizes);
}

function finished(
  by: string,
  seed: number | undefined,
  rows: number,
  sets: Pick<Split, 'train' | 'validation' | 'test'>,
  { testOnAll = false }: Sizes,
): Split {
  return { by, seed, ...sets, ...(testOnAll ? { test: identity(rows) } : {}), testOnAll };
}

/** The sizes with their defaults, if they fit. */
export function checked(
  rows: number,
  { train, validation = 0, test, testOnAll = false }: Sizes,
): Required<ThreeSizes> {
  for (const [name, size] of Object.entries({ train, validation, test: test ?? 0 })) {
    if (!Number.isInteger(size) || size < 0) {
      throw new AuspexError('SPLIT_SIZE', `${name} cannot be ${size} rows`, { hint: 'give a whole number' });
    }
  }
  const rest = testOnAll ? 0 : (test ?? Math.max(0, rows - train - validation));
  if (train + validation + rest > rows) {
    const wanted = `${train} for training, ${validation} for validation${test === undefined ? '' : `, ${test} for test`}`;
    throw new AuspexError('SPLIT_SIZE', `the table has ${rows} rows, but the split needs ${wanted}`);
  }
  return { train, validation, test: rest };
}

interface ThreeSizes {
  train: number;
  validation: number;
  test: number;
}

export function identity(rows: number): Uint32Array {
  return Uint32Array.from({ length: rows }, (_, i) => i);
}

/** Fisher & Yates, in place. */
export function shuffled(rows: Uint32Array, random: Random): Uint32Array {
  for (let i = rows.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [rows[i], rows[j]] = [rows[j]!, rows[i]!];
  }
  return rows;
}

function groupsOf<K>(rows: number, keyOf: (row: number) => K): Map<K, Uint32Array> {
  const groups = new Map<K, number[]>();
  for (let row = 0; row < rows; row++) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return new Map([...groups].map(([key, group]) => [key, Uint32Array.from(group)]));
}

/** Shares of a count in proportion to what is there; the largest remainders get what rounding leaves. */
function shares(there: readonly number[], count: number): number[] {
  const all = there.reduce((sum, n) => sum + n, 0);
  const exact = there.map((n) => (all === 0 ? 0 : (count * n) / all));
  const out = exact.map(Math.floor);
  const byRemainder = exact
    .map((share, i) => [share - out[i]!, i] as const)
    .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  let left = count - out.reduce((sum, n) => sum + n, 0);
  for (const [, i] of byRemainder) {
    if (left === 0) break;
    out[i]!++;
    left--;
  }
  return out;
}

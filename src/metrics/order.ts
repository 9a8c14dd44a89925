// Order and ranks of numbers, on typed arrays: many times faster than `sort` with a comparator. Values are finite;
// 0 and −0 are equal.

/** Ranges up to this length are sorted by insertion. */
const RUN = 16;

const MAX_BUCKETS = 2 ** 20;

interface Ordered {
  /** Indices from the smallest value to the largest; equal values stay in the order they have. (n) */
  readonly order: Uint32Array;
  /** The values in that order. (n) */
  readonly sorted: Float64Array;
}

/**
 * A stable sort: values are dealt into buckets of equal width, then each bucket is merge-sorted. Linear in n for values
 * that are spread out, O(n log n) whatever they are.
 */
export function ascending(values: Float64Array): Ordered {
  const n = values.length;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    const value = values[i]!;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const buckets = 2 ** Math.floor(Math.log2(Math.min(Math.max(n / 4, 1), MAX_BUCKETS)));
  // Where the span is zero or too large for a float64, products are NaN, and all values go to bucket 0.
  const scale = (buckets - 1) / (most - least);
  const ends = new Uint32Array(buckets);
  for (let i = 0; i < n; i++) ends[((values[i]! - least) * scale) | 0]!++;
  for (let b = 0, start = 0; b < buckets; b++) {
    const size = ends[b]!;
    ends[b] = start;
    start += size;
  }
  const sorted = new Float64Array(n);
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const value = values[i]!;
    const to = ends[((value - least) * scale) | 0]!++;
    sorted[to] = value;
    order[to] = i;
  }
  let scratch: Ordered | undefined;
  for (let b = 0, low = 0; b < buckets; b++) {
    const high = ends[b]!;
    if (high - low <= RUN) {
      insertionSort(sorted, order, low, high);
    } else {
      scratch ??= { order: new Uint32Array((n >> 1) + 1), sorted: new Float64Array((n >> 1) + 1) };
      mergeSort(sorted, order, low, high, scratch);
    }
    low = high;
  }
  return { order, sorted };
}

function mergeSort(
  sorted: Float64Array,
  order: Uint32Array,
  low: number,
  high: number,
  scratch: Ordered,
): void {
  if (high - low <= RUN) return insertionSort(sorted, order, low, high);
  const middle = low + ((high - low) >> 1);
  mergeSort(sorted, order, low, middle, scratch);
  mergeSort(sorted, order, middle, high, scratch);
  if (sorted[middle - 1]! <= sorted[middle]!) return;
  const left = middle - low;
  for (let i = 0; i < left; i++) {
    scratch.sorted[i] = sorted[low + i]!;
    scratch.order[i] = order[low + i]!;
  }
  for (let to = low, i = 0, j = middle; i < left; to++) {
    if (j < high && sorted[j]! < scratch.sorted[i]!) {
      sorted[to] = sorted[j]!;
      order[to] = order[j++]!;
    } else {
      sorted[to] = scratch.sorted[i]!;
      order[to] = scratch.order[i++]!;
    }
  }
}

function insertionSort(sorted: Float64Array, order: Uint32Array, low: number, high: number): void {
  for (let i = low + 1; i < high; i++) {
    const value = sorted[i]!;
    const index = order[i]!;
    let j = i;
    for (; j > low && sorted[j - 1]! > value; j--) {
      sorted[j] = sorted[j - 1]!;
      order[j] = order[j - 1]!;
    }
    sorted[j] = value;
    order[j] = index;
  }
}

/** Ranks from 0 of values in ascending order: equal values have one rank, and the next the next. (n) */
export function denseRanks(sorted: Float64Array): Uint32Array {
  const ranks = new Uint32Array(sorted.length);
  for (let i = 1; i < sorted.length; i++) ranks[i] = ranks[i - 1]! + Number(sorted[i] !== sorted[i - 1]);
  return ranks;
}

/** Ranks of values from 1 to n: equal values share the average of the ranks they take up. (n) */
export function averageRanks(values: Float64Array): Float64Array {
  const { order, sorted } = ascending(values);
  const ranks = new Float64Array(values.length);
  for (let start = 0, end = 0; start < order.length; start = end) {
    end = endOfTie(sorted, start);
    for (let i = start; i < end; i++) ranks[order[i]!] = (start + 1 + end) / 2;
  }
  return ranks;
}

/** Where values in ascending order that equal the one at `start` end. */
export function endOfTie(sorted: Float64Array, start: number): number {
  let end = start + 1;
  while (end < sorted.length && sorted[end] === sorted[start]) end++;
  return end;
}

/** Counts ranks as they come, and tells how many are at most a rank, each in O(log n): Fenwick 1994. */
export class RankCounter {
  readonly #tree: Uint32Array;

  /** @param ranks they go from 0 to this less 1. */
  constructor(ranks: number) {
    this.#tree = new Uint32Array(ranks + 1);
  }

  add(rank: number): void {
    const tree = this.#tree;
    for (let i = rank + 1; i < tree.length; i += i & -i) tree[i]!++;
  }

  atMost(rank: number): number {
    const tree = this.#tree;
    let count = 0;
    for (let i = rank + 1; i > 0; i &= i - 1) count += tree[i]!;
    return count;
  }
}

// Merge sort with a model as comparator. Comparisons are asked for in large batches: of all merges of a level, every element
// of a first run looks for its place in the second one by bisection, all at the same time. So n elements take about
// ½·log²(n) calls, not n·log(n): 105 for 10,000.

/** Logits of whether the first of each pair is better. A logit of 0 is a tie. */
export type ComparePairs = (first: Uint32Array, second: Uint32Array) => Promise<ArrayLike<number>>;

/**
 * The elements 0 … n − 1 from the worst to the best. Ties keep their order: the lower number comes first.
 *
 * Where preferences contradict each other (a before b before c before a) there is no order that agrees with all of them.
 * Then the result agrees with the comparisons that were made, as far as a merge allows: runs stay in their order, and an
 * element of the first run is never put before one that precedes it there. It depends on the numbers of the elements, but not
 * on chance.
 */
export async function mergeOrder(count: number, compare: ComparePairs): Promise<Uint32Array> {
  let order = Uint32Array.from({ length: count }, (_, i) => i);
  for (let size = 1; size < count; size *= 2) order = await mergedLevel(order, size, compare);
  return order;
}

/** Runs of a size merged in twos. */
async function mergedLevel(
  order: Uint32Array<ArrayBuffer>,
  size: number,
  compare: ComparePairs,
): Promise<Uint32Array<ArrayBuffer>> {
  const { length } = order;
  // Of each element of a first run, the part of the second run in which its place is looked for.
  const [low, high] = [new Uint32Array(length), new Uint32Array(length)];
  let open: number[] = [];
  for (let start = 0; start + size < length; start += 2 * size) {
    const end = Math.min(start + 2 * size, length);
    for (let i = start; i < start + size; i++) {
      [low[i], high[i]] = [start + size, end];
      open.push(i);
    }
  }
  while (open.length > 0) {
    const middles = Uint32Array.from(open, (i) => (low[i]! + high[i]!) >>> 1);
    const logits = await compare(
      Uint32Array.from(open, (i) => order[i]!),
      middles.map((middle) => order[middle]!),
    );
    // Better than the middle: its place is behind it. Of a tie, the first run comes first.
    open.forEach((i, at) => {
      if (logits[at]! > 0) low[i] = middles[at]! + 1;
      else high[i] = middles[at]!;
    });
    open = open.filter((i) => low[i]! < high[i]!);
  }
  const next = order.slice();
  for (let start = 0; start + size < length; start += 2 * size) {
    const end = Math.min(start + 2 * size, length);
    let [place, second] = [start, start + size];
    for (let i = start; i < start + size; i++) {
      while (second < low[i]!) next[place++] = order[second++]!;
      next[place++] = order[i]!;
    }
    while (second < end) next[place++] = order[second++]!;
  }
  return next;
}

// Numbers in bins: few places to split at, and a byte for each number.

export interface Bins {
  readonly features: number;
  /** (rows, features): the bin of every number. */
  readonly places: Uint8Array;
  /** Of every feature the edges between its bins, ascending; a number lies left of an edge that it is at most. */
  readonly edges: readonly Float64Array[];
  /** Where the bins of a feature begin in a list of all, and how many there are. */
  readonly starts: readonly number[];
  readonly total: number;
}

const MOST_BINS = 255;

export function binned(rows: readonly ArrayLike<number>[]): Bins {
  const features = rows[0]?.length ?? 0;
  const places = new Uint8Array(rows.length * features);
  const edges: Float64Array[] = [];
  const starts: number[] = [];
  let total = 0;
  for (let f = 0; f < features; f++) {
    const own = edgesOf(Float64Array.from(rows, (row) => row[f]!).sort());
    edges.push(own);
    starts.push(total);
    total += own.length + 1;
    for (const [i, row] of rows.entries()) places[i * features + f] = binOf(row[f]!, own);
  }
  return { features, places, edges, starts, total };
}

/** Between neighbouring values; of many values, so that bins hold equally many rows. */
function edgesOf(sorted: Float64Array): Float64Array {
  const middles: number[] = [];
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i]! > sorted[i - 1]!) middles.push((sorted[i]! + sorted[i - 1]!) / 2);
  }
  if (middles.length < MOST_BINS) return Float64Array.from(middles);
  const chosen = new Set<number>();
  for (let bin = 1; bin < MOST_BINS; bin++) {
    const at = Math.floor((bin * sorted.length) / MOST_BINS);
    let next = at;
    while (next < sorted.length && sorted[next] === sorted[at - 1]) next++;
    if (next < sorted.length) chosen.add((sorted[next]! + sorted[next - 1]!) / 2);
  }
  return Float64Array.from(chosen).sort();
}

function binOf(x: number, edges: Float64Array): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x <= edges[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}

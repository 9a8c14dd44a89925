// Encoded networks in batches: rows of one bucket together, in random order to train on, in order to predict.
import type { Batch } from '../nn/trainer.js';
import type { Random } from '../util/random.js';
import type { GraphSet } from './views/view.js';

/** Rows that fit into the same batches. */
interface Bucket {
  readonly rows: readonly number[];
  /** That a batch may have. */
  readonly most: number;
}

export function bucketsOf(graphs: GraphSet): Bucket[] {
  const buckets = new Map<number, number[]>();
  for (let row = 0; row < graphs.count; row++) {
    const bucket = graphs.bucketOf?.(row) ?? 0;
    const rows = buckets.get(bucket) ?? [];
    rows.push(row);
    buckets.set(bucket, rows);
  }
  return [...buckets.entries()]
    .sort(([a], [b]) => a - b)
    .map(([bucket, rows]) => ({ rows, most: graphs.mostOf?.(bucket) ?? Number.POSITIVE_INFINITY }));
}

/**
 * The rows of the batches of an epoch, in random order. Rows that do not fill one are left to another epoch, which has
 * another order; a bucket of fewer rows than a batch has smaller ones.
 */
export function drawnBatches(buckets: readonly Bucket[], batch: number, random: Random): number[][] {
  const chosen: number[][] = [];
  for (const { rows, most } of buckets) {
    const order = shuffled(rows, random);
    const size = Math.min(batch, order.length, most);
    for (let start = 0; start + size <= order.length; start += size)
      chosen.push(order.slice(start, start + size));
  }
  return shuffled(chosen, random);
}

/** Two batches, one behind the other. */
export function stacked(a: Batch, b: Batch): Batch {
  return Object.fromEntries(
    Object.entries(a).map(([name, { type, dims, data }]) => {
      const both = new Float32Array(2 * data.length);
      both.set(data as Float32Array);
      both.set(b[name]!.data as Float32Array, data.length);
      return [name, { type, dims: [2 * dims[0]!, ...dims.slice(1)], data: both }];
    }),
  );
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** Graphs at once: fewer leave threads waiting for each other, more do not stay in the cache. */
const CHUNK = 256;
/**
 * With one thread, fewer are as fast. Lists of many lengths then have most batches of one shape: memory for a shape that
 * is new costs as much as the batch.
 */
export const ALONE_CHUNK = 64;

/** Puts out (batch, width) for a batch. */
export type RunBatch = (batch: Batch) => Promise<Float32Array>;

/**
 * What a model puts out for all graphs, row by row.
 *
 * @param lanes what batches are run by, each one at a time
 * @param isFilled batches of a bucket have one size, the last being filled up: a training compiles each size
 * @param chunk most graphs of a batch
 */
export async function predictAll(
  graphs: GraphSet,
  width: number,
  lanes: readonly RunBatch[],
  { isFilled = false, chunk = CHUNK } = {},
): Promise<Float64Array> {
  const values = new Float64Array(graphs.count * width);
  const parts = partsOf(graphs, chunk);
  const work = async (run: RunBatch): Promise<void> => {
    for (const { rows, size } of parts) {
      const filled = isFilled ? [...rows, ...new Array(size - rows.length).fill(rows[0])] : rows;
      const found = await run(graphs.batch(filled));
      rows.forEach((row, b) => {
        for (let i = 0; i < width; i++) values[row * width + i] = found[b * width + i]!;
      });
    }
  };
  // One generator for all: whoever is ready takes the next part.
  await Promise.all(lanes.map(work));
  return values;
}

function* partsOf(
  graphs: GraphSet,
  chunk: number,
): Generator<{ readonly rows: readonly number[]; readonly size: number }> {
  for (const { rows, most } of bucketsOf(graphs)) {
    const size = Math.min(chunk, most, rows.length);
    for (let start = 0; start < rows.length; start += size)
      yield { rows: rows.slice(start, start + size), size };
  }
}

/** The rows that differ, and for every row the place of the one that is like it. */
export function distinctRows(graphs: GraphSet): { readonly set: GraphSet; readonly places: Uint32Array } {
  if (graphs.keyOf === undefined) {
    return { set: graphs, places: Uint32Array.from({ length: graphs.count }, (_, row) => row) };
  }
  const known = new Map<string, number>();
  const firsts: number[] = [];
  const places = Uint32Array.from({ length: graphs.count }, (_, row) => {
    const key = graphs.keyOf!(row);
    const place = known.get(key) ?? firsts.push(row) - 1;
    known.set(key, place);
    return place;
  });
  const set: GraphSet = {
    count: firsts.length,
    batch: (rows) => graphs.batch(rows.map((row) => firsts[row]!)),
    bucketOf: (row) => graphs.bucketOf?.(firsts[row]!) ?? 0,
    mostOf: (bucket) => graphs.mostOf?.(bucket) ?? Number.POSITIVE_INFINITY,
  };
  return { set, places };
}

// Whole networks as they are put into batches: those of a batch have about the same number of nodes, and are padded to it.
import type { Batch } from '../../../nn/batch.js';
import type { GraphSet } from '../view.js';
import { EncodedNetworks, type Encoding } from './encodings.js';
import type { NetworkGraph } from './network-graph.js';

/** Sizes are multiples of this, of large networks of an eighth of the power of two below them. */
const STEP = 16;
/** Entries of the adjacency matrices of a batch: attention keeps several times as many numbers. */
const MOST_PAIRS = 2 ** 21;

/** To how many nodes a network is padded. */
export function paddedSize(nodes: number): number {
  const step = Math.max(STEP, 2 ** (Math.floor(Math.log2(nodes)) - 3));
  return Math.ceil(nodes / step) * step;
}

export class NetworkSet implements GraphSet {
  readonly count: number;
  readonly #networks: EncodedNetworks;
  /** By row. */
  readonly #sizes: readonly number[];

  constructor(networks: Iterable<NetworkGraph> | NetworkSet, encoding: Encoding, sizes?: readonly number[]) {
    this.#networks =
      networks instanceof NetworkSet ? networks.#networks : new EncodedNetworks(networks, encoding);
    this.count = this.#networks.count;
    this.#sizes =
      sizes ?? Array.from({ length: this.count }, (_, row) => paddedSize(this.#networks.size(row)));
  }

  bucketOf(row: number): number {
    return this.#sizes[row]!;
  }

  mostOf(bucket: number): number {
    return Math.max(1, Math.floor(MOST_PAIRS / bucket ** 2));
  }

  /**
   * Networks of smaller buckets are padded further, to the size of the next. Each bucket is compiled by itself, and a
   * small one would have few rows to compare in a batch.
   */
  merged(least: number): NetworkSet {
    const merged = mergedSizes(this.#sizes, least);
    const sizes = this.#sizes.map((size) => merged.get(size)!);
    return new NetworkSet(this, this.#networks.encoding, sizes);
  }

  /** See `EncodedNetworks.outline`. */
  outline(row: number): Float64Array {
    return this.#networks.outline(row);
  }

  batch(rows: readonly number[]): Batch {
    return this.#networks.batch(rows, { nodes: Math.max(1, ...rows.map((row) => this.bucketOf(row))) });
  }
}

/** Of every size, the one that it is made, so that at least so many rows have it. */
function mergedSizes(sizes: readonly number[], least: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const size of sizes) counts.set(size, (counts.get(size) ?? 0) + 1);
  const groups: number[][] = [];
  let rows = 0;
  let group: number[] = [];
  for (const [size, count] of [...counts].sort(([a], [b]) => a - b)) {
    group.push(size);
    rows += count;
    if (rows < least) continue;
    groups.push(group);
    [group, rows] = [[], 0];
  }
  // What is left at the end takes those before it along.
  if (group.length > 0) groups.push([...(groups.pop() ?? []), ...group]);
  return new Map(groups.flatMap((g) => g.map((size) => [size, g.at(-1)!] as const)));
}

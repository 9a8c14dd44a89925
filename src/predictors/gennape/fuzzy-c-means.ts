// Fuzzy C-means (Bezdek 1981): soft clusters, in which every row is a member of all of them to some degree.
import { Random } from '../../util/random.js';

/** Centroids and the exponent of memberships: all that is needed to tell the memberships of new rows. */
export interface Clusters {
  readonly count: number;
  readonly width: number;
  /** m: 1 would be hard clusters; the larger, the more alike the memberships are. */
  readonly fuzzifier: number;
  /** (count, width), row by row. */
  readonly centroids: Float64Array;
}

export interface FuzzyOptions {
  readonly clusters: number;
  readonly fuzzifier: number;
  readonly seed?: number;
  /** Centroids to begin with, (clusters, width). Default: different rows, drawn by the seed. */
  readonly start?: Float64Array;
  readonly iterations?: number;
  /** Ends where no membership changes by more. */
  readonly tolerance?: number;
}

export interface FuzzyFit extends Clusters {
  /** (rows, count): of the last iteration. */
  readonly memberships: Float64Array;
  readonly iterations: number;
  readonly isConverged: boolean;
}

const DEFAULTS = { seed: 0, iterations: 10_000, tolerance: 1e-9 };

/**
 * Alternates memberships U_ik = 1 / Σ_j (d_ik²/d_ij²)^(1/(m−1)) and centroids v_k = Σ_i U_ik^m·x_i / Σ_i U_ik^m until
 * memberships stand still. A row that lies on centroids is a member of these alone. Yields the iterations that are done, so
 * that others have their turn.
 *
 * @param rows (n, width), row by row; at least as many as clusters
 */
export function* fuzzyCMeans(
  rows: Float64Array,
  width: number,
  options: FuzzyOptions,
): Generator<number, FuzzyFit> {
  const { clusters: count, fuzzifier, seed, start, iterations, tolerance } = { ...DEFAULTS, ...options };
  const n = rows.length / width;
  if (!(fuzzifier > 1) || count < 1 || n < count) {
    throw new RangeError(`${count} clusters of ${n} rows with m = ${fuzzifier}`);
  }
  let clusters: Clusters = {
    count,
    width,
    fuzzifier,
    centroids: start?.slice() ?? startingRows(rows, width, count, seed),
  };
  let memberships = membershipsOf(rows, clusters);
  for (let iteration = 1; iteration <= iterations; iteration++) {
    clusters = { ...clusters, centroids: centroidsOf(rows, memberships, clusters) };
    const next = membershipsOf(rows, clusters);
    const change = next.reduce((most, u, i) => Math.max(most, Math.abs(u - memberships[i]!)), 0);
    memberships = next;
    if (change <= tolerance) return { ...clusters, memberships, iterations: iteration, isConverged: true };
    yield iteration;
  }
  return { ...clusters, memberships, iterations, isConverged: false };
}

/** Rows that differ, where there are enough of them. */
function startingRows(rows: Float64Array, width: number, count: number, seed: number): Float64Array {
  const n = rows.length / width;
  const order = Random.seeded(seed).sample(n, n);
  const rowOf = (row: number): Float64Array => rows.subarray(row * width, (row + 1) * width);
  const seen = new Set<string>();
  const [different, equal]: [number[], number[]] = [[], []];
  for (const row of order) {
    if (different.length === count) break;
    const key = rowOf(row).join();
    (seen.has(key) ? equal : different).push(row);
    seen.add(key);
  }
  const centroids = new Float64Array(count * width);
  [...different, ...equal].slice(0, count).forEach((row, k) => void centroids.set(rowOf(row), k * width));
  return centroids;
}

/** Memberships of rows in clusters that stay as they are: (n, count). */
export function membershipsOf(rows: Float64Array, clusters: Clusters): Float64Array {
  const { count, width, fuzzifier, centroids } = clusters;
  const n = rows.length / width;
  const exponent = 1 / (fuzzifier - 1);
  const memberships = new Float64Array(n * count);
  const squares = new Float64Array(count);
  for (let i = 0; i < n; i++) {
    let least = Number.POSITIVE_INFINITY;
    for (let k = 0; k < count; k++) {
      let square = 0;
      for (let f = 0; f < width; f++) square += (rows[i * width + f]! - centroids[k * width + f]!) ** 2;
      squares[k] = square;
      least = Math.min(least, square);
    }
    let sum = 0;
    for (let k = 0; k < count; k++) {
      // Relative to the nearest, so that nothing overflows; on a centroid only those count that are as near.
      const u = least === 0 ? Number(squares[k] === 0) : (least / squares[k]!) ** exponent;
      memberships[i * count + k] = u;
      sum += u;
    }
    for (let k = 0; k < count; k++) memberships[i * count + k]! /= sum;
  }
  return memberships;
}

function centroidsOf(rows: Float64Array, memberships: Float64Array, clusters: Clusters): Float64Array {
  const { count, width, fuzzifier, centroids: before } = clusters;
  const n = rows.length / width;
  const centroids = new Float64Array(count * width);
  const weights = new Float64Array(count);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < count; k++) {
      const weight = memberships[i * count + k]! ** fuzzifier;
      weights[k]! += weight;
      for (let f = 0; f < width; f++) centroids[k * width + f]! += weight * rows[i * width + f]!;
    }
  }
  // A cluster without members, where all rows lie on other centroids, stays where it is.
  return centroids.map((sum, i) => {
    const weight = weights[Math.floor(i / width)]!;
    return weight > 0 ? sum / weight : before[i]!;
  });
}

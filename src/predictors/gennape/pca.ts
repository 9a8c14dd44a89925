// Principal components (Pearson 1901): directions of the most variance, orthogonal to each other.
import { symmetricEigen } from '../symmetric-eigen.js';

export interface Components {
  readonly width: number;
  readonly count: number;
  readonly means: Float64Array;
  /**
   * (count, width): unit vectors by descending variance. The sign of a vector is free: the element of largest absolute
   * value, the first of several, is positive.
   */
  readonly vectors: Float64Array;
  /** Along each vector, divided by n − 1. */
  readonly variances: Float64Array;
}

/**
 * The principal components of rows.
 *
 * @param rows (n, width), row by row; at least two
 * @param count at most; not more than the width
 */
export function principalComponents(rows: Float64Array, width: number, count: number): Components {
  const n = rows.length / width;
  if (n < 2) throw new RangeError(`${n} rows have no principal components`);
  const means = new Float64Array(width);
  for (let i = 0; i < rows.length; i++) means[i % width]! += rows[i]! / n;
  const covariance = Array.from({ length: width }, () => new Array<number>(width).fill(0));
  const off = new Float64Array(width);
  for (let row = 0; row < n; row++) {
    for (let f = 0; f < width; f++) off[f] = rows[row * width + f]! - means[f]!;
    for (let f = 0; f < width; f++) {
      const line = covariance[f]!;
      for (let g = 0; g <= f; g++) line[g]! += (off[f]! * off[g]!) / (n - 1);
    }
  }
  for (let f = 0; f < width; f++) for (let g = 0; g < f; g++) covariance[g]![f] = covariance[f]![g]!;
  const { values, vectors: columns } = symmetricEigen(covariance);
  const order = values.map((_, k) => k).sort((a, b) => values[b]! - values[a]!);
  const kept = order.slice(0, Math.min(count, width));
  const vectors = kept.flatMap((k) => signed(columns.map((row) => row[k]!)));
  return {
    width,
    count: kept.length,
    means,
    vectors: Float64Array.from(vectors),
    variances: Float64Array.from(kept, (k) => Math.max(0, values[k]!)),
  };
}

function signed(vector: readonly number[]): number[] {
  const most = vector.reduce((best, x) => (Math.abs(x) > Math.abs(best) + 1e-12 ? x : best), 0);
  return most < 0 ? vector.map((x) => -x) : [...vector];
}

/** Rows in the coordinates of components: (n, count). */
export function projected(rows: Float64Array, { width, count, means, vectors }: Components): Float64Array {
  const n = rows.length / width;
  const found = new Float64Array(n * count);
  for (let row = 0; row < n; row++) {
    for (let k = 0; k < count; k++) {
      let sum = 0;
      for (let f = 0; f < width; f++) sum += (rows[row * width + f]! - means[f]!) * vectors[k * width + f]!;
      found[row * count + k] = sum;
    }
  }
  return found;
}

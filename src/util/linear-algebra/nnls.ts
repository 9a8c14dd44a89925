// Non-negative least squares (Lawson and Hanson 1974): the x ≥ 0 that makes |A·x − b| least. For few unknowns: it solves normal
// equations, of columns that are scaled to length 1.
import { solvedSystem } from './solve.js';

/**
 * @param rows of A, all as long as the result
 * @returns x
 */
export function nonNegativeLeastSquares(
  rows: readonly ArrayLike<number>[],
  targets: ArrayLike<number>,
): Float64Array {
  const n = rows[0]?.length ?? 0;
  const lengths = Float64Array.from({ length: n }, (_, j) =>
    Math.sqrt(rows.reduce((sum, row) => sum + row[j]! ** 2, 0)),
  );
  const scale = lengths.map((length) => (length > 0 ? 1 / length : 0));
  const gram = Array.from({ length: n }, () => new Float64Array(n));
  const right = new Float64Array(n);
  rows.forEach((row, i) => {
    for (let j = 0; j < n; j++) {
      const a = row[j]! * scale[j]!;
      right[j]! += a * targets[i]!;
      for (let k = 0; k < n; k++) gram[j]![k]! += a * row[k]! * scale[k]!;
    }
  });
  return solved(gram, right).map((x, j) => x * scale[j]!);
}

/** Columns that enter one by one, the one first that lowers the error fastest; those that would be negative leave again. */
function solved(gram: readonly Float64Array[], right: Float64Array): Float64Array {
  const n = right.length;
  const tolerance = 1e-10 * Math.max(...right.map(Math.abs), Number.MIN_VALUE);
  let x = new Float64Array(n);
  const isFree = new Array<boolean>(n).fill(false);
  for (let step = 0; step < 3 * n; step++) {
    let entering = -1;
    let steepest = tolerance;
    for (let j = 0; j < n; j++) {
      const slope = right[j]! - gram[j]!.reduce((sum, g, k) => sum + g * x[k]!, 0);
      if (!isFree[j] && slope > steepest) [entering, steepest] = [j, slope];
    }
    if (entering < 0) return x;
    isFree[entering] = true;
    for (;;) {
      const free = isFree.flatMap((is, j) => (is ? j : []));
      const found = new Float64Array(n);
      solvedSystem(free.map((j) => [...free.map((k) => gram[j]![k]!), right[j]!])).forEach((value, i) => {
        found[free[i]!] = value;
      });
      const negative = free.filter((j) => found[j]! <= 0);
      if (negative.length === 0) {
        x = found;
        break;
      }
      const part = Math.min(...negative.map((j) => x[j]! / (x[j]! - found[j]! || 1)));
      x = x.map((value, j) => value + part * (found[j]! - value));
      for (const j of negative) {
        if (x[j]! > 1e-14) continue;
        x[j] = 0;
        isFree[j] = false;
      }
    }
  }
  return x;
}

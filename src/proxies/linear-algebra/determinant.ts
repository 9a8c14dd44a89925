// Determinants of small matrices, as logarithms.

/**
 * ln|det A| by elimination with partial pivoting; −∞ for a singular matrix.
 *
 * @param matrix n × n, row by row.
 */
export function logDeterminant(matrix: ArrayLike<number>, n: number): number {
  const a = Float64Array.from(matrix);
  let sum = 0;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) {
      if (Math.abs(a[i * n + k]!) > Math.abs(a[pivot * n + k]!)) pivot = i;
    }
    const top = a[pivot * n + k]!;
    if (top === 0) return Number.NEGATIVE_INFINITY;
    if (pivot !== k) {
      const row = a.slice(k * n, (k + 1) * n);
      a.copyWithin(k * n, pivot * n, (pivot + 1) * n);
      a.set(row, pivot * n);
    }
    sum += Math.log(Math.abs(top));
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k]! / top;
      if (factor !== 0) for (let j = k; j < n; j++) a[i * n + j]! -= factor * a[k * n + j]!;
    }
  }
  return sum;
}

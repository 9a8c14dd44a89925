// Eigenvalues of small symmetric matrices by Jacobi's rotations (Golub & Van Loan 2013, section 8.5).

const SWEEPS = 100;

/**
 * Eigenvalues in no order.
 *
 * @param matrix n × n, row by row, symmetric.
 */
export function symmetricEigenvalues(matrix: ArrayLike<number>, n: number): Float64Array {
  const a = Float64Array.from(matrix);
  const at = (i: number, j: number): number => a[i * n + j]!;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let [off, all] = [0, 0];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const square = at(i, j) ** 2;
        all += square;
        if (i !== j) off += square;
      }
    }
    if (off <= 1e-30 * all) break;
    for (let p = 0; p < n - 1; p++) for (let q = p + 1; q < n; q++) rotate(a, n, p, q);
  }
  return Float64Array.from({ length: n }, (_, i) => at(i, i));
}

/** Makes a[p, q] zero. */
function rotate(a: Float64Array, n: number, p: number, q: number): void {
  const apq = a[p * n + q]!;
  if (apq === 0) return;
  const theta = (a[q * n + q]! - a[p * n + p]!) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(1, theta));
  const c = 1 / Math.hypot(1, t);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const [x, y] = [a[p * n + k]!, a[q * n + k]!];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
  }
  for (let k = 0; k < n; k++) {
    const [x, y] = [a[k * n + p]!, a[k * n + q]!];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
}

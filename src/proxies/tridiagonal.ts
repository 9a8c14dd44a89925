// Eigenvalues of larger symmetric matrices: Householder's reduction to three diagonals, then implicit QL steps on them
// (Golub & Van Loan 2013, sections 8.3.1 and 8.3.3). About 4/3·n³ multiplications, a small part of what Jacobi's
// rotations take.
import { AuspexError } from '../util/errors.js';

const STEPS = 60;

/**
 * Eigenvalues in no order.
 *
 * @param matrix n × n, row by row, symmetric.
 */
export function eigenvaluesOf(matrix: ArrayLike<number>, n: number): Float64Array {
  const { diagonal, off } = tridiagonal(Float64Array.from(matrix), n);
  // Rounding so far is of this size already; what is smaller may be noise that never vanishes beside zeros.
  const noise = Number.EPSILON * Math.max(...diagonal.map(Math.abs), ...off.map(Math.abs), 0);
  for (let low = 0; low < n; low++) {
    for (let step = 0; ; step++) {
      let end = low;
      for (; end < n - 1; end++) {
        const scale = Math.abs(diagonal[end]!) + Math.abs(diagonal[end + 1]!);
        if (Math.abs(off[end]!) <= Math.max(noise, Number.EPSILON * scale)) break;
      }
      if (end === low) break;
      if (step === STEPS) {
        throw new AuspexError('EIGENVALUES', `eigenvalues of a ${n} × ${n} matrix were not found`, {
          hint: 'its elements may be infinite or NaN',
        });
      }
      chase(diagonal, off, low, end);
    }
  }
  return diagonal;
}

/** One implicit QL step with Wilkinson's shift on rows `low` … `end`. */
function chase(d: Float64Array, e: Float64Array, low: number, end: number): void {
  const half = (d[low + 1]! - d[low]!) / (2 * e[low]!);
  let g = d[end]! - d[low]! + e[low]! / (half + (half >= 0 ? 1 : -1) * Math.hypot(half, 1));
  let [s, c, p] = [1, 1, 0];
  for (let i = end - 1; i >= low; i--) {
    const f = s * e[i]!;
    const b = c * e[i]!;
    const r = Math.hypot(f, g);
    e[i + 1] = r;
    if (r === 0) {
      d[i + 1]! -= p;
      e[end] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1]! - p;
    const t = (d[i]! - g) * s + 2 * c * b;
    p = s * t;
    d[i + 1] = g + p;
    g = c * t - b;
  }
  d[low]! -= p;
  e[low] = g;
  e[end] = 0;
}

/** The diagonal and the one beside it of QᵀAQ; the last element of `off` is unused. */
function tridiagonal(a: Float64Array, n: number): { diagonal: Float64Array; off: Float64Array } {
  const diagonal = new Float64Array(n);
  const off = new Float64Array(n);
  const v = new Float64Array(n);
  const w = new Float64Array(n);
  for (let k = 0; k < n - 1; k++) {
    diagonal[k] = a[k * n + k]!;
    let norm = 0;
    for (let i = k + 1; i < n; i++) norm = Math.hypot(norm, a[k * n + i]!);
    const first = a[k * n + k + 1]!;
    const alpha = first > 0 ? -norm : norm;
    off[k] = alpha;
    // A row that is zero but for its first element is reduced already.
    const beta = norm * (norm + Math.abs(first));
    if (beta === 0) continue;
    for (let i = k + 1; i < n; i++) v[i] = a[k * n + i]!;
    v[k + 1] = first - alpha;
    // A ← A − v·qᵀ − q·vᵀ, q = p − (pᵀv/2β)·v, p = A·v/β
    let inner = 0;
    for (let i = k + 1; i < n; i++) {
      let sum = 0;
      for (let j = k + 1; j < n; j++) sum += a[i * n + j]! * v[j]!;
      w[i] = sum / beta;
      inner += w[i]! * v[i]!;
    }
    const factor = inner / (2 * beta);
    for (let i = k + 1; i < n; i++) w[i]! -= factor * v[i]!;
    for (let i = k + 1; i < n; i++) {
      const [vi, wi] = [v[i]!, w[i]!];
      for (let j = k + 1; j < n; j++) a[i * n + j]! -= vi * w[j]! + wi * v[j]!;
    }
  }
  if (n > 0) diagonal[n - 1] = a[n * n - 1]!;
  return { diagonal, off };
}

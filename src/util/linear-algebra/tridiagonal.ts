// Eigenvalues of larger symmetric matrices: Householder's reduction to three diagonals, then implicit QL steps on them
// (Golub & Van Loan 2013, sections 8.3.1 and 8.3.3). About 4/3·n³ multiplications, a small part of what Jacobi's
// rotations take.
import { AuspexError } from '../errors.js';

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

/**
 * The diagonal and the one beside it of QᵀAQ; the last element of `off` is unused. From the last row upwards, and only the
 * lower half of A is read and kept: rows end at the diagonal.
 */
function tridiagonal(a: Float64Array, n: number): { diagonal: Float64Array; off: Float64Array } {
  const diagonal = new Float64Array(n);
  const off = new Float64Array(n);
  const w = new Float64Array(n);
  for (let k = n - 1; k > 0; k--) {
    diagonal[k] = a[k * n + k]!;
    const v = a.subarray(k * n, k * n + k);
    const norm = lengthOf(v);
    const last = v[k - 1]!;
    const alpha = last > 0 ? -norm : norm;
    off[k - 1] = alpha;
    // A row that is zero but for its last element is reduced already.
    const beta = norm * (norm + Math.abs(last));
    if (beta === 0) continue;
    v[k - 1] = last - alpha;
    // A ← A − v·qᵀ − q·vᵀ, q = p − (pᵀv/2β)·v, p = A·v/β
    symmetricProduct(a, n, v, w);
    let inner = 0;
    for (let i = 0; i < k; i++) {
      w[i]! /= beta;
      inner += w[i]! * v[i]!;
    }
    const factor = inner / (2 * beta);
    for (let i = 0; i < k; i++) w[i]! -= factor * v[i]!;
    for (let i = 0; i < k; i++) {
      const row = i * n;
      const vi = v[i]!;
      const wi = w[i]!;
      for (let j = 0; j <= i; j++) a[row + j]! -= vi * w[j]! + wi * v[j]!;
    }
  }
  if (n > 0) diagonal[0] = a[0]!;
  return { diagonal, off };
}

/** Without overflow or underflow on the way. */
function lengthOf(v: Float64Array): number {
  let scale = 0;
  for (const x of v) scale = Math.max(scale, Math.abs(x));
  if (scale === 0) return 0;
  let sum = 0;
  for (const x of v) sum += (x / scale) ** 2;
  return scale * Math.sqrt(sum);
}

/** w ← A·v for the upper left part of A that is as large as v, of which the lower half is read. */
function symmetricProduct(a: Float64Array, n: number, v: Float64Array, w: Float64Array): void {
  for (let i = 0; i < v.length; i++) {
    const row = i * n;
    const vi = v[i]!;
    let sum = a[row + i]! * vi;
    for (let j = 0; j < i; j++) {
      const x = a[row + j]!;
      sum += x * v[j]!;
      w[j]! += x * vi;
    }
    w[i] = sum;
  }
}

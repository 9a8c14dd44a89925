// Eigenvalues and eigenvectors of small symmetric matrices.

interface Eigen {
  /** In no order. */
  readonly values: readonly number[];
  /** Columns, in the order of the values. */
  readonly vectors: readonly (readonly number[])[];
}

/** Eigenvalues of a symmetric matrix, and eigenvectors as columns, by rotations (Jacobi 1846). */
export function symmetricEigen(matrix: readonly (readonly number[])[]): Eigen {
  const n = matrix.length;
  const a = matrix.map((row) => [...row]);
  const vectors = a.map((_, i) => a.map((_, j) => Number(i === j)));
  const negligible = 1e-17 * Math.max(...a.map((row, i) => row[i]!));
  // Each sweep squares what is left beside the diagonal: the last ones are never needed.
  for (let sweep = 0; sweep < 30; sweep++) {
    let rotations = 0;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const beside = a[p]![q]!;
        if (Math.abs(beside) <= negligible) continue;
        rotations++;
        const theta = (a[q]![q]! - a[p]![p]!) / (2 * beside);
        const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const cosine = 1 / Math.hypot(tangent, 1);
        const sine = tangent * cosine;
        for (let k = 0; k < n; k++) rotate(a[k]!, p, q, cosine, sine);
        for (let k = 0; k < n; k++) {
          const [x, y] = [a[p]![k]!, a[q]![k]!];
          a[p]![k] = cosine * x - sine * y;
          a[q]![k] = sine * x + cosine * y;
        }
        for (let k = 0; k < n; k++) rotate(vectors[k]!, p, q, cosine, sine);
      }
    }
    if (rotations === 0) break;
  }
  return { values: a.map((row, i) => row[i]!), vectors };
}

function rotate(row: number[], p: number, q: number, cosine: number, sine: number): void {
  const [x, y] = [row[p]!, row[q]!];
  row[p] = cosine * x - sine * y;
  row[q] = sine * x + cosine * y;
}

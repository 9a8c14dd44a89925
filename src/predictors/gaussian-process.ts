// Regression by a Gaussian process (Rasmussen & Williams 2006) with a product of exponential kernels, one for every group of
// features, each with its length scale:
//
//     k(a, b) = s²·exp(−Σ_g d_g(a, b)/l_g),  d_g the root mean squared difference of the features of group g
//
// The sum is the distance of two rows. Smoother kernels (squared-exponential, Matérn 3/2) were worse on families left out.
// Length scales, s and the noise maximise the marginal likelihood, with a weak prior on the length scales; the mean of all
// targets is taken off before. Memory is quadratic in the rows and time cubic: a few thousand rows at most.

/** Logarithms of what is fitted. */
export interface ProcessScales {
  /** Of each group. */
  readonly lengths: Float64Array;
  readonly signal: number;
  readonly noise: number;
}

/** Where fitting starts, and where the prior on length scales has its centre. */
const START = { length: 1.5, signal: 0, noise: -1.5 };
const PRIOR = 0.1;

/** Root mean squared differences of all pairs of rows, (groups, rows, rows). */
export interface GroupDistances {
  readonly rows: number;
  readonly of: readonly Float64Array[];
}

/** @param x (rows, width), row by row @param groups places of the features of each group */
export function groupDistances(
  x: ArrayLike<number>,
  width: number,
  groups: readonly (readonly number[])[],
): GroupDistances {
  const rows = x.length / width;
  const of = groups.map((places) => {
    const all = new Float64Array(rows * rows);
    for (let a = 0; a < rows; a++) {
      for (let b = 0; b < a; b++) {
        let sum = 0;
        for (const place of places) sum += (x[a * width + place]! - x[b * width + place]!) ** 2;
        all[a * rows + b] = Math.sqrt(sum / places.length);
        all[b * rows + a] = all[a * rows + b]!;
      }
    }
    return all;
  });
  return { rows, of };
}

/** The negative logarithm of the marginal likelihood with the prior, and its gradient: lengths, signal, noise. */
export interface Evidence {
  readonly value: number;
  readonly gradient: Float64Array;
}

/** @param targets with mean 0 */
export function evidence(
  distances: GroupDistances,
  targets: Float64Array,
  { lengths, signal, noise }: ProcessScales,
): Evidence {
  const { rows: n, of } = distances;
  const kernel = kernelMatrix(distances, { lengths, signal });
  const noisy = kernel.slice();
  const variance = Math.exp(2 * noise);
  for (let i = 0; i < n; i++) noisy[i * n + i]! += variance;
  const factor = cholesky(noisy, n);
  const weights = solved(factor, targets);
  const inverse = inverseOf(factor, n);
  let value = 0;
  for (let i = 0; i < n; i++) value += 0.5 * targets[i]! * weights[i]! + Math.log(factor[i * n + i]!);
  const gradient = new Float64Array(of.length + 2);
  // Of the matrix: ½(K⁻¹ − ααᵀ), of which only products with symmetric matrices are needed.
  for (let a = 0; a < n; a++) {
    for (let b = 0; b <= a; b++) {
      const at = a * n + b;
      const times = (a === b ? 0.5 : 1) * (inverse[at]! - weights[a]! * weights[b]!);
      const part = times * kernel[at]!;
      gradient[of.length]! += 2 * part;
      for (let g = 0; g < of.length; g++) gradient[g]! += part * of[g]![at]!;
      if (a === b) gradient[of.length + 1]! += 2 * times * variance;
    }
  }
  for (let g = 0; g < of.length; g++) {
    gradient[g] = gradient[g]! * Math.exp(-lengths[g]!) + 2 * PRIOR * (lengths[g]! - START.length);
    value += PRIOR * (lengths[g]! - START.length) ** 2;
  }
  return { value, gradient };
}

/**
 * Scales that fit rows, by steps of Adam. Yields the part that is done.
 *
 * @param targets with mean 0 and deviation 1
 */
export function* fittedScales(
  distances: GroupDistances,
  targets: Float64Array,
  { steps = 25, rate = 0.2 } = {},
): Generator<number, ProcessScales> {
  const count = distances.of.length;
  const p = new Float64Array(count + 2).fill(START.length);
  p[count] = START.signal;
  p[count + 1] = START.noise;
  const scales = (): ProcessScales => ({
    lengths: p.slice(0, count),
    signal: p[count]!,
    noise: p[count + 1]!,
  });
  const [first, second] = [new Float64Array(p.length), new Float64Array(p.length)];
  let best = { value: Number.POSITIVE_INFINITY, scales: scales() };
  for (let step = 1; step <= steps; step++) {
    yield (step - 1) / steps;
    const now = scales();
    const { value, gradient } = evidence(distances, targets, now);
    if (value < best.value) best = { value, scales: now };
    gradient.forEach((g, i) => {
      first[i] = 0.9 * first[i]! + 0.1 * g;
      second[i] = 0.999 * second[i]! + 0.001 * g * g;
      const mean = first[i]! / (1 - 0.9 ** step);
      p[i]! -= (rate * mean) / (Math.sqrt(second[i]! / (1 - 0.999 ** step)) + 1e-8);
      p[i] = Math.max(-6, Math.min(8, p[i]!));
    });
  }
  return best.scales;
}

/** α: what a new row's kernels with all rows are multiplied with to predict it. */
export function processWeights(
  distances: GroupDistances,
  targets: Float64Array,
  scales: ProcessScales,
): Float64Array {
  const { rows: n } = distances;
  const noisy = kernelMatrix(distances, scales);
  for (let i = 0; i < n; i++) noisy[i * n + i]! += Math.exp(2 * scales.noise);
  return solved(cholesky(noisy, n), targets);
}

/** k of all pairs of rows, (rows, rows). */
export function kernelMatrix(
  { rows, of }: GroupDistances,
  { lengths, signal }: Pick<ProcessScales, 'lengths' | 'signal'>,
): Float64Array {
  const kernel = new Float64Array(rows * rows);
  of.forEach((all, g) => {
    const weight = -Math.exp(-lengths[g]!);
    for (let i = 0; i < all.length; i++) kernel[i]! += weight * all[i]!;
  });
  const variance = Math.exp(2 * signal);
  return kernel.map((exponent) => variance * Math.exp(exponent));
}

/** The lower triangular factor L of a positive definite matrix, M = L·Lᵀ. */
export function cholesky(matrix: Float64Array, n: number): Float64Array {
  const l = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * n + j]!;
      const [a, b] = [i * n, j * n];
      for (let k = 0; k < j; k++) sum -= l[a + k]! * l[b + k]!;
      l[a + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / l[b + j]!;
    }
  }
  return l;
}

/** x of L·Lᵀ·x = y. */
export function solved(l: Float64Array, y: ArrayLike<number>): Float64Array {
  const n = y.length;
  const x = Float64Array.from(y);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i]! -= l[i * n + k]! * x[k]!;
    x[i]! /= l[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    x[i]! /= l[i * n + i]!;
    for (let k = 0; k < i; k++) x[k]! -= l[i * n + k]! * x[i]!;
  }
  return x;
}

/** The lower half of (L·Lᵀ)⁻¹. */
export function inverseOf(l: Float64Array, n: number): Float64Array {
  // Columns of L⁻¹ as rows, so that products go along memory.
  const columns = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    columns[j * n + j] = 1 / l[j * n + j]!;
    for (let i = j + 1; i < n; i++) {
      let sum = 0;
      for (let k = j; k < i; k++) sum -= l[i * n + k]! * columns[j * n + k]!;
      columns[j * n + i] = sum / l[i * n + i]!;
    }
  }
  const inverse = new Float64Array(n * n);
  for (let a = 0; a < n; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let k = a; k < n; k++) sum += columns[a * n + k]! * columns[b * n + k]!;
      inverse[a * n + b] = sum;
    }
  }
  return inverse;
}

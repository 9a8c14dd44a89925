// t-SNE (van der Maaten & Hinton 2008), exact: points of many dimensions on a plane, so that near ones stay near. The steps are
// those of scikit-learn: calibrated neighbourhoods, early exaggeration, momentum and gains.

export interface TsneOptions {
  /** About how many neighbours a point has. */
  readonly perplexity?: number;
  readonly iterations?: number;
  /** Called between iterations; throws to stop. */
  readonly onStep?: (iteration: number) => void;
}

const PERPLEXITY = 30;
const ITERATIONS = 1000;
/** Iterations at first in which clusters are drawn together, by this factor. */
const [EARLY, EXAGGERATION] = [250, 12];
const LEAST = Number.EPSILON;

/**
 * Places of points on a plane, (n, 2).
 *
 * @param rows (n, width), row by row
 * @param start (n, 2): principal components, scaled here
 */
export function tsne(
  rows: Float64Array,
  width: number,
  start: Float64Array,
  { perplexity = PERPLEXITY, iterations = ITERATIONS, onStep }: TsneOptions = {},
): Float64Array {
  const n = rows.length / width;
  const p = jointProbabilities(rows, width, Math.min(perplexity, Math.max(1, (n - 1) / 3)));
  const y = scaledStart(start);
  const rate = Math.max(n / EXAGGERATION / 4, 50);
  const [update, gains] = [new Float64Array(2 * n), new Float64Array(2 * n).fill(1)];
  for (let iteration = 0; iteration < iterations; iteration++) {
    onStep?.(iteration);
    if (iteration === EARLY) {
      update.fill(0);
      gains.fill(1);
    }
    const isEarly = iteration < EARLY;
    const { gradient } = divergence(p, y, isEarly ? EXAGGERATION : 1);
    for (let i = 0; i < y.length; i++) {
      const g = gradient[i]!;
      gains[i] = Math.max(0.01, update[i]! * g < 0 ? gains[i]! + 0.2 : gains[i]! * 0.8);
      update[i] = (isEarly ? 0.5 : 0.8) * update[i]! - rate * gains[i]! * g;
      y[i]! += update[i]!;
    }
  }
  return y;
}

/** With the deviation 10⁻⁴ in the first direction. */
function scaledStart(start: Float64Array): Float64Array {
  const n = start.length / 2;
  let [mean, square] = [0, 0];
  for (let i = 0; i < n; i++) mean += start[2 * i]! / n;
  for (let i = 0; i < n; i++) square += (start[2 * i]! - mean) ** 2 / n;
  const scale = 1e-4 / (Math.sqrt(square) || 1);
  return start.map((x) => x * scale);
}

/** P, (n, n): how probable it is that two points are neighbours, with normal distributions of the wanted perplexity. */
export function jointProbabilities(rows: Float64Array, width: number, perplexity: number): Float64Array {
  const n = rows.length / width;
  const conditional = new Float64Array(n * n);
  const distances = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < width; k++) sum += (rows[i * width + k]! - rows[j * width + k]!) ** 2;
      distances[j] = sum;
    }
    calibrated(distances, i, Math.log(perplexity), conditional.subarray(i * n, (i + 1) * n));
  }
  const joint = new Float64Array(n * n);
  let total = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      joint[i * n + j] = conditional[i * n + j]! + conditional[j * n + i]!;
      total += joint[i * n + j]!;
    }
  }
  return joint.map((x, at) => (at % (n + 1) === 0 ? 0 : Math.max(x / Math.max(total, LEAST), LEAST)));
}

/** The neighbourhood of a point, so wide that its entropy is the wanted one; by bisection. */
function calibrated(distances: Float64Array, own: number, entropy: number, to: Float64Array): void {
  let [beta, low, high] = [1, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let step = 0; step < 100; step++) {
    let [sum, weighted] = [0, 0];
    for (let j = 0; j < distances.length; j++) {
      to[j] = j === own ? 0 : Math.exp(-distances[j]! * beta);
      sum += to[j]!;
    }
    sum = sum || 1e-8;
    for (let j = 0; j < distances.length; j++) {
      to[j]! /= sum;
      weighted += distances[j]! * to[j]!;
    }
    const difference = Math.log(sum) + beta * weighted - entropy;
    if (Math.abs(difference) <= 1e-5) return;
    if (difference > 0) {
      low = beta;
      beta = high === Number.POSITIVE_INFINITY ? beta * 2 : (beta + high) / 2;
    } else {
      high = beta;
      beta = low === Number.NEGATIVE_INFINITY ? beta / 2 : (beta + low) / 2;
    }
  }
}

/** The Kullback–Leibler divergence of neighbourhoods on the plane from those they should be, and its gradient. */
export function divergence(
  p: Float64Array,
  y: Float64Array,
  exaggeration = 1,
): { readonly value: number; readonly gradient: Float64Array } {
  const n = y.length / 2;
  const near = new Float64Array(n * n);
  let total = 0;
  for (let i = 0; i < n; i++) {
    const [a, b] = [y[2 * i]!, y[2 * i + 1]!];
    for (let j = 0; j < i; j++) {
      const [u, v] = [a - y[2 * j]!, b - y[2 * j + 1]!];
      const weight = 1 / (1 + u * u + v * v);
      near[i * n + j] = weight;
      total += 2 * weight;
    }
  }
  const gradient = new Float64Array(2 * n);
  let value = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const weight = near[i * n + j]!;
      const q = Math.max(weight / total, LEAST);
      const wanted = exaggeration * p[i * n + j]!;
      value += 2 * wanted * Math.log(Math.max(wanted, LEAST) / q);
      const force = 4 * (wanted - q) * weight;
      const [u, v] = [force * (y[2 * i]! - y[2 * j]!), force * (y[2 * i + 1]! - y[2 * j + 1]!)];
      gradient[2 * i]! += u;
      gradient[2 * i + 1]! += v;
      gradient[2 * j]! -= u;
      gradient[2 * j + 1]! -= v;
    }
  }
  return { value, gradient };
}

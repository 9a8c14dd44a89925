// Bayesian linear regression (Bishop 2006, 3.3 and 3.5): y = φᵀw + noise, w ~ N(0, I/α), noise ~ N(0, 1/β). With A = βΦᵀΦ + αI,
// weights are distributed as N(m, A⁻¹), m = βA⁻¹Φᵀy. α and β maximise the evidence, the probability of y.
import { cholesky, solved } from '../../predictors/gaussian-process.js';
import { nelderMead } from '../../util/nelder-mead.js';

/** Logarithms of α and of the variance of the noise, 1/β. */
type LogScales = readonly [alpha: number, noise: number];

/** Outside of these, A would be singular. */
const [LEAST, MOST] = [-20, 20];

interface Normal {
  readonly mean: number;
  readonly variance: number;
}

export class BayesianRegression {
  readonly alpha: number;
  readonly beta: number;
  /** L⁻¹, L being the lower factor of A. */
  readonly #inverse: Float64Array;
  readonly #weights: Float64Array;

  private constructor(products: Products, [alpha, noise]: LogScales) {
    const { factor, weights } = posterior(products, [alpha, noise]);
    this.alpha = Math.exp(alpha);
    this.beta = Math.exp(-noise);
    this.#inverse = lowerInverse(factor, weights.length);
    this.#weights = weights;
  }

  /**
   * @param features (rows, width), row by row
   * @param start where α and β are looked for from, on a logarithmic scale
   */
  static fit(features: Float64Array, targets: Float64Array, start: LogScales = [0, -3]): BayesianRegression {
    const products = productsOf(features, targets);
    const [alpha, noise] = nelderMead((x) => -evidence(products, x as unknown as LogScales), start);
    return new BayesianRegression(products, [alpha!, noise!]);
  }

  /** With given scales. */
  static with(features: Float64Array, targets: Float64Array, scales: LogScales): BayesianRegression {
    return new BayesianRegression(productsOf(features, targets), scales);
  }

  /** The distribution of a new y: φᵀm, and φᵀA⁻¹φ + 1/β. @param row (width) */
  predict(row: Float64Array): Normal {
    const [width, inverse, weights] = [row.length, this.#inverse, this.#weights];
    let mean = 0;
    for (let i = 0; i < width; i++) mean += row[i]! * weights[i]!;
    // φᵀA⁻¹φ is the squared length of L⁻¹φ. Four sums at once, as one addition would wait for the other.
    let variance = 1 / this.beta;
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      const [p, q, r, s] = [i * width, (i + 1) * width, (i + 2) * width, (i + 3) * width];
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let k = 0; k < i + 4; k++) {
        const x = row[k]!;
        a += inverse[p + k]! * x;
        b += inverse[q + k]! * x;
        c += inverse[r + k]! * x;
        d += inverse[s + k]! * x;
      }
      variance += a * a + b * b + c * c + d * d;
    }
    for (; i < width; i++) {
      let sum = 0;
      for (let k = 0; k <= i; k++) sum += inverse[i * width + k]! * row[k]!;
      variance += sum * sum;
    }
    return { mean, variance };
  }
}

/** The logarithm of the evidence; −∞ for scales that are out of bounds. */
export function logEvidence(features: Float64Array, targets: Float64Array, scales: LogScales): number {
  return evidence(productsOf(features, targets), scales);
}

/** All that the evidence depends on. */
interface Products {
  readonly rows: number;
  readonly width: number;
  /** ΦᵀΦ, Φᵀy and yᵀy. */
  readonly gram: Float64Array;
  readonly moments: Float64Array;
  readonly square: number;
}

function productsOf(features: Float64Array, targets: Float64Array): Products {
  const rows = targets.length;
  const width = features.length / rows;
  const gram = new Float64Array(width * width);
  const moments = new Float64Array(width);
  for (let row = 0; row < rows; row++) {
    const phi = features.subarray(row * width, (row + 1) * width);
    for (let i = 0; i < width; i++) {
      moments[i]! += phi[i]! * targets[row]!;
      for (let k = 0; k <= i; k++) gram[i * width + k]! += phi[i]! * phi[k]!;
    }
  }
  return { rows, width, gram, moments, square: targets.reduce((sum, y) => sum + y * y, 0) };
}

/** A's lower factor, and m. */
function posterior({ gram, moments, width }: Products, [alpha, noise]: LogScales) {
  const beta = Math.exp(-noise);
  const matrix = gram.map((x) => beta * x);
  for (let i = 0; i < width; i++) matrix[i * width + i]! += Math.exp(alpha);
  const factor = cholesky(matrix, width);
  return { factor, weights: solved(factor, moments).map((x) => beta * x) };
}

function evidence(products: Products, scales: LogScales): number {
  if (scales.some((x) => !(x >= LEAST && x <= MOST))) return Number.NEGATIVE_INFINITY;
  const { rows, width, moments, square } = products;
  const [alpha, noise] = scales;
  const { factor, weights } = posterior(products, scales);
  let [explained, determinant] = [0, 0];
  for (let i = 0; i < width; i++) {
    explained += moments[i]! * weights[i]!;
    determinant += 2 * Math.log(factor[i * width + i]!);
  }
  // β/2·‖y − Φm‖² + α/2·mᵀm is β/2·(yᵀy − yᵀΦm).
  const error = 0.5 * Math.exp(-noise) * (square - explained);
  return 0.5 * (width * alpha - rows * noise - determinant - rows * Math.log(2 * Math.PI)) - error;
}

/** The inverse of a lower triangular matrix, lower triangular again. */
function lowerInverse(l: Float64Array, n: number): Float64Array {
  const inverse = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) {
      const factor = l[i * n + k]!;
      for (let j = 0; j <= k; j++) inverse[i * n + j]! -= factor * inverse[k * n + j]!;
    }
    inverse[i * n + i] = 1;
    for (let j = 0; j <= i; j++) inverse[i * n + j]! /= l[i * n + i]!;
  }
  return inverse;
}

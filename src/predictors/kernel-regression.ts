// Regression for few rows and many features: a Gaussian process whose kernel has a straight part and a smooth one. How they
// are mixed maximises the marginal likelihood over a grid (Rasmussen & Williams 2006, 5.4.1); the overall scale has its
// maximum in closed form.
import type { Value } from '../ops/build.js';
import { cholesky, solved } from './gaussian-process.js';
import type { FeatureRows } from './views/feature-rows.js';

/** Standardised features are within this many deviations. */
const BOUND = 5;
/** Parts of the kernel that are smooth, exp(−d²/2ℓ²), and not straight; ℓ in root mean square distances; noise. */
const SMOOTH = [0.05, 0.2, 0.5, 0.8, 0.95] as const;
const LENGTHS = [0.5, 1, 2] as const;
const NOISES = [0.003, 0.01, 0.03, 0.1, 0.3, 1] as const;
/** Rows that the kernel is chosen by, and rows that are fitted: time is cubic in them. */
const MOST_ROWS = { chosen: 150, fitted: 1200 };

/** What the kernel is. */
interface Mixture {
  readonly smooth: number;
  /** In units of standardised features. */
  readonly length: number;
  readonly noise: number;
}

interface FittedKernel extends Mixture {
  readonly names: readonly string[];
  readonly means: Float64Array;
  /** 0 for features that are the same in all rows, which are left out. */
  readonly factors: Float64Array;
  /** (rows, features), standardised. */
  readonly points: Float64Array;
  readonly weights: Float64Array;
  readonly bias: number;
  readonly leftOut: Float64Array;
}

/** y = b + Σ wᵢ·k(x, xᵢ), k = (1 − s)·x·xᵢ/F + s·exp(−‖x − xᵢ‖²/2ℓ²), F features. */
export class KernelRegression {
  readonly #fitted: FittedKernel;

  private constructor(fitted: FittedKernel) {
    this.#fitted = fitted;
  }

  /** Of every fitted row, what the others say of it, the kernel staying as it is (Rasmussen & Williams 2006, 5.12). */
  get leftOut(): Float64Array {
    return this.#fitted.leftOut;
  }

  /** @param rows the first of them are fitted, where there are too many */
  static *fitting(rows: FeatureRows, targets: Float64Array): Generator<number, KernelRegression> {
    const { names } = rows;
    const count = Math.min(rows.count, MOST_ROWS.fitted);
    const data = rows.data.subarray(0, count * names.length);
    const { means, factors } = standardOf(data, names.length);
    const points = standardised(data, means, factors);
    const y = targets.slice(0, count);
    const bias = y.reduce((sum, value) => sum + value, 0) / count;
    const centred = y.map((value) => value - bias);
    const products = productsOf(points, count, names.length);
    const used = Math.max(1, factors.filter((factor) => factor > 0).length);
    const chosen = Math.min(count, MOST_ROWS.chosen);
    let best: Mixture & { readonly evidence: number } = {
      ...{ smooth: SMOOTH[0], length: Math.sqrt(2 * used), noise: 1 },
      evidence: Number.NEGATIVE_INFINITY,
    };
    for (const [at, smooth] of SMOOTH.entries()) {
      yield at / (SMOOTH.length + 1);
      for (const length of LENGTHS.map((factor) => factor * Math.sqrt(2 * used))) {
        for (const noise of NOISES) {
          const mixture = { smooth, length, noise };
          const evidence = evidenceOf(kernelOf(products, count, chosen, used, mixture), centred, chosen);
          if (evidence > best.evidence) best = { ...mixture, evidence };
        }
      }
    }
    const factor = cholesky(kernelOf(products, count, count, used, best), count);
    const weights = solved(factor, centred);
    const precisions = inverseDiagonal(factor, count);
    const leftOut = y.map((value, i) => value - weights[i]! / precisions[i]!);
    return new KernelRegression({ ...best, names, means, factors, points, weights, bias, leftOut });
  }

  /** Writes the regression into a graph: (batch, F) → (batch, 1). */
  apply(x: Value): Value {
    const { names, means, factors, points, weights, bias, smooth, length } = this.#fitted;
    const [width, rows] = [names.length, weights.length];
    const constant = (values: ArrayLike<number>, dims: readonly number[]): Value =>
      x.builder.constant(values, 'float32', dims);
    const used = Math.max(1, factors.filter((factor) => factor > 0).length);
    const z = x
      .sub(constant(means, [width]))
      .mul(constant(factors, [width]))
      .max(-BOUND)
      .min(BOUND);
    const columns = new Float64Array(points.length);
    const norms = new Float64Array(rows);
    points.forEach((value, i) => {
      const [row, place] = [Math.floor(i / width), i % width];
      columns[place * rows + row] = value;
      norms[row]! += value * value;
    });
    const products = z.matmul(constant(columns, [width, rows]));
    const distance = z
      .mul(z)
      .sum([1], true)
      .add(constant(norms, [1, rows]))
      .sub(products.mul(2))
      .max(0);
    return products
      .mul((1 - smooth) / used)
      .add(
        distance
          .mul(-0.5 / length ** 2)
          .exp()
          .mul(smooth),
      )
      .matmul(constant(weights, [rows, 1]))
      .add(bias);
  }
}

function standardOf(data: ArrayLike<number>, width: number): { means: Float64Array; factors: Float64Array } {
  const rows = data.length / width;
  const [means, squares] = [new Float64Array(width), new Float64Array(width)];
  for (let i = 0; i < data.length; i++) means[i % width]! += data[i]! / rows;
  for (let i = 0; i < data.length; i++) squares[i % width]! += (data[i]! - means[i % width]!) ** 2 / rows;
  const factors = squares.map((variance, f) =>
    Math.sqrt(variance) > 1e-6 * (1 + Math.abs(means[f]!)) ? 1 / Math.sqrt(variance) : 0,
  );
  return { means, factors };
}

function standardised(data: ArrayLike<number>, means: Float64Array, factors: Float64Array): Float64Array {
  const width = means.length;
  return Float64Array.from(data, (value, i) => {
    const z = (value - means[i % width]!) * factors[i % width]!;
    return Math.max(-BOUND, Math.min(BOUND, z));
  });
}

/** x·xᵀ: (rows, rows). */
function productsOf(points: Float64Array, rows: number, width: number): Float64Array {
  const all = new Float64Array(rows * rows);
  for (let a = 0; a < rows; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let f = 0; f < width; f++) sum += points[a * width + f]! * points[b * width + f]!;
      all[a * rows + b] = sum;
      all[b * rows + a] = sum;
    }
  }
  return all;
}

/** The kernel of the first rows, with the noise on its diagonal. */
function kernelOf(
  products: Float64Array,
  stride: number,
  rows: number,
  used: number,
  { smooth, length, noise }: Mixture,
): Float64Array {
  const kernel = new Float64Array(rows * rows);
  for (let a = 0; a < rows; a++) {
    for (let b = 0; b < rows; b++) {
      const product = products[a * stride + b]!;
      const distance = products[a * stride + a]! + products[b * stride + b]! - 2 * product;
      const near = Math.exp((-0.5 * Math.max(0, distance)) / length ** 2);
      kernel[a * rows + b] = ((1 - smooth) * product) / used + smooth * near + (a === b ? noise : 0);
    }
  }
  return kernel;
}

/** Twice the logarithm of the marginal likelihood at the best overall scale, up to a constant. */
function evidenceOf(kernel: Float64Array, targets: Float64Array, rows: number): number {
  const factor = cholesky(kernel, rows);
  const y = targets.subarray(0, rows);
  const weights = solved(factor, y);
  const fit = y.reduce((sum, value, i) => sum + value * weights[i]!, 0);
  let determinant = 0;
  for (let i = 0; i < rows; i++) determinant += 2 * Math.log(factor[i * rows + i]!);
  return -rows * Math.log(Math.max(fit, 1e-300)) - determinant;
}

/** The diagonal of (L·Lᵀ)⁻¹: squares of the columns of L⁻¹. */
function inverseDiagonal(factor: Float64Array, rows: number): Float64Array {
  const diagonal = new Float64Array(rows);
  const column = new Float64Array(rows);
  for (let k = 0; k < rows; k++) {
    for (let i = k; i < rows; i++) {
      let sum = i === k ? 1 : 0;
      for (let j = k; j < i; j++) sum -= factor[i * rows + j]! * column[j]!;
      column[i] = sum / factor[i * rows + i]!;
      diagonal[k]! += column[i]! ** 2;
    }
  }
  return diagonal;
}

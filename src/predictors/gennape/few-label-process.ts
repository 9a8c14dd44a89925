// A Gaussian process on embeddings, for as few labels as a network cannot be trained on: the seventh member of GENNAPE once
// it is trained further (it is not in the paper). It learns an order: targets are the normal quantiles of the labels' ranks,
// so that a few very bad networks do not decide what is learned.
//
//     k(a, b) = exp(−‖a − b‖²/(2·l²·w)) + a·b/w,  a and b standardised by the rows, w features
import { ranksOf } from '../../metrics/index.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { cholesky, solved } from '../gaussian-process.js';
import { normalQuantile } from '../pool-order.js';

export interface FewLabelProcess {
  /** Of each feature. */
  readonly means: Float64Array;
  readonly deviations: Float64Array;
  /** (rows, features), standardised. */
  readonly points: Float64Array;
  /** What kernels with the points are multiplied with. */
  readonly weights: Float64Array;
  /** l. */
  readonly length: number;
}

/** Standardised features are within this many deviations. */
const BOUND = 6;
const LENGTHS = [0.5, 1, 2, 4, 8, 16];
/** Variances of the noise, as parts of the kernel's. */
const NOISES = [0.003, 0.01, 0.03, 0.1, 0.3];

/**
 * The process that fits rows best: length and noise are those of the highest marginal likelihood on a grid, the height of
 * the kernel being the best one for each.
 *
 * @param x (rows, features) @param labels higher is better
 */
export function fewLabelProcess(x: Float64Array, labels: readonly number[]): FewLabelProcess {
  const rows = labels.length;
  const width = x.length / rows;
  const { means, deviations } = moments(x, width);
  const points = x.map((value, i) => bounded((value - means[i % width]!) / deviations[i % width]!));
  const targets = Float64Array.from(ranksOf(labels, 'higher'), (rank) => normalQuantile((rank - 0.5) / rows));
  let best: { evidence: number; length: number; weights: Float64Array } | undefined;
  for (const length of LENGTHS) {
    const kernel = kernelOf(points, width, length);
    for (const noise of NOISES) {
      const noisy = kernel.slice();
      for (let i = 0; i < rows; i++) noisy[i * rows + i]! += noise;
      const factor = cholesky(noisy, rows);
      const weights = solved(factor, targets);
      const evidence = evidenceOf(factor, weights, targets);
      if (best === undefined || evidence > best.evidence) best = { evidence, length, weights };
    }
  }
  const { length, weights } = best!;
  return { means, deviations, points, weights, length };
}

function bounded(z: number): number {
  return Math.max(-BOUND, Math.min(BOUND, z));
}

function moments(x: Float64Array, width: number): Pick<FewLabelProcess, 'means' | 'deviations'> {
  const rows = x.length / width;
  const [means, squares] = [new Float64Array(width), new Float64Array(width)];
  for (let i = 0; i < x.length; i++) means[i % width]! += x[i]! / rows;
  for (let i = 0; i < x.length; i++) squares[i % width]! += (x[i]! - means[i % width]!) ** 2 / rows;
  // What is the same in all rows says nothing of others, however far they are.
  const deviations = squares.map((variance, f) => {
    const deviation = Math.sqrt(variance);
    return deviation > 1e-5 * Math.max(1, Math.abs(means[f]!)) ? deviation : 1e9;
  });
  return { means, deviations };
}

function kernelOf(points: Float64Array, width: number, length: number): Float64Array {
  const rows = points.length / width;
  const kernel = new Float64Array(rows * rows);
  for (let a = 0; a < rows; a++) {
    for (let b = 0; b <= a; b++) {
      let [square, product] = [0, 0];
      for (let f = 0; f < width; f++) {
        const [u, v] = [points[a * width + f]!, points[b * width + f]!];
        square += (u - v) ** 2;
        product += u * v;
      }
      kernel[a * rows + b] = Math.exp(-square / (2 * length * length * width)) + product / width;
      kernel[b * rows + a] = kernel[a * rows + b]!;
    }
  }
  return kernel;
}

/** Of the marginal likelihood, the height of the kernel being the best one. */
function evidenceOf(factor: Float64Array, weights: Float64Array, targets: Float64Array): number {
  const rows = targets.length;
  let [fit, logs] = [0, 0];
  for (let i = 0; i < rows; i++) {
    fit += targets[i]! * weights[i]!;
    logs += Math.log(factor[i * rows + i]!);
  }
  return -0.5 * rows * Math.log(Math.max(fit / rows, 1e-12)) - logs;
}

/** The same in a graph: (B, features) → (B, 1). Higher is better. */
export function processValue(s: Scope, x: Value, process: FewLabelProcess): Value {
  const { means, deviations, points, weights, length } = process;
  const [width, rows] = [means.length, weights.length];
  const constant = (values: ArrayLike<number>, dims: readonly number[]): Value =>
    s.builder.constant(values, 'float32', dims);
  const columns = new Float64Array(points.length);
  const norms = new Float64Array(rows);
  points.forEach((value, i) => {
    const [row, place] = [Math.floor(i / width), i % width];
    columns[place * rows + row] = value;
    norms[row]! += value * value;
  });
  const z = x
    .sub(constant(means, [width]))
    .div(constant(deviations, [width]))
    .max(-BOUND)
    .min(BOUND);
  const products = z.matmul(constant(columns, [width, rows]));
  const squares = z
    .square()
    .sum([1], true)
    .add(constant(norms, [1, rows]))
    .sub(products.mul(2));
  const near = squares
    .max(0)
    .mul(-1 / (2 * length * length * width))
    .exp();
  return near.add(products.div(width)).matmul(constant(weights, [rows, 1]));
}

// Regression for few rows and many features: a Gaussian process whose kernel has a straight part and a smooth one, a Matérn
// kernel of order 3/2. How they are mixed, how much parts of the features count, and through which curve labels are learned, is
// not chosen but averaged: every mixture of a grid counts by its marginal likelihood (Rasmussen & Williams 2006, 5.4.1), whose
// maximum over the overall scale has a closed form.
import type { Value } from '../ops/build.js';
import { FeatureSpace } from './feature-space.js';
import { cholesky, solved } from './gaussian-process.js';
import type { TargetCurve } from './tail-warp.js';
import type { FeatureRows } from './views/feature-rows.js';

/** Parts of the kernel that are smooth and not straight; ℓ in root mean square distances; noise. */
const SMOOTH = [0.05, 0.2, 0.5, 0.8, 0.95] as const;
const LENGTHS = [0.5, 1, 2] as const;
const NOISES = [0.003, 0.01, 0.03, 0.1, 0.3, 1] as const;
/** Rows that mixtures are weighed by, and rows that are fitted: time is cubic in them. */
const MOST_ROWS = { weighed: 150, fitted: 1200 };
/** Mixtures that count less than this part of the best one are left out; with more rows than are weighed, all but some. */
const LEAST_PART = 1e-3;
const MOST_MIXTURES = 3;

/** Groups of features, and how much each may count. */
export interface FeatureGroups {
  /** The group of a feature, counted from 0. */
  of(name: string): number;
  /** Ways to scale the groups, which are weighed too. */
  readonly scalings: readonly (readonly number[])[];
}

interface Mixture {
  readonly smooth: number;
  readonly noise: number;
}

/** Kernels that differ in how they are mixed alone. */
interface KernelShape {
  /** By dimension of the space. */
  readonly scales: Float64Array;
  /** The variance of the scaled rows, all dimensions together. */
  readonly spread: number;
  readonly length: number;
}

/** A shape with what its kernels add: by curve, (rows) weights of the straight part and of the smooth one. */
interface FittedShape extends KernelShape {
  readonly straight: readonly Float64Array[];
  readonly smooth: readonly Float64Array[];
}

/** Labels as they are learned through a curve. */
interface LearnedTargets {
  readonly curve: TargetCurve;
  readonly bias: number;
  /** Without the bias. */
  readonly centred: Float64Array;
  /** Twice the logarithm of what the curve multiplies densities by. */
  readonly evidence: number;
}

interface FittedRegression {
  readonly space: FeatureSpace;
  readonly shapes: readonly FittedShape[];
  /** How much each curve counts, 1 together. */
  readonly curves: readonly (LearnedTargets & { readonly share: number })[];
  readonly leftOut: Float64Array;
}

/** Labels as they are. */
const STRAIGHT: TargetCurve = {
  learned: (values) => values,
  logSlopes: () => 0,
  at: (learned) => learned,
  apply: (learned) => learned,
};

/**
 * The mean over mixtures of y = b + Σ wᵢ·k(x, xᵢ), k = (1 − s)·x·xᵢ/F + s·(1 + r)·e^(−r), r = √3·‖x − xᵢ‖/ℓ, F the
 * variance of x, with x in the space of the features and scaled; then back through the curve, and the mean over curves.
 */
export class KernelRegression {
  readonly #fitted: FittedRegression;

  private constructor(fitted: FittedRegression) {
    this.#fitted = fitted;
  }

  /** Of every fitted row, what the others say of it, kernels staying as they are (Rasmussen & Williams 2006, 5.12). */
  get leftOut(): Float64Array {
    return this.#fitted.leftOut;
  }

  /**
   * @param rows the first of them are fitted, where there are too many
   * @param groups of features; one of all by default
   * @param curves that labels may be learned through; as they are by default
   */
  static *fitting(
    rows: FeatureRows,
    targets: Float64Array,
    groups: FeatureGroups = { of: () => 0, scalings: [[1]] },
    curves: readonly TargetCurve[] = [STRAIGHT],
  ): Generator<number, KernelRegression> {
    const count = Math.min(rows.count, MOST_ROWS.fitted);
    const space = new FeatureSpace(rows, count, groups.of);
    const { points } = space;
    const { scalings } = groups;
    const y = targets.slice(0, count);
    const weighed = Math.min(count, MOST_ROWS.weighed);
    const learned = curves.map((curve) => learnedThrough(curve, y, weighed));
    const found: { shape: KernelShape; mixture: Mixture; targets: LearnedTargets; evidence: number }[] = [];
    for (const [at, given] of scalings.entries()) {
      const scales = Float64Array.from(space.groups, (group) => given[group]!);
      const spread = spreadOf(points, scales) || 1;
      const products = productsOf(points, scales, weighed);
      for (const factor of LENGTHS) {
        const shape = { scales, spread, length: factor * Math.sqrt(2 * spread) };
        const parts = partsOf(products, weighed, shape);
        for (const smooth of SMOOTH) {
          yield (0.8 * (at + factor / 3)) / scalings.length;
          for (const noise of NOISES) {
            const mixture = { smooth, noise };
            const factor = cholesky(mixed(parts, weighed, mixture), weighed);
            for (const some of learned) {
              const evidence = evidenceOf(factor, some.centred, weighed) + some.evidence;
              found.push({ shape, mixture, targets: some, evidence });
            }
          }
        }
      }
    }
    found.sort((a, b) => b.evidence - a.evidence);
    const powers = found.map(({ evidence }) => Math.exp((evidence - found[0]!.evidence) / 2));
    const kept = powers.filter((power, i) => power >= LEAST_PART && (count === weighed || i < MOST_MIXTURES));
    const total = kept.reduce((sum, power) => sum + power, 0);
    const none = (): Float64Array[] => learned.map(() => new Float64Array(count));
    const shapes = new Map<KernelShape, FittedShape & { readonly parts: KernelParts }>();
    const shares = learned.map(() => 0);
    kept.forEach((power, i) => {
      shares[learned.indexOf(found[i]!.targets)]! += power / total;
    });
    const leftOut = none();
    for (const [i, power] of kept.entries()) {
      yield 0.8 + (0.2 * i) / kept.length;
      const { shape, mixture, targets: some } = found[i]!;
      const at = learned.indexOf(some);
      const part = power / total / shares[at]!;
      const own = shapes.get(shape) ?? {
        ...shape,
        parts: partsOf(productsOf(points, shape.scales, count), count, shape),
        straight: none(),
        smooth: none(),
      };
      shapes.set(shape, own);
      const factor = cholesky(mixed(own.parts, count, mixture), count);
      const weights = solved(factor, some.centred);
      const precisions = inverseDiagonal(factor, count);
      weights.forEach((weight, row) => {
        own.straight[at]![row]! += part * (1 - mixture.smooth) * weight;
        own.smooth[at]![row]! += part * mixture.smooth * weight;
        leftOut[at]![row]! += part * (some.bias + some.centred[row]! - weight / precisions[row]!);
      });
    }
    const written = [...shapes.values()].map(({ parts: _, ...shape }) => shape);
    const weighedCurves = learned.map((some, at) => ({ ...some, share: shares[at]! }));
    return new KernelRegression({
      ...{ space, shapes: written, curves: weighedCurves },
      leftOut: y.map((_, row) =>
        weighedCurves.reduce((sum, { curve, share }, at) => sum + share * curve.at(leftOut[at]![row]!), 0),
      ),
    });
  }

  /** Writes the regression into a graph: (batch, F) → (batch, 1). */
  apply(x: Value): Value {
    const { space, shapes, curves } = this.#fitted;
    const { points, width } = space;
    const rows = points.length / width;
    const constant = (values: ArrayLike<number>, dims: readonly number[]): Value =>
      x.builder.constant(values, 'float32', dims);
    const z = space.apply(x);
    // What shapes of the same scales have in common is written once.
    const seen = new Map<Float64Array, { products: Value; distances: Value }>();
    const comparedBy = (scales: Float64Array): { products: Value; distances: Value } => {
      const columns = new Float64Array(points.length);
      const norms = new Float64Array(rows);
      points.forEach((value, i) => {
        const [row, place] = [Math.floor(i / width), i % width];
        columns[place * rows + row] = value * scales[place]!;
        norms[row]! += (value * scales[place]!) ** 2;
      });
      const scaled = z.mul(constant(scales, [width]));
      const products = scaled.matmul(constant(columns, [width, rows]));
      const squares = scaled
        .mul(scaled)
        .sum([1], true)
        .add(constant(norms, [1, rows]));
      return { products, distances: squares.sub(products.mul(2)).max(0).sqrt() };
    };
    const terms = shapes.map(({ scales, spread, length, straight, smooth }) => {
      const { products, distances } = seen.get(scales) ?? comparedBy(scales);
      seen.set(scales, { products, distances });
      const r = distances.mul(Math.sqrt(3) / length);
      return products
        .div(spread)
        .matmul(constant(columnsOf(straight), [rows, curves.length]))
        .add(
          r
            .add(1)
            .mul(r.mul(-1).exp())
            .matmul(constant(columnsOf(smooth), [rows, curves.length])),
        );
    });
    const biases = curves.map(({ bias }) => bias);
    const learned = (terms.length === 1 ? terms[0]! : x.builder.sum(terms)).add(
      constant(biases, [curves.length]),
    );
    const each = curves.map(({ curve, share }, at) =>
      curve.apply(learned.slice([at], [at + 1], [1])).mul(share),
    );
    return each.length === 1 ? each[0]! : x.builder.sum(each);
  }
}

/** @param weighed the first values, which the evidence is of */
function learnedThrough(curve: TargetCurve, values: Float64Array, weighed: number): LearnedTargets {
  const learned = curve.learned(values);
  const bias = learned.reduce((sum, value) => sum + value, 0) / learned.length;
  return {
    ...{ curve, bias, centred: learned.map((value) => value - bias) },
    evidence: 2 * curve.logSlopes(values.subarray(0, weighed)),
  };
}

/** Columns as they are in a matrix: (rows, columns). */
function columnsOf(columns: readonly Float64Array[]): Float64Array {
  return Float64Array.from({ length: columns.length * columns[0]!.length }, (_, i) => {
    return columns[i % columns.length]![Math.floor(i / columns.length)]!;
  });
}

/** The sum over dimensions of the variance of scaled points. */
function spreadOf(points: Float64Array, scales: Float64Array): number {
  const width = scales.length;
  const rows = points.length / width;
  return scales.reduce((sum, scale, k) => {
    const own = Float64Array.from({ length: rows }, (_, row) => points[row * width + k]!);
    const mean = own.reduce((total, x) => total + x, 0) / rows;
    return sum + (scale * scale * own.reduce((total, x) => total + (x - mean) ** 2, 0)) / rows;
  }, 0);
}

/** x·xᵀ of the first rows, scaled: (rows, rows). */
function productsOf(points: Float64Array, scales: Float64Array, rows: number): Float64Array {
  const width = scales.length;
  const squares = scales.map((scale) => scale * scale);
  const all = new Float64Array(rows * rows);
  for (let a = 0; a < rows; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let f = 0; f < width; f++) sum += squares[f]! * points[a * width + f]! * points[b * width + f]!;
      all[a * rows + b] = sum;
      all[b * rows + a] = sum;
    }
  }
  return all;
}

/** The straight part of a kernel and the smooth one: (rows, rows) each. */
interface KernelParts {
  readonly straight: Float64Array;
  readonly smooth: Float64Array;
}

function partsOf(products: Float64Array, rows: number, { spread, length }: KernelShape): KernelParts {
  const smooth = products.map((product, i) => {
    const [a, b] = [Math.floor(i / rows), i % rows];
    const squared = products[a * rows + a]! + products[b * rows + b]! - 2 * product;
    const r = (Math.sqrt(3) * Math.sqrt(Math.max(0, squared))) / length;
    return (1 + r) * Math.exp(-r);
  });
  return { straight: products.map((product) => product / spread), smooth };
}

/** The kernel, with the noise on its diagonal. */
function mixed({ straight, smooth }: KernelParts, rows: number, mixture: Mixture): Float64Array {
  return straight.map(
    (value, i) =>
      (1 - mixture.smooth) * value + mixture.smooth * smooth[i]! + (i % (rows + 1) === 0 ? mixture.noise : 0),
  );
}

/** Twice the logarithm of the marginal likelihood at the best overall scale, up to a constant. */
function evidenceOf(factor: Float64Array, targets: Float64Array, rows: number): number {
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

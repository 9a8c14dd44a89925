// Linear regression on few features, such as the logarithms of parameters and MACs: the baseline that every predictor
// must beat. Closed form, least squares or ridge.
import { symbol } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { Builder, type Value } from '../ops/build.js';
import { AuspexError } from '../util/errors.js';
import { baselineModel, INPUT, OPSETS } from './feature-model.js';
import { symmetricEigen } from './symmetric-eigen.js';
import { type FeatureRows, targetsFor } from './views/feature-rows.js';

interface LinearRegressionOptions {
  /** α of ridge regression, for features scaled to variance 1; 0 is least squares. */
  readonly ridge?: number;
  /** Takes the natural logarithm of all features first, which must be greater than 0. */
  readonly log?: boolean;
}

/** A fitted regression as plain data. */
interface LinearRegressionJson {
  readonly features: readonly string[];
  readonly log: boolean;
  readonly means: readonly number[];
  readonly deviations: readonly number[];
  readonly weights: readonly number[];
  readonly bias: number;
}

/** Directions that hold less of the variance than this are left out, as nothing can be learnt of them. */
const LEAST_SHARE = 1e-10;

/**
 * y = b + Σ w·(x − mean)/deviation, w being the least of Σ(y − t)² + α·Σw². Where features depend on each other, of all
 * best w the shortest.
 *
 * @example
 * const regression = LinearRegression.fit(new FeatureRows(['macs'], macs), accuracies, { log: true });
 */
export class LinearRegression {
  readonly #fitted: LinearRegressionJson;

  private constructor(fitted: LinearRegressionJson) {
    this.#fitted = fitted;
  }

  static fit(
    rows: FeatureRows,
    targets: ArrayLike<number>,
    { ridge = 0, log = false }: LinearRegressionOptions = {},
  ): LinearRegression {
    if (!(ridge >= 0 && ridge < Number.POSITIVE_INFINITY)) {
      throw new AuspexError('LINEAR_OPTIONS', `ridge is ${ridge}, not 0 or greater`);
    }
    const t = targetsFor(rows, targets);
    const columns = columnsOf(rows, log);
    const means = columns.map(meanOf);
    const deviations = columns.map((column, f) => {
      const variance = meanOf(column.map((x) => (x - means[f]!) ** 2));
      // Rounding is no variance.
      return variance > (1e-12 * means[f]!) ** 2 ? Math.sqrt(variance) : 1;
    });
    const z = columns.map((column, f) => column.map((x) => (x - means[f]!) / deviations[f]!));
    const bias = meanOf(t);
    const gram = z.map((a) => z.map((b) => dot(a, b)));
    const products = z.map((a) => a.reduce((sum, x, i) => sum + x * (t[i]! - bias), 0));
    const weights = solve(gram, products, ridge, LEAST_SHARE * rows.count);
    return new LinearRegression({ features: rows.names, log, means, deviations, weights, bias });
  }

  predict(rows: FeatureRows): Float64Array {
    const { features, log, means, deviations, weights, bias } = this.#fitted;
    rows.require(features);
    const predictions = new Float64Array(rows.count).fill(bias);
    columnsOf(rows, log).forEach((column, f) => {
      column.forEach((x, i) => {
        predictions[i]! += (weights[f]! * (x - means[f]!)) / deviations[f]!;
      });
    });
    return predictions;
  }

  /** Writes the regression into a graph: (rows, F) → (rows, 1). */
  apply(x: Value): Value {
    const { features, log, means, deviations, weights, bias } = this.#fitted;
    const constant = (values: readonly number[], dims: readonly number[]) =>
      x.builder.constant(values, 'float32', dims);
    return (log ? x.log() : x)
      .sub(constant(means, [features.length]))
      .div(constant(deviations, [features.length]))
      .matmul(constant(weights, [features.length, 1]))
      .add(bias);
  }

  /** The regression as a model that stands alone: `features` (rows, F) → `prediction` (rows, 1). */
  toModel(): Model {
    const { features } = this.#fitted;
    const builder = new Builder({ opsets: OPSETS });
    const x = builder.input(INPUT, 'float32', [symbol('rows'), features.length]);
    return baselineModel('linear-regression', features, builder, { prediction: this.apply(x) });
  }

  toJSON(): LinearRegressionJson {
    return this.#fitted;
  }

  static fromJSON(fitted: LinearRegressionJson): LinearRegression {
    const { features, means, deviations, weights } = fitted;
    if ([means, deviations, weights].some((list) => list.length !== features.length)) {
      throw new AuspexError(
        'LINEAR_JSON',
        'the regression does not have one number of each kind per feature',
      );
    }
    return new LinearRegression(fitted);
  }
}

/** Features one by one, or their logarithms. */
function columnsOf({ names, data, count }: FeatureRows, log: boolean): Float64Array[] {
  return names.map((name, f) => {
    const column = Float64Array.from({ length: count }, (_, i) => data[i * names.length + f]!);
    if (!log) return column;
    const bad = column.findIndex((x) => !(x > 0));
    if (bad < 0) return column.map(Math.log);
    throw new AuspexError('FEATURES_NOT_POSITIVE', `row ${bad} has ${column[bad]} as '${name}'`, {
      where: { path: `rows[${bad}].${name}` },
      hint: 'logarithms need numbers greater than 0',
    });
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}

function meanOf(values: Float64Array): number {
  const rough = values.reduce((sum, x) => sum + x, 0) / values.length;
  // What the rounding of the sum left out.
  return rough + values.reduce((sum, x) => sum + (x - rough), 0) / values.length;
}

/** The shortest w of (A + α·I)·w = b for a symmetric A: Σ v·(v·b)/(λ + α) over eigenvectors with λ + α > least. */
function solve(
  a: readonly (readonly number[])[],
  b: readonly number[],
  ridge: number,
  least: number,
): number[] {
  const { values, vectors } = symmetricEigen(a);
  const w = b.map(() => 0);
  values.forEach((value, k) => {
    if (value + ridge <= least) return;
    const along = b.reduce((sum, x, i) => sum + x * vectors[i]![k]!, 0) / (value + ridge);
    for (let i = 0; i < w.length; i++) w[i]! += along * vectors[i]![k]!;
  });
  return w;
}

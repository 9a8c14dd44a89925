// The space that regressions for few rows compare networks in: features are standardised, and every group of them is turned
// into its principal components. Dozens of features say nearly the same, so that what they share would drown the rest:
// components count by a power of their deviation that is less than 1.
import type { Value } from '../ops/build.js';
import { principalComponents } from './gennape/pca.js';
import type { FeatureRows } from './views/feature-rows.js';

/** Standardised features are within this many deviations. */
const BOUND = 5;
/** 1 leaves deviations as they are, 0 makes them all alike. Chosen on rows for choosing of seven families. */
const POWER = 0.85;
/** Components with less than this part of the largest variance are rounding errors. */
const LEAST_VARIANCE = 1e-9;

export class FeatureSpace {
  /** (rows, width). */
  readonly points: Float64Array;
  readonly width: number;
  /** Of each dimension, the place of its group. */
  readonly groups: readonly number[];
  readonly #means: Float64Array;
  /** 0 for features that are the same in all rows, which are left out. */
  readonly #factors: Float64Array;
  /** (features, width). */
  readonly #directions: Float64Array;

  /**
   * @param rows the first of them
   * @param groupOf the group of a feature, counted from 0
   */
  constructor({ names, data }: FeatureRows, rows: number, groupOf: (name: string) => number = () => 0) {
    const features = names.length;
    const own = data.subarray(0, rows * features);
    const { means, factors } = standardOf(own, features);
    const z = standardised(own, means, factors);
    const found: { readonly group: number; readonly direction: Float64Array }[] = [];
    for (let group = 0; group <= Math.max(...names.map(groupOf)); group++) {
      const places = [...names.keys()].filter((f) => groupOf(names[f]!) === group && factors[f] !== 0);
      for (const part of directionsOf(z, features, places)) {
        const direction = new Float64Array(features);
        places.forEach((place, i) => {
          direction[place] = part[i]!;
        });
        found.push({ group, direction });
      }
    }
    this.#means = means;
    this.#factors = factors;
    this.width = Math.max(1, found.length);
    this.groups = found.length === 0 ? [0] : found.map(({ group }) => group);
    this.#directions = new Float64Array(features * this.width);
    found.forEach(({ direction }, k) => {
      direction.forEach((x, f) => {
        this.#directions[f * this.width + k] = x;
      });
    });
    this.points = multiplied(z, this.#directions, features);
  }

  /** Writes it into a graph: (batch, features) → (batch, width). */
  apply(x: Value): Value {
    const features = this.#means.length;
    const constant = (values: ArrayLike<number>, dims: readonly number[]): Value =>
      x.builder.constant(values, 'float32', dims);
    return x
      .sub(constant(this.#means, [features]))
      .mul(constant(this.#factors, [features]))
      .max(-BOUND)
      .min(BOUND)
      .matmul(constant(this.#directions, [features, this.width]));
  }
}

/** Principal components of some features, (places) each, as long as they count. */
function directionsOf(z: Float64Array, features: number, places: readonly number[]): Float64Array[] {
  const rows = z.length / features;
  if (rows < 2 || places.length === 0) return [];
  const own = Float64Array.from({ length: rows * places.length }, (_, i) => {
    const [row, place] = [Math.floor(i / places.length), i % places.length];
    return z[row * features + places[place]!]!;
  });
  const { vectors, variances } = principalComponents(own, places.length, places.length);
  const most = variances[0]!;
  const kept = [...variances].filter((variance) => variance > LEAST_VARIANCE * most);
  return kept.map((variance, k) =>
    vectors
      .slice(k * places.length, (k + 1) * places.length)
      .map((x) => x * (variance / most) ** ((POWER - 1) / 2)),
  );
}

/** (rows, inner) × (inner, columns). */
function multiplied(a: Float64Array, b: Float64Array, inner: number): Float64Array {
  const [rows, columns] = [a.length / inner, b.length / inner];
  const product = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < inner; i++) {
      const x = a[row * inner + i]!;
      if (x === 0) continue;
      for (let k = 0; k < columns; k++) product[row * columns + k]! += x * b[i * columns + k]!;
    }
  }
  return product;
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

// Labels with their tails bent inwards, and back: a Gaussian process on few rows is not to follow the one network in fifty
// that learned nothing (warped Gaussian processes: Snelson et al., NIPS 2004). A straight line around the median, a
// logarithm beyond.
import type { Value } from '../ops/build.js';

/** A monotone curve that regressions learn labels through. */
export interface TargetCurve {
  /** Labels as they are learned. */
  learned(values: Float64Array): Float64Array;
  /** The logarithm of the product of the curve's slopes at the values, up to a constant that is the same for all curves. */
  logSlopes(values: Float64Array): number;
  /** Back. */
  at(learned: number): number;
  /** Back, in a graph: any shape. */
  apply(learned: Value): Value;
}

/** A deviation in terms of the median absolute one, of normal values. */
const NORMAL = 1.4826;
/** Where half of the labels are nearly equal, deviations are counted in this part of the standard deviation. */
const LEAST_SCALE = 0.1;

/** z up to ±bend, ±bend·(1 + log(|z|/bend)) beyond, where z = (y − median)/scale. */
export class TailWarp implements TargetCurve {
  readonly #bend: number;
  readonly #median: number;
  readonly #scale: number;
  /** Beyond the labels, curves go on as straight lines: exponentials would run away. */
  readonly #longest: number;

  constructor(values: Float64Array, bend: number) {
    this.#bend = bend;
    this.#median = medianOf(values);
    const mean = values.reduce((sum, y) => sum + y, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, y) => sum + (y - mean) ** 2, 0) / values.length);
    const usual = NORMAL * medianOf(values.map((y) => Math.abs(y - this.#median)));
    this.#scale = Math.max(usual, LEAST_SCALE * deviation) || 1;
    this.#longest = this.learned(values).reduce((most, t) => Math.max(most, Math.abs(t) / bend - 1), 0);
  }

  learned(values: Float64Array): Float64Array {
    return values.map((y) => {
      const [z, far] = this.#places(y);
      return far === 0 ? z : Math.sign(z) * this.#bend * (1 + far);
    });
  }

  logSlopes(values: Float64Array): number {
    return values.reduce((sum, y) => sum - this.#places(y)[1], 0);
  }

  at(learned: number): number {
    const size = Math.abs(learned);
    const far = Math.max(0, size / this.#bend - 1);
    const grown = Math.exp(Math.min(far, this.#longest)) * (1 + Math.max(0, far - this.#longest)) - 1;
    return (
      this.#median + this.#scale * Math.sign(learned) * (Math.min(size, this.#bend) + this.#bend * grown)
    );
  }

  apply(learned: Value): Value {
    const size = learned.abs();
    const far = size.div(this.#bend).sub(1).relu();
    const grown = far.min(this.#longest).exp().mul(far.sub(this.#longest).relu().add(1)).sub(1);
    return learned
      .sign()
      .mul(size.min(this.#bend).add(grown.mul(this.#bend)))
      .mul(this.#scale)
      .add(this.#median);
  }

  /** z, and log(|z|/bend) where it is beyond the bend. */
  #places(y: number): [z: number, far: number] {
    const z = (y - this.#median) / this.#scale;
    return [z, Math.max(0, Math.log(Math.abs(z) / this.#bend))];
  }
}

function medianOf(values: Float64Array): number {
  const sorted = values.toSorted();
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

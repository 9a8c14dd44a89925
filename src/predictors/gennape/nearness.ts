// How like those of the training a network is, by its embedding: what heads learned of one family says little of networks that
// look different. Distances are mean squares of standardised principal components: 1 on average among the rows themselves.
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { kept } from './head-inputs.js';
import { type Components, projected } from './pca.js';

export interface Nearness {
  readonly components: Components;
  /** Up to the first distance a network is near (1), from the second one on it is not (0). */
  readonly limits: readonly [near: number, far: number];
}

/** Of the rows, this part is near. */
const NEAR_PART = 0.99;
/** What is this many times as far as they are is not. */
const FAR_FACTOR = 4;
/** Components that hardly vary count as if they varied by this part of the first one. */
const LEAST_VARIANCE = 1e-6;

/** @param rows (n, width) that components were found in */
export function nearnessOf(rows: Float64Array, components: Components): Nearness {
  const { count } = components;
  const factors = factorsOf(components);
  const places = projected(rows, components);
  const distances = Float64Array.from({ length: places.length / count }, (_, row) => {
    let sum = 0;
    for (let k = 0; k < count; k++) sum += (places[row * count + k]! * factors[k]!) ** 2 / count;
    return sum;
  }).sort();
  const near = Math.max(1, distances[Math.floor(NEAR_PART * (distances.length - 1))]!);
  return { components, limits: [near, FAR_FACTOR * near] };
}

function factorsOf({ variances }: Components): Float64Array {
  const most = variances.reduce((a, b) => Math.max(a, b), 0);
  return variances.map((variance) => 1 / Math.sqrt(Math.max(variance, LEAST_VARIANCE * most, 1e-12)));
}

/** Of rows (B, width): (B, 1), from 1 where they are near to 0; in between, by the logarithm of their distance. */
export function nearValue(s: Scope, rows: Value, { components, limits: [near, far] }: Nearness): Value {
  const { width, count, means, vectors } = components;
  const factors = factorsOf(components);
  const scaled = Float64Array.from(
    { length: width * count },
    (_, i) => vectors[(i % count) * width + Math.floor(i / count)]! * factors[i % count]!,
  );
  const distance = rows
    .sub(kept(s, 'means', means, [width]))
    .matmul(kept(s, 'vectors', scaled, [width, count]))
    .square()
    .mean([1], true);
  return distance
    .max(1e-6)
    .log()
    .sub(Math.log(far))
    .mul(-1 / Math.log(far / near))
    .max(0)
    .min(1);
}

// A member of GENNAPE that the paper does not have: an order of networks by what is on their paths, which holds in families
// that no label is known of. Directions of its terms are known before any label; labels say how much each counts.
import type { Model } from '../../graph/graph.js';
import { tensorNumbers } from '../../graph/tensor.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { fitCurvedOrder } from '../curved-order.js';
import { type Curve, curveValue } from '../family-curve.js';
import type { Prepared } from '../fit.js';
import type { FeatureRows } from '../views/feature-rows.js';
import { kept } from './head-inputs.js';

export interface StructureOrder {
  /** By feature. */
  readonly weights: Float64Array;
  /** By label. */
  readonly curves: readonly Curve[];
}

/** Where a file has the weights. */
export const STRUCTURE = 'structure';
const WEIGHTS = 'weights';

/** The order of the first label, and curves of all labels by it, from some of the rows. */
export function fitStructure(
  rows: FeatureRows,
  prepared: Prepared,
  chosen: Iterable<number>,
): StructureOrder {
  const { order, curves } = fitCurvedOrder(rows, prepared, [...chosen]);
  return { ...order, curves };
}

/** The weights that a file was written with. */
export function structureFrom({ graph }: Model): Float64Array | undefined {
  const tensor = graph.initializers.get(`${STRUCTURE}.${WEIGHTS}`);
  return tensor && Float64Array.from(tensorNumbers(tensor));
}

/** (B, F) → (B, 1), higher being better. */
export function structureScore(s: Scope, x: Value, weights: Float64Array): Value {
  return x.matmul(kept(s.at(STRUCTURE), WEIGHTS, weights, [weights.length, 1]));
}

/** (B, 1) → (B, labels). */
export function structureValues(score: Value, curves: readonly Curve[]): Value {
  const each = curves.map((curve) => curveValue(curve, score));
  return each.length === 1 ? each[0]! : score.builder.concat(each, 1);
}

// A member of GENNAPE that the paper does not have: an order of networks by what is on their paths, which holds in families
// that no label is known of. Directions of its terms are known before any label; labels say how much each counts.
import type { Model } from '../../graph/graph.js';
import { tensorNumbers } from '../../graph/tensor.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { type Curve, curveValue, fitCurve, topOf } from '../family-curve.js';
import { fitFamilyOrder, rowsByFamily, scoresOf } from '../family-order.js';
import type { Prepared } from '../fit.js';
import { column } from '../labels.js';
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
  { labels, families }: Prepared,
  chosen: Iterable<number>,
): StructureOrder {
  const some = [...chosen];
  const sign = labels.better?.[0] === 'lower' ? -1 : 1;
  const known = (truths: Float64Array): Map<string, number[]> =>
    rowsByFamily(
      families,
      some.filter((row) => !Number.isNaN(truths[row])),
    );
  const better = column(labels, 0).map((y) => sign * y);
  const order = fitFamilyOrder(rows, better, known(better));
  const scores = scoresOf(rows, order);
  const curves = labels.names.map((_, label) => {
    const truths = column(labels, label);
    const rises = labels.better?.[label] === 'lower' ? -1 : 1;
    return fitCurve(scores, truths, [...known(truths).values()], topOf(labels, label), rises);
  });
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

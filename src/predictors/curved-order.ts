// One order of networks, learned from orders within families, and every label as a curve of it.
import { type Curve, fitCurve, topOf } from './family-curve.js';
import { type FamilyOrder, fitFamilyOrder, rowsByFamily, scoresOf } from './family-order.js';
import type { Prepared } from './fit.js';
import { column } from './labels.js';
import type { FeatureRows } from './views/feature-rows.js';

export interface CurvedOrder {
  readonly order: FamilyOrder;
  /** By label. */
  readonly curves: readonly Curve[];
}

/** Fits the order to the first label, whichever way that is better, and curves of it to all, from some of the rows. */
export function fitCurvedOrder(
  rows: FeatureRows,
  { labels, families }: Prepared,
  chosen: readonly number[],
): CurvedOrder {
  const signOf = (label: number): 1 | -1 => (labels.better?.[label] === 'lower' ? -1 : 1);
  const known = (truths: Float64Array): Map<string, number[]> =>
    rowsByFamily(
      families,
      chosen.filter((row) => !Number.isNaN(truths[row])),
    );
  const better = column(labels, 0).map((y) => signOf(0) * y);
  const order = fitFamilyOrder(rows, better, known(better));
  const scores = scoresOf(rows, order);
  const curves = labels.names.map((_, label) => {
    const truths = column(labels, label);
    return fitCurve(scores, truths, [...known(truths).values()], topOf(labels, label), signOf(label));
  });
  return { order, curves };
}

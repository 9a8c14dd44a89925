// Labels as curves of one order of networks: how accurate a network is by its place among others.
import type { Value } from '../ops/build.js';
import type { Labels } from './labels.js';

/** Errors below this part of the largest value are not told apart. */
const LEAST_ERROR = 0.005;
/** Curves rise at least this much per deviation of the order, so that no two networks tie. */
const LEAST_SLOPE = 1e-3;
/** What accuracies cannot pass, by unit. */
const TOPS: Readonly<Record<string, number>> = { '%': 100, fraction: 1 };

/** What a label cannot pass, where that is known. */
export function topOf({ better, units }: Labels, label: number): number | undefined {
  return better?.[label] === 'lower' ? undefined : TOPS[units?.[label] ?? ''];
}

/** A label by the order: top − e^(a + b·score) and not below 0, or a + b·score where values have no top. */
export interface Curve {
  readonly a: number;
  readonly b: number;
  readonly top: number | undefined;
}

/**
 * Least squares, families counting alike. Values with a top are compared between families; others may be of other units in
 * each, so that only differences within families say how much they rise. Curves never fall where the order rises.
 */
export function fitCurve(
  scores: Float64Array,
  truths: Float64Array,
  groups: readonly (readonly number[])[],
  top: number | undefined,
  sign: 1 | -1,
): Curve {
  const target = (y: number): number =>
    top === undefined ? y : Math.log(Math.max(top - y, LEAST_ERROR * top));
  const means = groups.map((some) => meansOf(some, scores, truths, target));
  const centre = [0, 1].map((i) => means.reduce((sum, mean) => sum + mean[i]! / means.length, 0));
  let [variance, covariance] = [0, 0];
  groups.forEach((some, g) => {
    const [x1, y1] = top === undefined ? means[g]! : centre;
    for (const row of some) {
      const dx = scores[row]! - x1!;
      variance += (dx * dx) / some.length;
      covariance += (dx * (target(truths[row]!) - y1!)) / some.length;
    }
  });
  const slope = variance > 1e-12 ? covariance / variance : 0;
  const direction = top === undefined ? sign : -1;
  const b = direction * Math.max(direction * slope, LEAST_SLOPE);
  return { a: centre[1]! - b * centre[0]!, b, top };
}

function meansOf(
  rows: readonly number[],
  scores: Float64Array,
  truths: Float64Array,
  target: (y: number) => number,
): readonly [number, number] {
  const mean = (of: (row: number) => number): number =>
    rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  return [mean((row) => scores[row]!), mean((row) => target(truths[row]!))];
}

export function curveAt({ a, b, top }: Curve, score: number): number {
  return top === undefined ? a + b * score : Math.max(0, top - Math.exp(a + b * score));
}

/** The same in a graph. */
export function curveValue({ a, b, top }: Curve, score: Value): Value {
  const line = score.mul(b).add(a);
  return top === undefined ? line : line.exp().mul(-1).add(top).relu();
}

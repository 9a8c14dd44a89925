// Labels as normal quantiles of their ranks and back: regressions on few rows are not to follow the one network in fifty that
// learned nothing. Back is a rising line through the means of groups of rows.
import { averageRanks } from '../metrics/order.js';
import type { Value } from '../ops/build.js';
import { normalQuantile } from './pool-order.js';

/** Rows that a knot of the line stands for, at least. */
const KNOT_ROWS = 4;
const MOST_KNOTS = 16;
/** Lines rise by at least this part of their mean slope, so that no two values tie. */
const LEAST_SLOPE = 0.02;

/** Normal quantiles of (rank − ½)/n; equal values have equal ones. */
export function rankQuantiles(values: Float64Array): Float64Array {
  return averageRanks(values).map((rank) => normalQuantile((rank - 0.5) / values.length));
}

/** A rising line with corners at the knots, which goes on beyond the outer ones. */
export class RisingCurve {
  /** (knots) Where corners are, how much lines rise per unit behind each, the value at the first. */
  readonly #knots: readonly number[];
  readonly #slopes: readonly number[];
  readonly #first: number;

  /** @param x quantiles @param y what they stand for, in the same order */
  constructor(x: Float64Array, y: Float64Array) {
    const order = [...x.keys()].sort((a, b) => x[a]! - x[b]!);
    const count = Math.max(2, Math.min(MOST_KNOTS, Math.floor(order.length / KNOT_ROWS)));
    const groups = Array.from({ length: count }, (_, g) =>
      order.slice(Math.round((g * order.length) / count), Math.round(((g + 1) * order.length) / count)),
    ).filter((group) => group.length > 0);
    const means = groups.map((group) => [meanOf(group, x), meanOf(group, y)] as const);
    const corners = means.filter(([at], i) => i === 0 || at > means[i - 1]![0] + 1e-9);
    const [start, end] = [corners[0]!, corners.at(-1)!];
    const mean = end[0] > start[0] ? (end[1] - start[1]) / (end[0] - start[0]) : 1;
    this.#knots = corners.map(([at]) => at);
    this.#slopes = corners
      .slice(1)
      .map(([at, value], i) =>
        Math.max(LEAST_SLOPE * mean, (value - corners[i]![1]) / (at - corners[i]![0])),
      );
    if (this.#slopes.length === 0) this.#slopes = [mean];
    this.#first = start[1];
  }

  at(x: number): number {
    const [knots, slopes] = [this.#knots, this.#slopes];
    const first = (x - knots[0]!) * slopes[0]! + this.#first;
    return slopes
      .slice(1)
      .reduce((sum, slope, i) => sum + Math.max(0, x - knots[i + 1]!) * (slope - slopes[i]!), first);
  }

  /** The same in a graph. */
  apply(x: Value): Value {
    const [knots, slopes] = [this.#knots, this.#slopes];
    const first = x.sub(knots[0]!).mul(slopes[0]!).add(this.#first);
    return slopes.slice(1).reduce(
      (sum, slope, i) =>
        sum.add(
          x
            .sub(knots[i + 1]!)
            .relu()
            .mul(slope - slopes[i]!),
        ),
      first,
    );
  }
}

function meanOf(rows: readonly number[], values: Float64Array): number {
  return rows.reduce((sum, row) => sum + values[row]!, 0) / rows.length;
}

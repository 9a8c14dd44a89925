// Several objectives at once: who dominates whom, fronts and crowding as in NSGA-II (Deb et al., IEEE Transactions on
// Evolutionary Computation 2002). Points are lists of numbers of which less is better; `minimised` makes them.
import { isValued, type Objective, objectiveValues, type Trial, type Valued } from './contract.js';

export type Point = readonly number[];

/** The objectives of a trial with the sign of those turned of which more is better. */
export function minimised(values: readonly number[], objectives: readonly Objective[]): Point {
  return values.map((value, i) => (objectives[i]!.better === 'higher' ? -value : value));
}

/** Nowhere worse and somewhere better. */
export function dominates(a: Point, b: Point): boolean {
  let isSomewhereBetter = false;
  for (let i = 0; i < a.length; i++) {
    if (a[i]! > b[i]!) return false;
    if (a[i]! < b[i]!) isSomewhereBetter = true;
  }
  return isSomewhereBetter;
}

/**
 * Indices of points front by front: the first is dominated by nobody, the next only by points of fronts before it. Deb's
 * fast non-dominated sort, O(M·n²).
 */
export function nonDominatedFronts(points: readonly Point[]): number[][] {
  const dominated = points.map((): number[] => []);
  const dominatedBy = new Uint32Array(points.length);
  for (let i = 0; i < points.length; i++) {
    for (let j = i + 1; j < points.length; j++) {
      if (dominates(points[i]!, points[j]!)) {
        dominated[i]!.push(j);
        dominatedBy[j]!++;
      } else if (dominates(points[j]!, points[i]!)) {
        dominated[j]!.push(i);
        dominatedBy[i]!++;
      }
    }
  }
  const fronts: number[][] = [];
  let front = points.map((_, i) => i).filter((i) => dominatedBy[i] === 0);
  while (front.length > 0) {
    fronts.push(front);
    const next: number[] = [];
    for (const i of front) {
      for (const j of dominated[i]!) {
        dominatedBy[j]!--;
        if (dominatedBy[j] === 0) next.push(j);
      }
    }
    front = next.sort((a, b) => a - b);
  }
  return fronts;
}

/**
 * How alone each point of a front is: the sum over objectives of the gap between its neighbours, as a part of the
 * front's span; infinite at the ends.
 */
export function crowdingDistances(front: readonly Point[]): Float64Array {
  const distances = new Float64Array(front.length);
  const order = front.map((_, i) => i);
  for (let m = 0; m < (front[0]?.length ?? 0); m++) {
    order.sort((a, b) => front[a]![m]! - front[b]![m]! || a - b);
    const [first, last] = [order[0]!, order.at(-1)!];
    const span = front[last]![m]! - front[first]![m]!;
    distances[first] = Number.POSITIVE_INFINITY;
    distances[last] = Number.POSITIVE_INFINITY;
    if (span === 0) continue;
    for (let i = 1; i < order.length - 1; i++) {
      distances[order[i]!]! += (front[order[i + 1]!]![m]! - front[order[i - 1]!]![m]!) / span;
    }
  }
  return distances;
}

/** The trials that no other dominates, in their order; of equal ones all. */
export function paretoFront(trials: readonly Trial[], objectives: readonly Objective[]): Valued[] {
  const valued = trials.filter(isValued);
  const points = valued.map((trial) => minimised(objectiveValues(trial), objectives));
  return valued.filter((_, i) => !points.some((other) => dominates(other, points[i]!)));
}

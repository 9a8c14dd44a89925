// Several objectives at once: who dominates whom, fronts and crowding as in NSGA-II (Deb et al., IEEE Transactions on
// Evolutionary Computation 2002). Points are lists of numbers of which less is better; `minimised` makes them.
import { type Pause, pauses } from '../util/pauses.js';
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
 * Indices of points front by front: the first is dominated by nobody, the next only by points of fronts before it. Each
 * front in the order of the points. Points are taken in lexicographic order, so that none is dominated by a later one
 * (the sequential search of Zhang et al., IEEE Transactions on Evolutionary Computation 2015); O(M·n²) at worst.
 *
 * @param pause awaited for every point
 */
export async function nonDominatedFronts(
  points: readonly Point[],
  pause: Pause = pauses(),
): Promise<number[][]> {
  const fronts: number[][] = [];
  for (const i of lexicographic(points)) {
    const isBeaten = (j: number): boolean => dominates(points[j]!, points[i]!);
    const front = fronts.find((members) => members.findLast(isBeaten) === undefined);
    if (front === undefined) fronts.push([i]);
    else front.push(i);
    await pause();
  }
  return fronts.map((front) => front.sort((a, b) => a - b));
}

/** Indices by the first objective, then the second, and so on. */
function lexicographic(points: readonly Point[]): number[] {
  return points
    .map((_, i) => i)
    .sort((a, b) => {
      const [x, y] = [points[a]!, points[b]!];
      const axis = x.findIndex((value, m) => value !== y[m]);
      return axis < 0 ? a - b : x[axis]! - y[axis]!;
    });
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

/**
 * The Pareto front: the trials that no other dominates, in their order; of equal ones all.
 *
 * @example
 * const objectives = [{ name: 'accuracy', better: 'higher' }, { name: 'latency', better: 'lower' }] as const;
 * const values = [[90, 10], [92, 20], [89, 15]];
 * const trials = values.map((of, index) => ({ index, arch: `net ${index}`, by: 'sample', value: of[0], objectives: of, seconds: 0 }));
 * paretoFront(trials, objectives).map(({ arch }) => arch); // ['net 0', 'net 1']
 */
export function paretoFront(trials: readonly Trial[], objectives: readonly Objective[]): Valued[] {
  const valued = trials.filter(isValued);
  const points = valued.map((trial) => minimised(objectiveValues(trial), objectives));
  const front: number[] = [];
  for (const i of lexicographic(points)) {
    if (!front.some((j) => dominates(points[j]!, points[i]!))) front.push(i);
  }
  return front.sort((a, b) => a - b).map((i) => valued[i]!);
}

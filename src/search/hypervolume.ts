// The volume that a front dominates: the one number that grows whenever a front gets better.
import { isValued, type Objective, objectiveValues, type Trial, type Valued } from './contract.js';
import { dominates, minimised, type Point } from './pareto.js';

/**
 * The volume of all that is dominated by one of the points and dominates the reference, less being better: exact, by
 * slices along the last objective down to two (Knowles 2002; While et al. 2006). O(n log n) for two objectives,
 * O(n² log n) for three. Points that are not better than the reference in every objective add nothing.
 *
 * @example
 * hypervolume([[1, 2], [2, 1]], [3, 3]); // 3
 */
export function hypervolume(points: readonly Point[], reference: Point): number {
  return volume(
    points.filter((point) => point.every((value, i) => value < reference[i]!)),
    reference,
    reference.length,
  );
}

/** @param axes how many of the objectives count, from the first */
function volume(points: readonly Point[], reference: Point, axes: number): number {
  if (points.length === 0) return 0;
  const last = axes - 1;
  const sorted = [...points].sort((a, b) => a[last]! - b[last]!);
  if (axes === 1) return reference[0]! - sorted[0]![0]!;
  if (axes === 2) return area(sorted, reference);
  let sum = 0;
  let slice: Point[] = [];
  sorted.forEach((point, i) => {
    slice = withPoint(slice, point.slice(0, last));
    const thickness = (sorted[i + 1]?.[last] ?? reference[last]!) - point[last]!;
    if (thickness > 0) sum += thickness * volume(slice, reference, last);
  });
  return sum;
}

/** @param sorted by the second objective */
function area(sorted: readonly Point[], [x, y]: Point): number {
  let sum = 0;
  let left = x!;
  for (const [px, py] of sorted) {
    if (px! >= left) continue;
    sum += (left - px!) * (y! - py!);
    left = px!;
  }
  return sum;
}

function withPoint(front: readonly Point[], point: Point): Point[] {
  if (front.some((other) => dominates(other, point))) return [...front];
  return [...front.filter((other) => !dominates(point, other)), point];
}

interface FrontVolume {
  readonly value: number;
  /** The worst of every objective among the trials. */
  readonly reference: readonly number[];
}

/** The volume between the front and the worst values that were seen. */
export function volumeOf(
  trials: readonly Trial[],
  front: readonly Valued[],
  objectives: readonly Objective[],
): FrontVolume {
  const points = trials.filter(isValued).map((trial) => minimised(objectiveValues(trial), objectives));
  const worst = objectives.map((_, i) =>
    points.reduce((most, point) => Math.max(most, point[i]!), Number.NEGATIVE_INFINITY),
  );
  const volume = hypervolume(
    front.map((trial) => minimised(objectiveValues(trial), objectives)),
    worst,
  );
  return { value: volume, reference: minimised(worst, objectives) };
}

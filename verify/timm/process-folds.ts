// Gaussian processes of rows of a table, and what they say of families that were left out.
import {
  fittedScales,
  type GroupDistances,
  type ProcessScales,
  processWeights,
} from '../../src/predictors/gaussian-process.js';
import { Random } from '../../src/util/random.js';

const SEED = 1;
const FOLDS = 10;
/** Rows that scales are fitted to in a fold: time is cubic in them. */
const SCALE_ROWS = 450;

/** Families by fold, in random order. */
export function foldsOf(families: readonly string[], count = FOLDS): ReadonlySet<string>[] {
  const random = Random.seeded(SEED);
  const order = [...families]
    .sort()
    .map((family) => ({ family, at: random.float() }))
    .sort((a, b) => a.at - b.at);
  return Array.from(
    { length: count },
    (_, fold) => new Set(order.filter((__, i) => i % count === fold).map(({ family }) => family)),
  );
}

export interface Process {
  /** Rows that were learned. */
  readonly rows: readonly number[];
  readonly scales: ProcessScales;
  readonly weights: Float64Array;
}

/** @param most rows that scales are fitted to, drawn at random */
export function learnedProcess(
  distances: GroupDistances,
  targets: Float64Array,
  rows: readonly number[],
  most = SCALE_ROWS,
): Process {
  const random = Random.seeded(SEED);
  const drawn = rows
    .map((row) => ({ row, at: random.float() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ row }) => row);
  const steps = fittedScales(part(distances, drawn), pick(targets, drawn), { steps: 25 });
  let step = steps.next();
  while (!step.done) step = steps.next();
  const scales = step.value;
  return { rows, scales, weights: processWeights(part(distances, rows), pick(targets, rows), scales) };
}

/** The sum of d_g/l_g over some groups. */
export function distanceOf(
  { rows: n, of }: GroupDistances,
  { lengths }: Pick<ProcessScales, 'lengths'>,
  [a, b]: readonly [number, number],
  from = 0,
  to = of.length,
): number {
  let sum = 0;
  for (let g = from; g < to; g++) sum += of[g]![a * n + b]! / Math.exp(lengths[g]!);
  return sum;
}

export function pick(values: Float64Array, chosen: readonly number[]): Float64Array {
  return Float64Array.from(chosen, (row) => values[row]!);
}

function part({ rows: n, of }: GroupDistances, chosen: readonly number[]): GroupDistances {
  return {
    rows: chosen.length,
    of: of.map((all) => {
      const some = new Float64Array(chosen.length ** 2);
      chosen.forEach((a, i) => {
        chosen.forEach((b, j) => {
          some[i * chosen.length + j] = all[a * n + b]!;
        });
      });
      return some;
    }),
  };
}

// Fits the model of process-model.ts to measured networks. Everything linear has a normal prior: devices that are known are
// followed as far as the rows ask for it. How strong the priors are is a hypothesis; several are weighed by their marginal
// likelihood, and the mean of all is kept, which is again a model of the same form. Errors are those of rows, or whole
// families, left out; they follow in closed form (Rasmussen & Williams 2006, 5.4.2).

import { cholesky, inverseOf, solved } from '../gaussian-process.js';
import { conformalInterval, type IntervalRule } from '../intervals.js';

/** Measured networks, row by row. */
export interface MeasuredRows {
  /** (rows) log of what was measured. */
  readonly targets: Float64Array;
  /** (rows, devices) log of what devices of the base are predicted to need. */
  readonly base: readonly Float64Array[];
  /** (rows, features) Sizes that values follow linearly. */
  readonly sizes: readonly Float64Array[];
  /** (rows, rows) Distances of networks. */
  readonly distances: Float64Array;
  /** (rows) Families that are left out together; rows by themselves if undefined. */
  readonly families?: readonly string[] | undefined;
}

/** Deviations of priors, in logarithms. */
export interface Hypothesis {
  /** Of the weights of devices: how far this one may be from the mean of all. */
  readonly devices: number;
  /** Of the exponents of sizes. */
  readonly sizes: number;
  /** Of the part that only this device has. */
  readonly own: number;
  readonly noise: number;
}

export interface FittedProcess {
  readonly intercept: number;
  readonly base: readonly number[];
  readonly sizes: readonly number[];
  /** (rows) α. */
  readonly weights: Float64Array;
  /** What distances are divided by. */
  readonly length: number;
  /** The logarithm of the best hypothesis's marginal likelihood, on the rows it was weighed on. */
  readonly likelihood: number;
  /** (rows) What is predicted of each row without its family. */
  readonly left: Float64Array;
  /** (rows) Distances to the nearest row of another family. */
  readonly nearest: Float64Array;
  readonly interval: IntervalRule;
  /** Within this distance are nearly all of the rows. */
  readonly farthest: number;
}

/** Of the intercept, and of the slope of the mean of all devices, which is 1 by default. */
const INTERCEPT = 5;
const SLOPE = 0.4;
/** Rows that hypotheses are weighed on; the likelihood of more takes long. */
const WEIGHED_ROWS = 160;
/** Hypotheses below this part of the best are not followed. */
const LEAST_PART = 0.05;
const MOST_KEPT = 3;
const WITHIN = 0.95;
/** Of the process, in median distances of rows. */
const LENGTH = 2;

/** Of devices that resemble known ones. */
export const HYPOTHESES: readonly Hypothesis[] = [0.2, 0.6, 1.5].flatMap((devices) =>
  [0.02, 0.15].flatMap((sizes) =>
    [0.05, 0.15, 0.4].flatMap((own) => [0.015, 0.05].map((noise) => ({ devices, sizes, own, noise }))),
  ),
);

/** Of devices without a base. */
export const ALONE: readonly Hypothesis[] = [0.2, 0.5].flatMap((own) =>
  [0.01, 0.04].map((noise) => ({ devices: 0, sizes: 1, own, noise })),
);

/** @param length what distances are divided by */
export function fitProcess(
  rows: MeasuredRows,
  hypotheses: readonly Hypothesis[] = rows.base.length > 0 ? HYPOTHESES : ALONE,
  length = LENGTH * medianDistance(rows),
): FittedProcess {
  const { weighed, likelihood } = weights(rows, hypotheses, length);
  const parts = weighed.map(({ hypothesis, weight }) => ({
    weight,
    ...conditioned(rows, hypothesis, length),
  }));
  const mean = (of: (part: Conditioned) => ArrayLike<number>): Float64Array => {
    const sum = new Float64Array(of(parts[0]!).length);
    for (const part of parts) {
      const values = of(part);
      sum.forEach((_, i) => {
        sum[i]! += part.weight * values[i]!;
      });
    }
    return sum;
  };
  const [intercept = 0, ...linear] = mean(({ linear }) => linear);
  const devices = rows.base[0]?.length ?? 0;
  const medians = mean(({ left }) => left);
  const shift = relativeShift(medians, rows.targets);
  const left = medians.map((log) => log + shift);
  const nearest = nearestOthers(rows, length);
  return {
    intercept: intercept + shift,
    base: linear.slice(0, devices),
    sizes: linear.slice(devices),
    weights: mean(({ weights }) => weights),
    length,
    likelihood,
    left,
    nearest,
    interval: intervalOf(left, rows.targets, nearest),
    farthest: quantile(nearest, WITHIN),
  };
}

/** Hypotheses that rows speak for, with weights whose sum is 1. */
function weights(
  rows: MeasuredRows,
  hypotheses: readonly Hypothesis[],
  length: number,
): {
  readonly weighed: readonly { readonly hypothesis: Hypothesis; readonly weight: number }[];
  readonly likelihood: number;
} {
  if (hypotheses.length === 1) {
    return { weighed: [{ hypothesis: hypotheses[0]!, weight: 1 }], likelihood: Number.NaN };
  }
  const n = rows.targets.length;
  const step = Math.max(1, n / WEIGHED_ROWS);
  const chosen = Array.from({ length: Math.min(n, WEIGHED_ROWS) }, (_, i) => Math.floor(i * step));
  const some = n > WEIGHED_ROWS ? subset(rows, chosen) : rows;
  const found = hypotheses
    .map((hypothesis) => ({
      hypothesis,
      likelihood: conditioned(some, hypothesis, length, false).likelihood,
    }))
    .sort((a, b) => b.likelihood - a.likelihood);
  const best = found[0]!.likelihood;
  const kept = found
    .map(({ hypothesis, likelihood }) => ({ hypothesis, weight: Math.exp(likelihood - best) }))
    // Few rows speak for none: then all are asked, as they cost nothing.
    .filter(({ weight }, i) => n <= WEIGHED_ROWS || (i < MOST_KEPT && weight >= LEAST_PART));
  const total = kept.reduce((sum, { weight }) => sum + weight, 0);
  return {
    weighed: kept.map(({ hypothesis, weight }) => ({ hypothesis, weight: weight / total })),
    likelihood: best,
  };
}

interface Conditioned {
  /** Of the intercept, devices and sizes. */
  readonly linear: Float64Array;
  readonly weights: Float64Array;
  readonly left: Float64Array;
  readonly likelihood: number;
}

/** The process under a hypothesis, given the rows. */
function conditioned(
  rows: MeasuredRows,
  hypothesis: Hypothesis,
  length: number,
  isLeaving = true,
): Conditioned {
  const { targets, distances } = rows;
  const n = targets.length;
  const design = designOf(rows, hypothesis);
  const kernel = new Float64Array(n * n);
  for (let a = 0; a < n; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = hypothesis.own ** 2 * Math.exp(-distances[a * n + b]! / length);
      for (const { column, deviation } of design.columns) sum += deviation ** 2 * column[a]! * column[b]!;
      if (a === b) sum += hypothesis.noise ** 2;
      kernel[a * n + b] = sum;
      kernel[b * n + a] = sum;
    }
  }
  const residuals = targets.map((y, i) => y - design.mean[i]!);
  const factor = cholesky(kernel, n);
  const alpha = solved(factor, residuals);
  let likelihood = 0;
  for (let i = 0; i < n; i++) likelihood -= 0.5 * residuals[i]! * alpha[i]! + Math.log(factor[i * n + i]!);
  const left = new Float64Array(n);
  if (isLeaving) {
    const errors = leftErrors(inverseOf(factor, n), alpha, rows.families);
    errors.forEach((error, i) => {
      left[i] = targets[i]! - error;
    });
  }
  return {
    linear: design.linear(alpha),
    weights: alpha.map((a) => hypothesis.own ** 2 * a),
    left,
    likelihood,
  };
}

interface Column {
  readonly column: Float64Array;
  readonly deviation: number;
}

/** Columns of the linear part: the intercept, the mean device, how devices differ from it, and sizes; all but one centred. */
function designOf(
  { targets, base, sizes }: MeasuredRows,
  { devices: deviation, sizes: exponents }: Hypothesis,
): {
  readonly mean: Float64Array;
  readonly columns: readonly Column[];
  readonly linear: (alpha: Float64Array) => Float64Array;
} {
  const n = targets.length;
  const devices = base[0]?.length ?? 0;
  const mean = Float64Array.from({ length: n }, (_, i) =>
    devices === 0 ? 0 : base[i]!.reduce((sum, log) => sum + log / devices, 0),
  );
  const one: Column = { column: new Float64Array(n).fill(1), deviation: INTERCEPT };
  const [slope, slopeCentre] = centred(mean);
  const differences = Array.from({ length: devices }, (_, d) =>
    centred(Float64Array.from({ length: n }, (_, i) => base[i]![d]! - mean[i]!)),
  );
  const width = sizes[0]?.length ?? 0;
  const ofSizes = Array.from({ length: width }, (_, f) =>
    centred(Float64Array.from({ length: n }, (_, i) => sizes[i]![f]!)),
  );
  const perDevice = deviation / Math.sqrt(Math.max(1, devices));
  const columns: Column[] = [
    one,
    ...(devices > 0 ? [{ column: slope, deviation: SLOPE }] : []),
    ...differences.map(([column]) => ({ column, deviation: perDevice })),
    ...ofSizes.map(([column]) => ({ column, deviation: exponents })),
  ];
  const linear = (alpha: Float64Array): Float64Array => {
    const weights = columns.map(({ column, deviation }) =>
      column.reduce((sum, x, i) => sum + x * alpha[i]! * deviation ** 2, 0),
    );
    let [intercept = 0] = weights;
    const rest = weights.slice(1);
    const ofBase = new Float64Array(devices);
    if (devices > 0) {
      const more = rest.shift()!;
      const own = rest.splice(0, devices);
      const ownMean = own.reduce((sum, weight) => sum + weight / devices, 0);
      // The mean device has the exponent 1 before anything is learned.
      own.forEach((weight, d) => {
        ofBase[d] = (1 + more) / devices + weight - ownMean;
        intercept -= weight * differences[d]![1];
      });
      intercept -= more * slopeCentre;
    }
    rest.forEach((weight, f) => {
      intercept -= weight * ofSizes[f]![1];
    });
    return Float64Array.from([intercept, ...ofBase, ...rest]);
  };
  return { mean, columns, linear };
}

function centred(column: Float64Array): readonly [column: Float64Array, centre: number] {
  const centre = column.reduce((sum, x) => sum + x / column.length, 0);
  return [column.map((x) => x - centre), centre];
}

/**
 * Errors of rows that are predicted without their families: (K⁻¹ of the family)⁻¹·α of the family.
 *
 * @param inverse the lower half of K⁻¹
 */
function leftErrors(
  inverse: Float64Array,
  alpha: Float64Array,
  families: readonly string[] | undefined,
): Float64Array {
  const n = alpha.length;
  const errors = new Float64Array(n);
  for (const members of membersOf(families, n)) {
    const size = members.length;
    const block = new Float64Array(size * size);
    members.forEach((a, i) => {
      members.forEach((b, j) => {
        block[i * size + j] = inverse[Math.max(a, b) * n + Math.min(a, b)]!;
      });
    });
    const own = solved(
      cholesky(block, size),
      members.map((row) => alpha[row]!),
    );
    members.forEach((row, i) => {
      errors[row] = own[i]!;
    });
  }
  return errors;
}

function membersOf(families: readonly string[] | undefined, n: number): readonly (readonly number[])[] {
  if (families === undefined) return Array.from({ length: n }, (_, row) => [row]);
  const found = new Map<string, number[]>();
  families.forEach((family, row) => {
    const members = found.get(family);
    if (members === undefined) found.set(family, [row]);
    else members.push(row);
  });
  return [...found.values()];
}

/** Of all pairs; 1 if all networks are alike. */
function medianDistance({ distances, targets }: Pick<MeasuredRows, 'distances' | 'targets'>): number {
  const n = targets.length;
  const pairs: number[] = [];
  for (let a = 1; a < n; a++) for (let b = 0; b < a; b++) pairs.push(distances[a * n + b]!);
  return quantile(Float64Array.from(pairs), 0.5) || 1;
}

/** (rows) Distances to the nearest row of another family. */
function nearestOthers({ distances, families, targets }: MeasuredRows, scale: number): Float64Array {
  const n = targets.length;
  return Float64Array.from({ length: n }, (_, a) => {
    let least = Number.POSITIVE_INFINITY;
    for (let b = 0; b < n; b++) {
      const isOther = families === undefined ? a !== b : families[a] !== families[b];
      if (isOther) least = Math.min(least, distances[a * n + b]!);
    }
    return Number.isFinite(least) ? least / scale : 0;
  });
}

/** Rows that a shift can be told from. */
const SHIFT_ROWS = 40;
const SHIFTS = Array.from({ length: 41 }, (_, i) => -0.1 + 0.004 * i);

/**
 * What is added to the median of a prediction to have the least mean relative error: values that are too high can be wrong
 * by more than 100%, those that are too low cannot.
 */
function relativeShift(left: Float64Array, targets: Float64Array): number {
  if (targets.length < SHIFT_ROWS) return 0;
  const error = (shift: number): number =>
    targets.reduce((sum, y, i) => sum + Math.abs(Math.expm1(left[i]! + shift - y)), 0);
  return SHIFTS.reduce((best, shift) => (error(shift) < error(best) ? shift : best), 0);
}

/** Rows below which no share of them can promise 90%: then errors are taken to be normal. */
const LEAST_ROWS = 10;
/** Student's t for 90% of both sides, by degrees of freedom from 1. */
const STUDENT = [6.31, 2.92, 2.35, 2.13, 2.02, 1.94, 1.89, 1.86, 1.83];

/** Intervals of logarithms, which do not become narrower with distance. */
export function intervalOf(left: Float64Array, targets: Float64Array, nearest: Float64Array): IntervalRule {
  const n = targets.length;
  if (n < LEAST_ROWS) {
    const square = targets.reduce((sum, y, i) => sum + (y - left[i]!) ** 2, 0) / n;
    const halfWidth = (STUDENT[n - 2] ?? STUDENT[0]!) * Math.sqrt(square);
    return { coverage: 0.9, rows: n, groups: [{ halfWidth }] };
  }
  const rule = conformalInterval(left, targets, { distances: nearest });
  let widest = 0;
  const groups = rule.groups.map((group) => {
    widest = Math.max(widest, group.halfWidth);
    return { ...group, halfWidth: widest };
  });
  return { ...rule, groups };
}

function quantile(values: Float64Array, part: number): number {
  const sorted = values.slice().sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

function subset(rows: MeasuredRows, chosen: readonly number[]): MeasuredRows {
  const n = rows.targets.length;
  const distances = new Float64Array(chosen.length ** 2);
  chosen.forEach((a, i) => {
    chosen.forEach((b, j) => {
      distances[i * chosen.length + j] = rows.distances[a * n + b]!;
    });
  });
  const pick = <T>(of: readonly T[]): T[] => chosen.map((row) => of[row]!);
  return {
    targets: Float64Array.from(chosen, (row) => rows.targets[row]!),
    base: rows.base.length > 0 ? pick(rows.base) : [],
    sizes: pick(rows.sizes),
    distances,
    families: rows.families && pick(rows.families),
  };
}

// Makes a device of measured networks: fits the process, and says how wrong it is.

import { coverageOf } from '../intervals.js';
import type { Device, DeviceError, MeasuredOn } from './device.js';
import { type FittedProcess, fitProcess, type Hypothesis, intervalOf } from './fit-process.js';
import { encodeFloats, type KnownPoints, knownPoints, type PointsDocument } from './known-points.js';
import { PROCESS, type ProcessDocument } from './process-model.js';

/** Features that values follow linearly, where no device is known that they follow. */
const SIZES = [
  'logMacs',
  'logKernelMoved',
  'logKernels',
  'logParameters',
  'live.macs',
  'live.moved',
] as const;

export interface DeviceRows {
  /** Of what was measured, in the unit of the device. */
  readonly measured: ArrayLike<number>;
  /** (rows) Work features of the networks. */
  readonly features: readonly Readonly<Record<string, number>>[];
  /** The set that has the networks, and their places in it. */
  readonly points: PointsDocument;
  /** The name of that set, if it comes with the package. */
  readonly pointsName?: string;
  readonly places: readonly number[];
  readonly families?: readonly string[] | undefined;
  /** (devices) Devices of the package, and what they are predicted to need for each row. */
  readonly base: readonly { readonly name: string; readonly values: ArrayLike<number> }[];
  /** Of the groups of features. */
  readonly lengths: readonly number[];
  /** Half a width for families that were not measured. */
  readonly beyond?: number;
  readonly hypotheses?: readonly Hypothesis[];
  /** What distances are divided by. */
  readonly length?: number;
}

export interface FittedDevice {
  readonly device: Device;
  /** (rows) What is predicted of each row without it, or without its family. */
  readonly left: Float64Array;
  readonly likelihood: number;
}

/** @param about all of the device but what follows from the rows */
export function processDevice(
  about: Pick<Device, 'name' | 'quantity' | 'unit'> & {
    readonly measured: Omit<MeasuredOn, 'networks' | 'families'>;
  },
  rows: DeviceRows,
): FittedDevice {
  const { features, families, base } = rows;
  const n = features.length;
  const targets = Float64Array.from(rows.measured, Math.log);
  const points = knownPoints(rows.points);
  const fitted = fitProcess(
    {
      targets,
      base:
        base.length === 0
          ? []
          : features.map((_, i) => Float64Array.from(base, ({ values }) => Math.log(values[i]!))),
      sizes: features.map((of) => Float64Array.from(SIZES, (name) => of[name] ?? 0)),
      distances: distancesOf(points, rows.places, rows.lengths),
      families,
    },
    rows.hypotheses,
    rows.length,
  );
  const model: ProcessDocument = {
    kind: PROCESS,
    base: base.map(({ name }) => name),
    linear: {
      intercept: fitted.intercept,
      base: [...fitted.base],
      features: Object.fromEntries(SIZES.map((name, i) => [name, fitted.sizes[i]!])),
    },
    lengths: rows.lengths.map((length) => length * fitted.length),
    points: rows.pointsName ?? rows.points,
    ...(rows.places.length === points.networks.length ? {} : { rows: [...rows.places] }),
    weights: encodeFloats(fitted.weights),
    interval: { ...fitted.interval, groups: [...fitted.interval.groups] } as ProcessDocument['interval'],
    farthest: fitted.farthest,
    beyond: rows.beyond ?? 0,
  };
  const known = families === undefined ? null : new Set(families).size;
  return {
    device: {
      schema: 'auspex.device/1',
      ...about,
      measured: { ...about.measured, networks: n, families: known },
      error: errorOf(targets, fitted, families),
      model,
    },
    left: fitted.left.map(Math.exp),
    likelihood: fitted.likelihood,
  };
}

/** (rows, rows) Distances of known networks. */
export function distancesOf(
  points: KnownPoints,
  places: readonly number[],
  lengths: readonly number[],
): Float64Array {
  const n = places.length;
  const all = new Float64Array(n * n);
  for (let a = 0; a < n; a++) {
    const row = points.row(places[a]!);
    for (let b = 0; b < a; b++) {
      const distance = points.distance(row, places[b]!, lengths);
      all[a * n + b] = distance;
      all[b * n + a] = distance;
    }
  }
  return all;
}

/** Errors of logarithms as parts of the measured values. */
function errorOf(
  targets: Float64Array,
  { left, nearest }: Pick<FittedProcess, 'left' | 'nearest'>,
  families: readonly string[] | undefined,
): DeviceError {
  const errors = targets.map((y, i) => Math.abs(Math.exp(left[i]! - y) - 1));
  const sorted = errors.slice().sort();
  return {
    leftOut: families === undefined ? 'networks' : 'families',
    networks: targets.length,
    mape: (100 * errors.reduce((sum, error) => sum + error, 0)) / errors.length,
    medianError: 100 * sorted[Math.floor(sorted.length / 2)]!,
    within10: errors.filter((error) => error <= 0.1).length / errors.length,
    coverage: crossCoverage(targets, left, nearest, families),
  };
}

const FOLDS = 5;
/** Fewer rows say nothing of a share of 90%. */
const LEAST_ROWS = 25;

/** The share within intervals whose widths were made without their families. */
function crossCoverage(
  targets: Float64Array,
  left: Float64Array,
  nearest: Float64Array,
  families: readonly string[] | undefined,
): number | null {
  const keys = families ?? Array.from(targets, (_, i) => String(i));
  const names = [...new Set(keys)];
  if (targets.length < LEAST_ROWS || names.length < FOLDS) return null;
  const foldOf = new Map(names.map((name, i) => [name, i % FOLDS]));
  const folds = keys.map((key) => foldOf.get(key)!);
  let inside = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const pick = (of: Float64Array, isOwn: boolean): Float64Array =>
      of.filter((_, i) => (folds[i] === fold) === isOwn);
    const rule = intervalOf(pick(left, false), pick(targets, false), pick(nearest, false));
    const own = [left, targets, nearest].map((of) => pick(of, true)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    inside += own[0].length * coverageOf(own[0], own[1], rule, 'linear', own[2]);
  }
  return inside / targets.length;
}

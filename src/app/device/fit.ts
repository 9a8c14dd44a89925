// Fits a device to measured networks, starting from the devices of the package: a few rows say which of them it resembles,
// more rows what is its own. Which devices it starts from is told by the marginal likelihood.
import type { Network } from '../../networks/index.js';
import type { Device, MeasuredOn } from '../../predictors/devices/device.js';
import { pointsOf } from '../../predictors/devices/known-points.js';
import { type FittedDevice, processDevice } from '../../predictors/devices/process-device.js';
import { workFeatures } from '../../predictors/devices/work-features.js';
import { AuspexError } from '../../util/errors.js';
import { baseOf, type Devices } from './library.js';

export interface FitRow {
  readonly name: string;
  readonly network: Network;
  /** Milliseconds. */
  readonly ms: number;
  readonly family?: string | undefined;
  /** Of a table, for errors. */
  readonly line?: number | undefined;
}

export interface FitOptions {
  readonly name: string;
  readonly measured: Omit<MeasuredOn, 'networks' | 'families'>;
  /** Nothing is taken from devices of the package. */
  readonly isFromScratch?: boolean;
  readonly onProgress?: ((part: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const LEAST_ROWS = 3;
/** More would take longer than they are worth: time is cubic in them. */
const MOST_ROWS = 1500;
/** A value this far from the others, as a factor, is of another unit. */
const MIXED_UNITS = 300;
/** Half a width for families that were not measured; see the bundled devices. */
const BEYOND = 0.5;

/** @throws AuspexError LATENCY_ROWS, LATENCY_UNITS */
export async function fitDevice(
  rows: readonly FitRow[],
  library: Devices,
  { name, measured, isFromScratch = false, onProgress, signal }: FitOptions,
): Promise<FittedDevice> {
  if (rows.length < LEAST_ROWS || rows.length > MOST_ROWS) {
    throw new AuspexError('LATENCY_ROWS', `a device cannot be fitted to ${rows.length} networks`, {
      hint: `measure from 5 to ${MOST_ROWS}; each counts once`,
    });
  }
  const { devices, lengths, standard } = library.bundled();
  const known = devices.filter(({ quantity }) => quantity === 'latency');
  const said = isFromScratch
    ? new Map<string, Float64Array>()
    : await saidOf(rows, known, library, onProgress, signal);
  expectOneUnit(rows, said);
  const work = rows.map(({ network }) => workFeatures(network));
  const points = pointsOf(
    work.map(({ values, operators }, i) => ({ name: rows[i]!.name, values, operators })),
    standard,
  );
  const hasFamilies = new Set(rows.map(({ family }) => family)).size > 1;
  const general = known.filter(({ model }) => model.points === 'timm' && baseOf({ model }).length === 0);
  const cells = known.filter(({ model }) => model.points === 'cells');
  const bases: readonly Device[][] = isFromScratch ? [[]] : [general, cells, known];
  const fits = bases.map((base) =>
    processDevice(
      { name, quantity: 'latency', unit: 'ms', measured },
      {
        measured: rows.map(({ ms }) => ms),
        features: work.map(({ values }) => values),
        points,
        places: [...rows.keys()],
        families: hasFamilies ? rows.map(({ family }, i) => family ?? `row ${i}`) : undefined,
        base: base.map((device) => ({ name: device.name, values: said.get(device.name)! })),
        lengths,
        beyond: BEYOND,
      },
    ),
  );
  return fits.reduce((best, fit) => (fit.likelihood > best.likelihood ? fit : best));
}

/** What devices are predicted to need for every row. */
export async function saidOf(
  rows: readonly Pick<FitRow, 'network'>[],
  devices: readonly Device[],
  library: Devices,
  onProgress?: (part: number) => void,
  signal?: AbortSignal,
): Promise<Map<string, Float64Array>> {
  const said = new Map<string, Float64Array>();
  const networks = rows.map(({ network }) => network);
  for (const [i, device] of devices.entries()) {
    signal?.throwIfAborted();
    const model = await library.open(device, `bundled:${device.name}`);
    const found = await model.predict(networks, signal);
    said.set(
      device.name,
      Float64Array.from(found, ({ value }) => value),
    );
    onProgress?.((i + 1) / devices.length);
  }
  return said;
}

/** Seconds or microseconds among milliseconds are a thousand times off. */
function expectOneUnit(rows: readonly FitRow[], said: ReadonlyMap<string, Float64Array>): void {
  if (said.size === 0) return;
  const ratios = rows.map(({ ms }, i) => {
    const logs = [...said.values()].map((values) => Math.log(values[i]!));
    return Math.log(ms) - logs.reduce((sum, log) => sum + log / logs.length, 0);
  });
  const middle = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!;
  const odd = ratios.findIndex((ratio) => Math.abs(ratio - middle) > Math.log(MIXED_UNITS));
  if (odd < 0) return;
  const { name, ms, line } = rows[odd]!;
  const far = Math.exp(Math.abs(ratios[odd]! - middle));
  const where = line === undefined ? name : `line ${line} (${name})`;
  throw new AuspexError(
    'LATENCY_UNITS',
    `${ms} ms of ${where} is ${far.toPrecision(2)} times off what the other rows suggest`,
    { hint: 'write all values in milliseconds, of one device and one batch size' },
  );
}

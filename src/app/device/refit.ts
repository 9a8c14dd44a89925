// What `auspex db refit` does: fits devices to what the database has of them, so that every measurement makes the next
// prediction better. A device is one processor with one setting of the runtime; networks are opened again by the names they
// were measured under.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../../networks/index.js';
import type { Device } from '../../predictors/devices/device.js';
import { Database, defaultDatabase, type MeasuredRow } from '../../store/database/index.js';
import { writeOutput } from '../../store/write-file.js';
import { attempt } from '../../util/attempt.js';
import { AuspexError } from '../../util/errors.js';
import { diskResolver } from '../resolve.js';
import { type FitRow, fitDevice } from './fit.js';
import { Devices, deviceFolder } from './library.js';
import { wasBusy } from './measured.js';
import { nearestNames } from './nearest-names.js';
import { nameOf } from './train.js';

export interface RefitOptions {
  readonly db?: string | undefined;
  /** The processor, as `db stats` lists it, or the name of its device; all by default. */
  readonly device?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RefittedDevice {
  readonly device: Device;
  readonly file: string;
  /** The mean error of what was known before, on the same networks, in percent; null if nothing was. */
  readonly before: { readonly name: string; readonly mape: number } | null;
  /** Networks that could not be opened again. */
  readonly skipped: readonly string[];
}

const LEAST_NETWORKS = 5;

/** @throws AuspexError DB_…, DEVICE_UNKNOWN, LATENCY_ROWS */
export async function refitDevices({ db, device, signal }: RefitOptions = {}): Promise<RefittedDevice[]> {
  const path = db ?? defaultDatabase();
  const database = await Database.open(path);
  let rows: readonly MeasuredRow[];
  try {
    rows = await database.measured({});
  } finally {
    await database.close();
  }
  const groups = grouped(rows).filter(({ processor, name }) => !device || [processor, name].includes(device));
  if (groups.length === 0) throw nothing(path, device, rows);
  const folder = deviceFolder(path);
  const refitted: RefittedDevice[] = [];
  const tooFew: string[] = [];
  for (const group of groups) {
    signal?.throwIfAborted();
    const { found, skipped } = opened(group.rows);
    if (found.length < LEAST_NETWORKS) tooFew.push(`${group.name} has ${found.length}`);
    else refitted.push({ ...(await refittedGroup(group, found, folder, signal)), skipped });
  }
  if (refitted.length > 0) return refitted;
  throw new AuspexError(
    'LATENCY_ROWS',
    `a device needs ${LEAST_NETWORKS} measured networks that can still be opened: ${tooFew.join('; ')}`,
    { where: { file: path }, hint: 'measure more: auspex measure a.onnx b.onnx …' },
  );
}

interface Group {
  readonly name: string;
  readonly processor: string;
  readonly rows: readonly MeasuredRow[];
}

/** Of each processor, the measurements with the setting that most networks were measured with. */
function grouped(rows: readonly MeasuredRow[]): Group[] {
  const processors = new Map<string, Map<string, MeasuredRow[]>>();
  for (const row of rows) {
    const settings = processors.get(row.device_name) ?? new Map<string, MeasuredRow[]>();
    processors.set(row.device_name, settings);
    const key = [row.provider, row.threads, row.optimization].join(' ');
    settings.set(key, [...(settings.get(key) ?? []), row]);
  }
  const networks = (of: readonly MeasuredRow[]): number => new Set(of.map((row) => row.network_hash)).size;
  return [...processors].map(([processor, settings]) => ({
    name: nameOf(processor),
    processor,
    rows: [...settings.values()].reduce((most, of) => (networks(of) > networks(most) ? of : most)),
  }));
}

/** The latest measurement of every network and its sizes, the network opened again. */
function opened(rows: readonly MeasuredRow[]): { found: FitRow[]; skipped: string[] } {
  const latest = new Map(rows.map((row) => [`${row.network_hash} ${row.inputs}`, row]));
  const resolver = diskResolver();
  const found: FitRow[] = [];
  const skipped: string[] = [];
  for (const row of latest.values()) {
    const network = attempt(() => sized(resolver.network(row.network_name), row));
    if (network === undefined) skipped.push(row.network_name);
    else found.push({ name: row.network_name, network, ms: steadyMs(row) });
  }
  return { found, skipped: [...new Set(skipped)] };
}

/** Wall time; on a machine that was busy, CPU time says more of one thread. */
function steadyMs(row: MeasuredRow): number {
  const { median_ms, cpu_median_ms, threads } = row;
  return wasBusy(row) && threads === 1 && cpu_median_ms !== null && cpu_median_ms > 0
    ? cpu_median_ms
    : median_ms;
}

/** The network at the sizes it was measured at; throws if it is no longer the same. */
function sized(network: Network, row: MeasuredRow): Network {
  if (network.hash() !== row.network_hash) throw new Error('another network');
  const inputs = JSON.parse(row.inputs) as { name: string; shape: number[] }[];
  const sizes =
    network.file === undefined
      ? { batch: inputs[0]?.shape[0] ?? 1 }
      : { shapes: Object.fromEntries(inputs.map(({ name, shape }) => [name, shape])) };
  return network.at(sizes).settled();
}

async function refittedGroup(
  { name, processor, rows }: Group,
  found: readonly FitRow[],
  folder: string,
  signal: AbortSignal | undefined,
): Promise<Omit<RefittedDevice, 'skipped'>> {
  const library = new Devices(folder);
  const before = await errorBefore(name, found, library);
  const last = rows.at(-1)!;
  const { device } = await fitDevice(found, library, {
    name,
    measured: {
      device: processor,
      runtime: last.runtime,
      precision: null,
      batch: null,
      threads: last.threads > 0 ? last.threads : null,
      date: last.measured_at.slice(0, 10),
      source: 'measured with auspex',
    },
    signal,
  });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.device.json`);
  await writeOutput(file, `${JSON.stringify(device)}\n`);
  return { device, file, before };
}

/** What the device was known as before: its own model, or the bundled device that is nearest up to a constant. */
async function errorBefore(
  name: string,
  rows: readonly FitRow[],
  library: Devices,
): Promise<RefittedDevice['before']> {
  const known = library.all().find(({ device }) => device.name === name);
  if (known === undefined) return null;
  const model = await library.open(known.device, known.file ?? `bundled:${name}`);
  const said = await model.predict(rows.map(({ network }) => network));
  const sum = rows.reduce((total, { ms }, i) => total + Math.abs(said[i]!.value / ms - 1), 0);
  return { name, mape: (100 * sum) / rows.length };
}

function nothing(path: string, device: string | undefined, rows: readonly MeasuredRow[]): AuspexError {
  if (device === undefined || rows.length === 0) {
    return new AuspexError('LATENCY_ROWS', 'the database has no measurements', {
      where: { file: path },
      hint: 'measure some networks: auspex measure a.onnx b.onnx …',
    });
  }
  const names = [...new Set(rows.map((row) => nameOf(row.device_name)))];
  return new AuspexError('DEVICE_UNKNOWN', `nothing was measured on '${device}'`, {
    where: { file: path },
    hint: `choose from ${nearestNames(device, names).join(', ')}`,
  });
}

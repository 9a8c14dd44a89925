// What `auspex train latency` does: fits a device to a table of measured networks and writes it.
import { basename } from 'node:path';
import type { Device } from '../../predictors/devices/device.js';
import { checkOutputs } from '../../store/outputs.js';
import { writeOutput } from '../../store/write-file.js';
import { AuspexError } from '../../util/errors.js';
import { version } from '../version.js';
import { fitDevice } from './fit.js';
import { Devices } from './library.js';
import { type MeasuredNetwork, measuredNetworks } from './measured-table.js';

export interface LatencyRequest {
  readonly data: string;
  readonly output: string;
  readonly arch?: string | undefined;
  readonly label?: string | undefined;
  readonly group?: string | undefined;
  readonly space?: string | undefined;
  /** `bundled` by default. */
  readonly from?: string | undefined;
  readonly isFromScratch?: boolean;
  readonly force?: boolean | undefined;
}

/** What was measured of a row, and predicted without it. */
export interface LeftRow {
  readonly name: string;
  readonly ms: number;
  readonly predicted: number;
}

export interface TrainedDevice {
  readonly device: Device;
  readonly file: string;
  readonly rows: readonly LeftRow[];
}

const ENDING = /\.device\.json$/;

/** @throws AuspexError BAD_OPTION, TABLE_…, LATENCY_…, OUTPUT_…, and what opening networks throws */
export async function trainLatency(
  request: LatencyRequest,
  options: { readonly onProgress?: (part: number) => void; readonly signal?: AbortSignal } = {},
): Promise<TrainedDevice> {
  const { data, output, from = 'bundled', isFromScratch = false, force } = request;
  if (!ENDING.test(output)) {
    throw new AuspexError(
      'BAD_OPTION',
      `a device is written to a file that ends in .device.json, not to '${output}'`,
      {
        hint: '-o my-board.device.json',
      },
    );
  }
  if (from !== 'bundled') {
    throw new AuspexError('BAD_OPTION', `a device cannot start from '${from}'`, {
      hint: '--from bundled starts from all devices of the package; --scratch from none',
    });
  }
  checkOutputs({ outputs: [{ path: output, kind: 'device' }], inputs: [data], force });
  const rows = uniqueRows(measuredNetworks(data, request));
  const name = nameOf(output);
  const { device, left } = await fitDevice(rows, new Devices(), {
    name,
    measured: {
      device: name,
      runtime: null,
      precision: null,
      batch: null,
      threads: null,
      date: new Date().toISOString().slice(0, 10),
      source: `${basename(data)}, fitted by auspex ${version()}`,
    },
    isFromScratch,
    ...options,
  });
  options.signal?.throwIfAborted();
  await writeOutput(output, `${JSON.stringify(device)}\n`, options.signal ? { signal: options.signal } : {});
  return {
    device,
    file: output,
    rows: rows.map(({ name, ms }, i) => ({ name, ms, predicted: left[i]! })),
  };
}

/** A name that devices may have, of the name of a file. */
export function nameOf(file: string): string {
  const name = basename(file)
    .replace(ENDING, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
  return name === '' ? 'device' : name;
}

/** Networks that were measured several times count once, with the median. */
export function uniqueRows(rows: readonly MeasuredNetwork[]): MeasuredNetwork[] {
  const found = new Map<string, MeasuredNetwork[]>();
  for (const row of rows) {
    const key = row.network.key();
    const same = found.get(key);
    if (same === undefined) found.set(key, [row]);
    else same.push(row);
  }
  return [...found.values()].map((same) => {
    const ordered = same.toSorted((a, b) => a.ms - b.ms);
    return ordered[Math.floor((ordered.length - 1) / 2)]!;
  });
}

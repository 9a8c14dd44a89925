// Measurements as rows of the database.
import { createHash } from 'node:crypto';
import type { DeviceRow, TableRow } from '../../store/database/index.js';
import type { MeasureDocument, MeasureRow } from '../documents/measure.js';

/** What a row of a document belongs to. */
export type MeasuredOn = Pick<MeasureDocument, 'machine' | 'runner' | 'auspex' | 'rule' | 'seed'>;

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

/** Undefined for what must not be stored: measurements that were stopped, or whose network is unknown. */
export function storedRows(row: MeasureRow, on: MeasuredOn, date: string): TableRow[] | undefined {
  if (row.hash === null || row.stopped !== null) return undefined;
  const device = deviceOf(on, date);
  const { profile: _, regression: __, ...kept } = row;
  const inputs = JSON.stringify(row.inputs.map(({ name, type, shape }) => ({ name, type, shape })));
  const document = JSON.stringify({ ...kept, auspex: on.auspex, rule: on.rule, seed: on.seed });
  return [
    { table: 'networks', row: { hash: row.hash, name: row.network, first_seen: date } },
    { table: 'devices', row: device },
    {
      table: 'measurements',
      row: {
        id: digest([row.hash, device.id, date, document]),
        network_hash: row.hash,
        device_id: device.id,
        measured_at: date,
        runtime: row.runtime,
        provider: row.provider,
        threads: row.threads,
        optimization: row.optimization,
        inputs,
        median_ms: row.wallMs.median,
        cpu_median_ms: row.cpuMs?.median ?? null,
        runs: row.wallMs.runs,
        peak_bytes: row.memory?.peakBytes ?? null,
        document,
      },
    },
  ];
}

function deviceOf({ machine, runner }: MeasuredOn, date: string): DeviceRow {
  if (runner !== null) {
    const own = { name: runner, cores: null, memory_bytes: null, platform: null };
    return { id: digest(own), ...own, first_seen: date };
  }
  const { processor, cores, memoryBytes, platform } = machine;
  const own = { name: processor, cores, memory_bytes: memoryBytes, platform };
  return { id: digest(own), ...own, first_seen: date };
}

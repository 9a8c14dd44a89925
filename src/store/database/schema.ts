// The tables of the database, in one place: types for queries, and the statements that create them. Columns have types that
// SQLite and PostgreSQL share; JSON is text.
import type { Kysely } from 'kysely';

/** Grows when tables change; a database of a newer version is refused. */
export const SCHEMA_VERSION = 1;

export interface NetworkRow {
  /** The structure hash. */
  hash: string;
  /** The name it was first measured under. */
  name: string;
  first_seen: string;
}

export interface DeviceRow {
  /** Digest of all that describes it. */
  id: string;
  /** The processor, or the command of a runner. */
  name: string;
  cores: number | null;
  memory_bytes: number | null;
  platform: string | null;
  first_seen: string;
}

export interface MeasurementRow {
  /** Digest of the measurement: importing it twice changes nothing. */
  id: string;
  network_hash: string;
  device_id: string;
  measured_at: string;
  runtime: string | null;
  provider: string;
  threads: number;
  optimization: string;
  /** Names, types and shapes of the inputs, as JSON. */
  inputs: string;
  median_ms: number;
  cpu_median_ms: number | null;
  runs: number;
  peak_bytes: number | null;
  /** Everything else that was measured: the row of the JSON document, as JSON. */
  document: string;
}

export interface PredictionRow {
  id: string;
  network_hash: string;
  device_name: string;
  predictor: string;
  inputs: string;
  median_ms: number;
  low_ms: number | null;
  high_ms: number | null;
  predicted_at: string;
}

export interface Tables {
  meta: { key: string; value: string };
  networks: NetworkRow;
  devices: DeviceRow;
  measurements: MeasurementRow;
  predictions: PredictionRow;
}

/** Tables that are exported, in the order in which they can be imported. */
export const DATA_TABLES = ['networks', 'devices', 'measurements', 'predictions'] as const;
export type DataTable = (typeof DATA_TABLES)[number];

/** The key that makes a row unique. */
export const KEYS = { networks: 'hash', devices: 'id', measurements: 'id', predictions: 'id' } as const;

export async function createTables(db: Kysely<Tables>): Promise<void> {
  const table = (name: keyof Tables) => db.schema.createTable(name).ifNotExists();
  await table('meta')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await table('networks')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('first_seen', 'text', (c) => c.notNull())
    .execute();
  await table('devices')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('cores', 'integer')
    .addColumn('memory_bytes', 'bigint')
    .addColumn('platform', 'text')
    .addColumn('first_seen', 'text', (c) => c.notNull())
    .execute();
  await table('measurements')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('network_hash', 'text', (c) => c.notNull().references('networks.hash'))
    .addColumn('device_id', 'text', (c) => c.notNull().references('devices.id'))
    .addColumn('measured_at', 'text', (c) => c.notNull())
    .addColumn('runtime', 'text')
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('threads', 'integer', (c) => c.notNull())
    .addColumn('optimization', 'text', (c) => c.notNull())
    .addColumn('inputs', 'text', (c) => c.notNull())
    .addColumn('median_ms', 'double precision', (c) => c.notNull())
    .addColumn('cpu_median_ms', 'double precision')
    .addColumn('runs', 'integer', (c) => c.notNull())
    .addColumn('peak_bytes', 'bigint')
    .addColumn('document', 'text', (c) => c.notNull())
    .execute();
  await table('predictions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('network_hash', 'text', (c) => c.notNull().references('networks.hash'))
    .addColumn('device_name', 'text', (c) => c.notNull())
    .addColumn('predictor', 'text', (c) => c.notNull())
    .addColumn('inputs', 'text', (c) => c.notNull())
    .addColumn('median_ms', 'double precision', (c) => c.notNull())
    .addColumn('low_ms', 'double precision')
    .addColumn('high_ms', 'double precision')
    .addColumn('predicted_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('measurements_by_network')
    .ifNotExists()
    .on('measurements')
    .columns(['network_hash', 'device_id'])
    .execute();
}

// Measurements that the database has of a network on a device: the same structure, the same sizes of inputs.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isTensor } from '../../graph/types.js';
import type { Network } from '../../networks/index.js';
import type { Device, DevicePrediction } from '../../predictors/devices/device.js';
import { Database, defaultDatabase, type MeasuredRow } from '../../store/database/index.js';
import { attempt } from '../../util/attempt.js';
import { AuspexError } from '../../util/errors.js';

export interface FoundMeasurement {
  readonly medianMs: number;
  /** The 95% interval of the median. */
  readonly interval: readonly [number, number] | undefined;
  readonly device: string;
  readonly date: string;
  readonly runtime: string | null;
  readonly threads: number;
  readonly runs: number;
  /** Other work slowed it down. */
  readonly wasBusy: boolean;
}

export class Measurements {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Opens the database; undefined if there is none yet. A damaged one is an error only if it was asked for.
   *
   * @throws AuspexError DB_…
   */
  static async open(given: string | undefined): Promise<Measurements | undefined> {
    const path = given ?? defaultDatabase();
    if (!existsSync(path)) {
      if (given === undefined) return undefined;
      throw new AuspexError('DB_UNOPENED', 'there is no such database', {
        where: { file: given },
        hint: 'leave out --db, or measure into it: auspex measure net.onnx --db FILE',
      });
    }
    try {
      return new Measurements(await Database.open(path));
    } catch (error) {
      if (given === undefined && error instanceof AuspexError) return undefined;
      throw error;
    }
  }

  /** The latest measurement of exactly this network on exactly this device. */
  async of(network: Network, device: Device): Promise<FoundMeasurement | undefined> {
    if (device.quantity !== 'latency') return undefined;
    const hash = attempt(() => network.hash());
    const inputs = attempt(() => inputsOf(network.settled()));
    if (hash === undefined || inputs === undefined) return undefined;
    const rows = await this.#database.measured({ hash, device: device.measured.device });
    const { threads } = device.measured;
    const found = rows.findLast(
      (row) => sameInputs(row, inputs) && (threads === null || row.threads === threads),
    );
    if (found === undefined) return undefined;
    const document = attempt(() => JSON.parse(found.document)) as
      | { wallMs?: { interval?: [number, number] | null } }
      | undefined;
    return {
      medianMs: found.median_ms,
      interval: document?.wallMs?.interval ?? undefined,
      device: found.device_name,
      date: found.measured_at,
      runtime: found.runtime,
      threads: found.threads,
      runs: found.runs,
      wasBusy: wasBusy(found),
    };
  }

  /** Keeps a prediction, so that it can be compared with what is measured later. The same one is kept once. */
  async remember(
    network: Network,
    { name }: Device,
    { value, low, high }: Pick<DevicePrediction, 'value' | 'low' | 'high'>,
  ): Promise<void> {
    const hash = attempt(() => network.hash());
    const sizes = attempt(() => inputsOf(network.settled()));
    if (hash === undefined || sizes === undefined) return;
    const inputs = JSON.stringify([...sizes].map(([input, shape]) => ({ name: input, shape })));
    const date = new Date().toISOString();
    const key = JSON.stringify([hash, name, inputs, value, low, high]);
    const id = createHash('sha256').update(key).digest('hex').slice(0, 32);
    const prediction = { predictor: `device:${name}`, median_ms: value, low_ms: low, high_ms: high };
    await this.#database.add([
      { table: 'networks', row: { hash, name: network.ref, first_seen: date } },
      {
        table: 'predictions',
        row: { id, network_hash: hash, device_name: name, inputs, predicted_at: date, ...prediction },
      },
    ]);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** Whether the machine had other work while it measured. */
export function wasBusy({ document }: Pick<MeasuredRow, 'document'>): boolean {
  const noise = attempt(() => (JSON.parse(document) as { noise?: { warnings?: string[] } }).noise);
  return noise?.warnings?.includes('busy') === true;
}

/** Shapes of the inputs, by name. */
function inputsOf(network: Network): ReadonlyMap<string, string> {
  const { graph } = network.inference();
  return new Map(
    graph.inputNames.map((name) => {
      const type = graph.types.get(name);
      return [name, ((isTensor(type) ? type.shape : undefined) ?? []).join('x')];
    }),
  );
}

function sameInputs(row: MeasuredRow, inputs: ReadonlyMap<string, string>): boolean {
  const measured = attempt(() => JSON.parse(row.inputs)) as { name: string; shape: number[] }[] | undefined;
  return (
    measured !== undefined &&
    measured.length === inputs.size &&
    measured.every(({ name, shape }) => inputs.get(name) === shape.join('x'))
  );
}

// The model of devices that were measured by whole networks. The logarithm of a value is a linear function of what other
// devices are predicted to need and of a few sizes, plus a Gaussian process on the work features:
//
//     log y(x) = c + Σ_d b_d·log y_d(x) + Σ_f w_f·f(x) + Σ_i α_i·exp(−D(x, x_i)),   D = Σ_g d_g/l_g
//
// with d_g the root mean squared difference of the features of group g (see gaussian-process.ts). The first sum lets a few
// rows describe a device that behaves like known ones; the last learns what is its own, the better the more rows there are.
import * as z from 'zod';
import type { Network } from '../../networks/network.js';
import { AuspexError } from '../../util/errors.js';
import { groupOf } from '../intervals.js';
import {
  badDevice,
  type Device,
  type DeviceLibrary,
  type DeviceModel,
  type DevicePrediction,
  registerDeviceModel,
} from './device.js';
import { decodeFloats, type KnownPoints, knownPoints, pointsSchema } from './known-points.js';
import { type NodeValues, spreadByWork, type WorkRates, workRates } from './node-values.js';
import { type WorkFeatures, workFeatures } from './work-features.js';

export const PROCESS = 'process';

const intervalSchema = z.object({
  coverage: z.number(),
  rows: z.number(),
  by: z.literal('distance').optional(),
  groups: z.array(
    z.object({ upTo: z.number().optional(), halfWidth: z.number(), meanError: z.number().optional() }),
  ),
});

export const processSchema = z.object({
  kind: z.literal(PROCESS),
  /** Devices of the package whose predictions are inputs. */
  base: z.array(z.string()),
  linear: z.object({
    intercept: z.number(),
    base: z.array(z.number()),
    features: z.record(z.string(), z.number()),
  }),
  /** Of each group of features. */
  lengths: z.array(z.number().positive()),
  /** Networks that are known: the name of a set of the package, or the set itself. */
  points: z.union([z.string(), pointsSchema]),
  /** Of these points, those that were measured on the device; all by default. */
  rows: z.array(z.number().int().nonnegative()).optional(),
  /** α, as text. */
  weights: z.string(),
  /** Of logarithms, by the distance to the nearest known network. */
  interval: intervalSchema,
  /** Beyond this distance, networks are of families that were not measured. */
  farthest: z.number().nonnegative(),
  /** Half a width that is added there, as far as devices of the base are not less sure. */
  beyond: z.number().nonnegative(),
});
export type ProcessDocument = z.infer<typeof processSchema>;

/** Half a width for every operator that was never measured: a factor of 1.1 both ways. */
const UNKNOWN_WIDTH = 0.1;
const MOST_UNKNOWN = 5;
/** How fast intervals widen beyond what was measured. */
const FAR_RATE = 2;

export class ProcessModel implements DeviceModel {
  readonly #device: Device;
  readonly #model: ProcessDocument;
  readonly #points: KnownPoints;
  readonly #rows: readonly number[];
  readonly #weights: Float32Array;
  readonly #library: DeviceLibrary;
  #rates: Promise<WorkRates> | undefined;

  /** @throws AuspexError DEVICE_FILE */
  constructor(device: Device, model: ProcessDocument, points: KnownPoints, library: DeviceLibrary) {
    this.#device = device;
    this.#model = model;
    this.#points = points;
    this.#rows = model.rows ?? [...points.networks.keys()];
    this.#weights = decodeFloats(model.weights);
    this.#library = library;
    if (this.#weights.length !== this.#rows.length) {
      throw badDevice(
        device.name,
        `it has ${this.#weights.length} weights for ${this.#rows.length} networks`,
      );
    }
    if (model.lengths.length !== points.groups.length) {
      throw badDevice(device.name, 'it was fitted to features that auspex no longer computes');
    }
  }

  async predict(networks: readonly Network[]): Promise<DevicePrediction[]> {
    const base: (readonly DevicePrediction[])[] = [];
    for (const name of this.#model.base) base.push(await (await this.#library.model(name)).predict(networks));
    return networks.map((network, i) =>
      this.one(
        workFeatures(network),
        base.map((each) => each[i]!),
      ),
    );
  }

  async predictWork(work: WorkFeatures): Promise<DevicePrediction> {
    const base: DevicePrediction[] = [];
    for (const name of this.#model.base)
      base.push(await (await this.#library.model(name)).predictWork!(work));
    return this.one(work, base);
  }

  async nodeValues(network: Network): Promise<NodeValues> {
    const [predicted] = await this.predict([network]);
    this.#rates ??= workRates(
      this.#points.networks.length,
      (point) => this.#points.features(point),
      async (values) => (await this.predictWork({ values, operators: [] })).value,
    );
    return spreadByWork(network, predicted!.value, await this.#rates);
  }

  /** @param base what devices of the base say of the network */
  one({ values, operators }: WorkFeatures, base: readonly DevicePrediction[]): DevicePrediction {
    if (!(values.logMacs! > 0)) {
      throw new AuspexError(
        'DEVICE_NOT_COVERED',
        `networks without convolutions and matrix products cannot be predicted on ${this.#device.name}`,
        { hint: 'measure it: auspex measure; or calibrate your machine: auspex device calibrate' },
      );
    }
    const { linear, interval, farthest, beyond } = this.#model;
    const row = this.#points.standardised(values);
    const { distances, nearest } = this.#distances(row);
    let log = linear.intercept;
    base.forEach(({ value }, d) => {
      log += linear.base[d]! * Math.log(value);
    });
    for (const [name, weight] of Object.entries(linear.features)) log += weight * (values[name] ?? 0);
    distances.forEach((distance, i) => {
      log += this.#weights[i]! * Math.exp(-distance);
    });
    const least = distances[nearest] ?? Number.POSITIVE_INFINITY;
    const known = new Set(this.#points.operators);
    const unknown = operators.filter((name) => !known.has(name));
    // Far from what was measured, what devices of the base do not know is not known of this one, either.
    const far = 1 - Math.exp(-FAR_RATE * Math.max(0, least - farthest));
    const borrowed = Math.max(beyond, ...base.map(({ value: of, high }) => Math.log(high / of)));
    const width =
      groupOf(interval, least).halfWidth +
      far * borrowed +
      UNKNOWN_WIDTH * Math.min(MOST_UNKNOWN, unknown.length);
    const value = Math.exp(log);
    if (!(Number.isFinite(value) && Number.isFinite(width))) {
      throw new AuspexError('DEVICE_NOT_COVERED', `the network cannot be predicted on ${this.#device.name}`, {
        hint: 'fix sizes that are open: --dim NAME=SIZE, or when it is exported',
      });
    }
    return {
      value,
      low: value / Math.exp(width),
      high: value * Math.exp(width),
      coverage: interval.coverage,
      unknown,
      rests: this.#rests(nearest, least),
    };
  }

  #distances(row: Float64Array): { distances: Float64Array; nearest: number } {
    const distances = Float64Array.from(this.#rows, (point) =>
      this.#points.distance(row, point, this.#model.lengths),
    );
    let nearest = 0;
    distances.forEach((distance, i) => {
      if (distance < distances[nearest]!) nearest = i;
    });
    return { distances, nearest };
  }

  #rests(nearest: number, distance: number): string[] {
    const { networks } = this.#device.measured;
    const name = this.#points.networks[this.#rows[nearest] ?? -1];
    const { farthest } = this.#model;
    const near =
      name === undefined
        ? []
        : [
            distance <= farthest
              ? `the nearest of ${networks} measured networks is ${name}`
              : `unlike the ${networks} measured networks; the nearest is ${name}`,
          ];
    return near;
  }
}

registerDeviceModel({
  kind: PROCESS,
  async open(device, library) {
    const found = processSchema.safeParse(device.model);
    if (!found.success) {
      const { path, message } = found.error.issues[0]!;
      throw badDevice(device.name, `'model.${path.join('.')}': ${message}`);
    }
    const { points } = found.data;
    const set = typeof points === 'string' ? library.points(points) : knownPoints(points);
    return new ProcessModel(device, found.data, set, library);
  },
});

// The contract of devices. A device is a name, what was measured on it and how, how wrong its predictions are, and a model
// that predicts any network on it. Devices that come with the package, that `auspex device calibrate` and `auspex train
// latency` write, and that a database is fitted to are the same document (`*.device.json`); only the kind of model differs.
import * as z from 'zod';
import type { Network } from '../../networks/network.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import type { KnownPoints } from './known-points.js';
import type { NodeValues } from './node-values.js';
import type { WorkFeatures } from './work-features.js';

/** How the numbers that a device was fitted to were measured; null for what the source does not say. */
const measuredSchema = z.object({
  /** The chip or board: `Intel Core i7-12700H`. */
  device: z.string().min(1),
  runtime: z.string().nullable(),
  /** `float32`, `float16`, `int8` … */
  precision: z.string().nullable(),
  /** Of one run. Values are of the whole batch, if `perImage` is not set. */
  batch: z.number().int().positive().nullable(),
  /** Values are of one image of a batch: large batches were measured and divided. */
  perImage: z.boolean().optional(),
  threads: z.number().int().positive().nullable(),
  /** The day it was measured or published: `2026-11-18`, `2025`. */
  date: z.string().nullable(),
  /** Where the numbers are from. */
  source: z.string(),
  /** Networks, and the families they belong to. */
  networks: z.number().int().nonnegative(),
  families: z.number().int().nonnegative().nullable(),
  /** Kernels that were measured one by one. */
  kernels: z.number().int().nonnegative().optional(),
});

/** Errors on networks that the model was not fitted to. */
const errorSchema = z.object({
  /** What was left out: whole families, or networks of families that the model knows. */
  leftOut: z.enum(['families', 'networks']),
  networks: z.number().int().positive(),
  /** Mean absolute percentage error. */
  mape: z.number().nonnegative(),
  medianError: z.number().nonnegative().optional(),
  /** The share of networks with an error of at most 10%. */
  within10: z.number().min(0).max(1),
  /** The share of true values within the 90% intervals. */
  coverage: z.number().min(0).max(1).nullable(),
});

export const deviceSchema = z.object({
  schema: z.literal('auspex.device/1'),
  /** What users call it: lower case, digits, `-`, `_` and `.`. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'lower case letters, digits, -, _ and .'),
  quantity: z.enum(['latency', 'energy']),
  unit: z.enum(['ms', 'mJ']),
  measured: measuredSchema,
  /** Null if nothing was left out to find it. */
  error: errorSchema.nullable(),
  /** `kind` names who reads the rest. */
  model: z.looseObject({ kind: z.string() }),
});
export type Device = z.infer<typeof deviceSchema>;
export type DeviceError = z.infer<typeof errorSchema>;
export type MeasuredOn = z.infer<typeof measuredSchema>;

/** What a device's model says of a network. */
export interface DevicePrediction {
  /** In the unit of the device. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The share of networks that such intervals hold: 0.9. */
  readonly coverage: number;
  /** Operators or kernels of the network that were never measured on the device; they widen the interval. */
  readonly unknown: readonly string[];
  /** What it rests on, in sentences. */
  readonly rests: readonly string[];
}

/** Predicts networks on one device. */
export interface DeviceModel {
  /**
   * @param networks with all sizes known
   * @throws AuspexError if a network cannot be predicted
   */
  predict(networks: readonly Network[], signal?: AbortSignal): Promise<readonly DevicePrediction[]>;
  /** The prediction of a network, spread over its nodes; missing if the model cannot tell. */
  nodeValues?(network: Network): Promise<NodeValues>;
  /** Predicts a network of which only the work is known; missing if the model needs more. */
  predictWork?(work: WorkFeatures): Promise<DevicePrediction>;
  dispose?(): Promise<void>;
}

/** What comes with the package, for models that rest on it. */
export interface DeviceLibrary {
  /** The model of a bundled device. */
  model(name: string): Promise<DeviceModel>;
  /** A bundled set of networks. */
  points(name: string): KnownPoints;
}

/** A kind of model: reads what a device document has under `model`. */
export interface DeviceModelKind {
  readonly kind: string;
  /** @throws AuspexError DEVICE_FILE if the document is not what the kind writes */
  open(device: Device, library: DeviceLibrary): Promise<DeviceModel>;
}

const kinds = new Map<string, DeviceModelKind>();

export function registerDeviceModel(kind: DeviceModelKind): DeviceModelKind {
  kinds.set(kind.kind, kind);
  return kind;
}

/**
 * The model of a device.
 *
 * @throws AuspexError DEVICE_FILE if no kind reads it, or its kind does not
 */
export function openDevice(device: Device, library: DeviceLibrary): Promise<DeviceModel> {
  const { kind } = device.model;
  const known = kinds.get(kind);
  if (known !== undefined) return known.open(device, library);
  throw badDevice(device.name, `its model is of the unknown kind '${printableStart(kind, 40)}'`);
}

/**
 * Checks a device document.
 *
 * @throws AuspexError DEVICE_FILE
 */
export function parseDevice(text: string, where: string): Device {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badDevice(where, 'it is not JSON');
  }
  const found = deviceSchema.safeParse(value);
  if (found.success) return found.data;
  const { path, message } = found.error.issues[0]!;
  throw badDevice(where, `${path.length > 0 ? `'${path.join('.')}': ` : ''}${message}`);
}

export function badDevice(where: string, why: string): AuspexError {
  return new AuspexError('DEVICE_FILE', `${where} is not a device that this auspex reads: ${why}`, {
    hint: 'write one with: auspex device calibrate, or auspex train latency',
  });
}

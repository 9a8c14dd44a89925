// The JSON documents of `auspex device`, as docs/json/device.md describes them.
import { z } from 'zod';
import { deviceSchema } from '../../predictors/devices/device.js';
import { baseOf, type NamedDevice } from '../device/library.js';
import type { RefittedDevice } from '../device/refit.js';
import type { Similarity } from '../device/similar.js';
import type { TrainedDevice } from '../device/train.js';

/** A device without what only its model reads. */
const shown = deviceSchema.omit({ schema: true, model: true }).extend({
  /** The kind of model. */
  kind: z.string(),
  /** Devices of the package that it starts from. */
  base: z.array(z.string()),
  /** Null for devices of the package. */
  file: z.string().nullable(),
});

export const deviceListDocument = z.object({
  schema: z.literal('auspex.device.list/1'),
  devices: z.array(shown),
});

export const deviceShowDocument = shown.extend({ schema: z.literal('auspex.device.show/1') });

export const deviceSimilarDocument = z.object({
  schema: z.literal('auspex.device.similar/1'),
  /** The device, or the table, that others are compared with. */
  to: z.string(),
  networks: z.number(),
  /** Most similar first. */
  devices: z.array(
    z.object({
      name: z.string(),
      device: z.string(),
      factor: z.number(),
      error: z.number(),
      spearman: z.number(),
    }),
  ),
});

export const trainedDeviceDocument = shown.extend({
  schema: z.literal('auspex.train.latency/1'),
  /** What was measured, and what is predicted without the row or its family. */
  rows: z.array(z.object({ name: z.string(), ms: z.number(), predicted: z.number() })),
});

export function trainedDeviceOf({
  device,
  file,
  rows,
}: TrainedDevice): z.infer<typeof trainedDeviceDocument> {
  return { schema: 'auspex.train.latency/1', ...shownOf({ device, file }), rows: [...rows] };
}

export const refitDocument = z.object({
  schema: z.literal('auspex.db.refit/1'),
  devices: z.array(
    shown.extend({
      /** What was known before, and its mean error on the same networks in percent. */
      before: z.object({ name: z.string(), mape: z.number() }).nullable(),
      /** Networks that could not be opened again. */
      skipped: z.array(z.string()),
    }),
  ),
});

export function refitDocumentOf(refitted: readonly RefittedDevice[]): z.infer<typeof refitDocument> {
  return {
    schema: 'auspex.db.refit/1',
    devices: refitted.map(({ before, skipped, ...named }) => ({
      ...shownOf(named),
      before,
      skipped: [...skipped],
    })),
  };
}

function shownOf({ device, file }: NamedDevice): z.infer<typeof shown> {
  const { schema: _, model, ...rest } = device;
  return { ...rest, kind: model.kind, base: baseOf(device), file: file ?? null };
}

export function deviceListOf(devices: readonly NamedDevice[]): z.infer<typeof deviceListDocument> {
  return { schema: 'auspex.device.list/1', devices: devices.map(shownOf) };
}

export function deviceShowOf(device: NamedDevice): z.infer<typeof deviceShowDocument> {
  return { schema: 'auspex.device.show/1', ...shownOf(device) };
}

export function deviceSimilarOf({
  to,
  networks,
  devices,
}: Similarity): z.infer<typeof deviceSimilarDocument> {
  return { schema: 'auspex.device.similar/1', to, networks, devices: [...devices] };
}

// Which devices `auspex predict` tells of: those that were asked for; for one file, a few usual ones beside its accuracy.
import type { Network } from '../../networks/index.js';
import { AuspexError } from '../../util/errors.js';
import type { PredictorSource } from '../predict.js';
import { DeviceAnswers, type DeviceSource } from './answers.js';
import { Devices, deviceFolder } from './library.js';
import { Measurements } from './measured.js';

/** A laptop, a graphics card and a phone. */
const USUAL = ['i7-12700h', 'rtx4090', 'galaxy-s25'];

interface AskedDevices {
  /** Undefined if none were asked for. */
  readonly devices: DeviceSource | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Devices by name or file, and what the database knows of them.
 *
 * @throws AuspexError DEVICE_UNKNOWN, DEVICE_FILE, FILE_UNREADABLE, BAD_OPTION, DB_…
 */
export async function askedDevices({
  device,
  db,
}: {
  readonly device?: readonly string[] | undefined;
  readonly db?: string | undefined;
}): Promise<AskedDevices> {
  if (device === undefined) {
    if (db !== undefined) throw new AuspexError('BAD_OPTION', '--db requires --device');
    return { devices: undefined, close: async () => {} };
  }
  const library = new Devices(deviceFolder(db));
  const found = [...new Set(device)].map((name) => library.find(name));
  const measurements = await Measurements.open(db);
  return {
    devices: new DeviceAnswers(library, found, measurements),
    close: async () => measurements?.close(),
  };
}

/** For a file of which nothing else is asked. A network that they cannot tell is no error. */
export function usualDevices(of: Network): DeviceSource | undefined {
  if (of.arch !== undefined) return undefined;
  const library = new Devices();
  const known = library.bundled().devices.filter(({ name }) => USUAL.includes(name));
  const answers = new DeviceAnswers(
    library,
    known.map((device) => ({ device, file: undefined })),
    undefined,
  );
  return {
    isAsked: false,
    async answers(network, signal) {
      try {
        return await answers.answers(network, signal);
      } catch (error) {
        if (error instanceof AuspexError) return [];
        throw error;
      }
    },
  };
}

/** Of somebody who asks for devices, no other predictor is asked. */
export const NO_PREDICTORS: PredictorSource = {
  for: async () => [],
  labels: () => [],
  recipes: () => [],
  dispose: async () => {},
};

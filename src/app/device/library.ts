// Devices by name: those of the package, those that a user fitted (kept beside the database), and files. Models are opened
// when they are first asked.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Network } from '../../networks/index.js';
import {
  type Device,
  type DeviceLibrary,
  type DeviceModel,
  type DevicePrediction,
  deviceSchema,
  openDevice,
  parseDevice,
} from '../../predictors/devices/device.js';
import { type KnownPoints, knownPoints, pointsSchema } from '../../predictors/devices/known-points.js';
import '../../predictors/devices/kernels/model.js';
import '../../predictors/devices/process-model.js';
import { defaultDatabase } from '../../store/database/index.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import { bundledFile } from '../bundled.js';
import { nearestNames } from './nearest-names.js';

const FILE = '.device.json';

const bundledSchema = z.object({
  schema: z.literal('auspex.devices/1'),
  /** Of the groups of features: what makes networks different for a device, as far as nothing else is known. */
  lengths: z.array(z.number()),
  standard: pointsSchema.shape.features,
  devices: z.array(deviceSchema),
});
type Bundled = z.infer<typeof bundledSchema>;

/** A device, and where it comes from. */
export interface NamedDevice {
  readonly device: Device;
  /** Undefined for those of the package. */
  readonly file: string | undefined;
}

/** Where devices of a user are kept. */
export function deviceFolder(database: string = defaultDatabase()): string {
  return join(dirname(database), 'devices');
}

export class Devices implements DeviceLibrary {
  readonly #folder: string;
  #bundled: Bundled | undefined;
  readonly #points = new Map<string, KnownPoints>();
  readonly #models = new Map<string, Promise<DeviceModel>>();

  constructor(folder: string = deviceFolder()) {
    this.#folder = folder;
  }

  bundled(): Bundled {
    this.#bundled ??= bundledSchema.parse(JSON.parse(bundledFile('devices.json')));
    return this.#bundled;
  }

  /** All that have a name: those of the user first, which replace those of the package. */
  all(): NamedDevice[] {
    const own = this.#own();
    const names = new Set(own.map(({ device }) => device.name));
    const others = this.bundled().devices.filter(({ name }) => !names.has(name));
    return [...own, ...others.map((device) => ({ device, file: undefined }))];
  }

  #own(): NamedDevice[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(FILE))
      .sort()
      .map((name) => {
        const file = join(this.#folder, name);
        return { device: deviceOfFile(file), file };
      });
  }

  /**
   * A device by its name, or by the path of its file.
   *
   * @throws AuspexError DEVICE_UNKNOWN with the nearest names, DEVICE_FILE, FILE_UNREADABLE
   */
  find(name: string): NamedDevice {
    if (name.endsWith('.json')) return { device: deviceOfFile(name), file: name };
    const all = this.all();
    const found = all.find(({ device }) => device.name === name.toLowerCase());
    if (found !== undefined) return found;
    const near = nearestNames(
      name,
      all.map(({ device }) => device.name),
    );
    throw new AuspexError('DEVICE_UNKNOWN', `no device is called '${printableStart(name, 40)}'`, {
      hint: `did you mean ${near.join(', ')}? \`auspex device list\` shows all; a file ends in ${FILE}`,
    });
  }

  /** The model of a device of the package. */
  model(name: string): Promise<DeviceModel> {
    const device = this.bundled().devices.find((each) => each.name === name);
    if (device !== undefined) return this.open(device, `bundled:${name}`);
    throw new AuspexError('DEVICE_UNKNOWN', `a device rests on '${name}', which the package does not have`, {
      hint: 'fit it again with this version of auspex',
    });
  }

  /** @param key the same for the same device */
  open(device: Device, key: string = device.name): Promise<DeviceModel> {
    let opening = this.#models.get(key);
    if (opening === undefined) {
      opening = openDevice(device, this).then(remembering);
      this.#models.set(key, opening);
    }
    return opening;
  }

  points(name: string): KnownPoints {
    let found = this.#points.get(name);
    if (found === undefined) {
      found = knownPoints(pointsSchema.parse(JSON.parse(bundledFile(`points-${name}.json`))));
      this.#points.set(name, found);
    }
    return found;
  }
}

/** Devices of the package that a device starts from. */
export function baseOf({ model }: Pick<Device, 'model'>): string[] {
  return Array.isArray(model.base) ? (model.base as string[]) : [];
}

function deviceOfFile(file: string): Device {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AuspexError('FILE_UNREADABLE', `the device cannot be read: ${(cause as Error).message}`, {
      where: { file },
      hint: 'check the path; `auspex device list` shows the devices that have names',
      cause,
    });
  }
  return parseDevice(text, file);
}

/** Devices that rest on the same ones ask them for the same networks. */
function remembering(model: DeviceModel): DeviceModel {
  const known = new WeakMap<Network, DevicePrediction>();
  return {
    async predict(networks, signal) {
      const unknown = networks.filter((network) => !known.has(network));
      const found = unknown.length === 0 ? [] : await model.predict(unknown, signal);
      unknown.forEach((network, i) => void known.set(network, found[i]!));
      return networks.map((network) => known.get(network)!);
    },
    ...(model.dispose ? { dispose: () => model.dispose!() } : {}),
  };
}

// Latency on devices: those of the package, and those that were dropped into the page. Their models are small documents,
// fetched with the first prediction.
import { z } from 'zod';
import type { Network } from '../../../src/networks/index.js';
import {
  type Device,
  type DeviceLibrary,
  type DeviceModel,
  deviceSchema,
  openDevice,
  parseDevice,
} from '../../../src/predictors/devices/device.js';
import { type KnownPoints, knownPoints, pointsSchema } from '../../../src/predictors/devices/known-points.js';
import '../../../src/predictors/devices/kernels/model.js';
import '../../../src/predictors/devices/process-model.js';
import { AuspexError } from '../../../src/util/errors.js';
import type { PredictedLabel } from './protocol.js';

const bundledDevices = z.object({ schema: z.literal('auspex.devices/1'), devices: z.array(deviceSchema) });

/** Sets of networks that devices were measured on. */
const POINTS = ['cells', 'timm'];

export class PageDevices implements DeviceLibrary {
  readonly #bundled: readonly Device[];
  readonly #points: ReadonlyMap<string, KnownPoints>;
  readonly #models = new Map<Device, Promise<DeviceModel>>();

  private constructor(bundled: readonly Device[], points: ReadonlyMap<string, KnownPoints>) {
    this.#bundled = bundled;
    this.#points = points;
  }

  /** @param folder the URL of the package's predictors */
  static async fetched(folder: string): Promise<PageDevices> {
    const read = async (file: string): Promise<unknown> => (await fetch(new URL(file, folder))).json();
    const [{ devices }, ...points] = await Promise.all([
      read('devices.json').then((document) => bundledDevices.parse(document)),
      ...POINTS.map((name) =>
        read(`points-${name}.json`).then((document) => knownPoints(pointsSchema.parse(document))),
      ),
    ]);
    return new PageDevices(devices, new Map(POINTS.map((name, i) => [name, points[i]!])));
  }

  model(name: string): Promise<DeviceModel> {
    const device = this.#bundled.find((each) => each.name === name);
    if (device !== undefined) return this.#open(device);
    throw new AuspexError('DEVICE_UNKNOWN', `a device rests on '${name}', which the package does not have`);
  }

  points(name: string): KnownPoints {
    const found = this.#points.get(name);
    if (found !== undefined) return found;
    throw new AuspexError(
      'DEVICE_UNKNOWN',
      `a device rests on networks '${name}', which the package does not have`,
    );
  }

  /** @param own documents of devices that the user dropped */
  async latencies(network: Network, own: readonly string[]): Promise<PredictedLabel[]> {
    const devices = [...own.map((text) => parseDevice(text, 'device')), ...this.#bundled];
    const found: PredictedLabel[] = [];
    for (const device of devices) {
      try {
        const { perImage, batch } = device.measured;
        const isOwnBatch = perImage === true || (batch ?? 1) > 1;
        const [said] = await (await this.#open(device)).predict([
          (isOwnBatch ? network.at({ batch: 1 }) : network).settled(),
        ]);
        const { value, low, high, rests } = said!;
        found.push({
          ...{ label: device.name, unit: 'ms', better: 'lower', value, low, high },
          ...{ predictor: `device:${device.name}`, neighbours: [], assumed: [...rests] },
        });
      } catch (error) {
        // A device that does not cover the network says nothing.
        if (!(error instanceof AuspexError)) throw error;
      }
    }
    return found;
  }

  #open(device: Device): Promise<DeviceModel> {
    let opening = this.#models.get(device);
    if (opening === undefined) {
      opening = openDevice(device, this).then(remembering);
      this.#models.set(device, opening);
    }
    return opening;
  }
}

/** Devices that rest on the same ones ask them for the same networks. */
function remembering(model: DeviceModel): DeviceModel {
  const known = new WeakMap<Network, Awaited<ReturnType<DeviceModel['predict']>>[number]>();
  return {
    ...model,
    async predict(networks, signal) {
      const unknown = networks.filter((network) => !known.has(network));
      const found = unknown.length === 0 ? [] : await model.predict(unknown, signal);
      for (const [i, network] of unknown.entries()) known.set(network, found[i]!);
      return networks.map((network) => known.get(network)!);
    },
  };
}

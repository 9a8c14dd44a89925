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
import type { NamedDevice, NodeShares, PredictedLabel } from './protocol.js';

const bundledDevices = z.object({ schema: z.literal('auspex.devices/1'), devices: z.array(deviceSchema) });

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
    const { devices } = bundledDevices.parse(await read('devices.json'));
    // Sets of networks that devices were measured on.
    const names = [...new Set(devices.map(({ model }) => model.points))].filter(
      (points): points is string => typeof points === 'string',
    );
    const sets = await Promise.all(
      names.map(async (name) => knownPoints(pointsSchema.parse(await read(`points-${name}.json`)))),
    );
    return new PageDevices(devices, new Map(names.map((name, i) => [name, sets[i]!])));
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
    const found: PredictedLabel[] = [];
    for (const device of this.#all(own)) {
      try {
        const [said] = await (await this.#open(device)).predict([asMeasured(network, device)]);
        const { value, low, high, rests } = said!;
        found.push({
          ...{ label: device.name, unit: device.unit, better: 'lower', value, low, high },
          ...{ predictor: `device:${device.name}`, neighbours: [], assumed: [...rests] },
        });
      } catch (error) {
        // A device that does not cover the network says nothing.
        if (!(error instanceof AuspexError)) throw error;
      }
    }
    return found;
  }

  /** Devices whose latency can be told node by node; those of the user first. */
  named(own: readonly string[]): NamedDevice[] {
    return this.#all(own)
      .filter(({ quantity }) => quantity === 'latency')
      .map(({ name, measured }) => ({
        name,
        title: [measured.device, measured.runtime].filter(Boolean).join(', '),
      }));
  }

  /** The latency on a device, in ms, spread over the nodes of a network. */
  async nodeLatencies(network: Network, name: string, own: readonly string[]): Promise<NodeShares> {
    const device = this.#all(own).find((each) => each.name === name);
    const model = device && (await this.#open(device));
    if (model?.nodeValues === undefined) {
      throw new AuspexError('DEVICE_UNKNOWN', `no device '${name}' predicts the times of nodes`);
    }
    const measured = asMeasured(network, device!);
    const { values, how } = await model.nodeValues(measured);
    return {
      values: Float64Array.from(measured.cost().nodes, ({ inferred }) => values.get(inferred) ?? 0),
      how,
    };
  }

  #all(own: readonly string[]): Device[] {
    return [...own.map((text) => parseDevice(text, 'device')), ...this.#bundled];
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

/** Devices of larger batches were fitted to the work of one sample. */
function asMeasured(network: Network, { measured: { perImage, batch } }: Device): Network {
  const isOwnBatch = perImage === true || (batch ?? 1) > 1;
  return (isOwnBatch ? network.at({ batch: 1 }) : network).settled();
}

/** Devices that rest on the same ones ask them for the same networks. */
function remembering(model: DeviceModel): DeviceModel {
  const known = new WeakMap<Network, Awaited<ReturnType<DeviceModel['predict']>>[number]>();
  return {
    ...(model.nodeValues && { nodeValues: model.nodeValues.bind(model) }),
    ...(model.predictWork && { predictWork: model.predictWork.bind(model) }),
    async predict(networks, signal) {
      const unknown = networks.filter((network) => !known.has(network));
      const found = unknown.length === 0 ? [] : await model.predict(unknown, signal);
      for (const [i, network] of unknown.entries()) known.set(network, found[i]!);
      return networks.map((network) => known.get(network)!);
    },
  };
}

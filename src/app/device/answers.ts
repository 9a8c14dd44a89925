// What is known of networks on devices: what was measured, if the database has exactly this, and what is predicted
// otherwise.
import type { Network } from '../../networks/index.js';
import type { Device, DevicePrediction } from '../../predictors/devices/device.js';
import type { LabelInfo } from '../../predictors/predictor.js';
import { AuspexError } from '../../util/errors.js';
import type { Answer } from '../predict.js';
import type { Devices, NamedDevice } from './library.js';
import type { FoundMeasurement, Measurements } from './measured.js';

/** Beside the number of an answer. */
export interface DeviceAnswer {
  readonly device: Device;
  /** Sentences on what it rests on. */
  readonly rests: readonly string[];
  /** Operators or kernels that were never measured on the device. */
  readonly unknown: readonly string[];
  /** What was measured of exactly this network; nothing is predicted then. */
  readonly measured?: FoundMeasurement | undefined;
}

export interface DeviceSource {
  /** Whether a user named the devices: then nothing else is wanted. */
  readonly isAsked: boolean;
  /** @throws AuspexError if the network cannot be predicted */
  answers(network: Network, signal?: AbortSignal): Promise<readonly Answer[]>;
}

export class DeviceAnswers implements DeviceSource {
  readonly isAsked = true;
  readonly #devices: readonly NamedDevice[];
  readonly #library: Devices;
  readonly #measurements: Measurements | undefined;

  /** @param measurements of the user; undefined where they are not looked at */
  constructor(library: Devices, devices: readonly NamedDevice[], measurements: Measurements | undefined) {
    this.#library = library;
    this.#devices = devices;
    this.#measurements = measurements;
  }

  async answers(network: Network, signal?: AbortSignal): Promise<readonly Answer[]> {
    const found: Answer[] = [];
    for (const { device, file } of this.#devices) {
      const measured = await this.#measurements?.of(network, device);
      if (measured !== undefined) {
        found.push(measuredAnswer(device, measured));
        continue;
      }
      const model = await this.#library.open(device, file ?? `bundled:${device.name}`);
      const [said] = await model.predict([asMeasured(network, device)], signal);
      if (device.quantity === 'latency') await this.#remember(network, device, said!);
      found.push(predictedAnswer(device, said!));
    }
    return found;
  }

  /** A prediction is worth telling even if it cannot be stored. */
  async #remember(network: Network, device: Device, said: DevicePrediction): Promise<void> {
    try {
      await this.#measurements?.remember(network, device, said);
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
    }
  }
}

/** Devices whose numbers are of a batch of their own see one image. */
function asMeasured(network: Network, { measured }: Device): Network {
  const isOwnBatch = measured.perImage === true || (measured.batch ?? 1) > 1;
  return (isOwnBatch ? network.at({ batch: 1 }) : network).settled();
}

function predictedAnswer(
  device: Device,
  { value, low, high, coverage, unknown, rests }: DevicePrediction,
): Answer {
  const interval = { coverage, rows: device.measured.networks, groups: [] };
  return {
    label: { ...labelOf(device), interval },
    prediction: { value, low, high },
    predictor: `device:${device.name}`,
    assumed: [],
    device: { device, rests, unknown },
  };
}

function measuredAnswer(device: Device, measured: FoundMeasurement): Answer {
  const { medianMs, interval } = measured;
  const ends = interval === undefined ? {} : { low: interval[0], high: interval[1] };
  return {
    label: labelOf(device),
    prediction: { value: medianMs, ...ends },
    predictor: 'database',
    assumed: [],
    device: { device, rests: [], unknown: [], measured },
  };
}

function labelOf({ name, quantity, unit }: Device): LabelInfo {
  return { name: `${quantity} ${name}`, unit, better: 'lower', transform: 'log' };
}

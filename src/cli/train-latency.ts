// `auspex train latency`: a device from a table of measured networks.
import { type LatencyRequest, trainLatency } from '../app/device/train.js';
import { trainedDeviceOf } from '../app/documents/device.js';
import type { LabelRequest } from '../datasets/label-options.js';
import { print } from './command.js';
import { progressLine } from './progress.js';
import { untilStopped } from './signals.js';
import { trainedDeviceText } from './text/device.js';

/** The name that stands where kinds of predictors do. */
export const LATENCY = 'latency';

type LatencyFlags = Omit<LatencyRequest, 'label' | 'isFromScratch'> & {
  readonly label?: readonly LabelRequest[];
  readonly scratch?: true;
  readonly json?: true;
};

export async function trainDevice({ label, scratch, json, ...rest }: LatencyFlags): Promise<void> {
  const line = progressLine('Asking known devices');
  try {
    const trained = await untilStopped((signal) =>
      trainLatency(
        { ...rest, label: label?.[0]?.name, isFromScratch: scratch === true },
        { signal, onProgress: (part) => line.report(part, '') },
      ),
    );
    line.end();
    print(json ? JSON.stringify(trainedDeviceOf(trained), null, 2) : trainedDeviceText(trained));
  } finally {
    line.end();
  }
}

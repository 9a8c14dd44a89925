// What needs a runtime: predictions, measuring. Loaded when one of them is first asked for.
import * as ort from 'onnxruntime-web/wasm';
import { useBundled } from '../../../src/api/bundled-files.js';
import { useRuntime } from '../../../src/runtime/runtime.js';
import { PageDevices } from './devices.js';
import type { Places } from './engine.js';

export { layerScores } from './layer-scores.js';
export { measureNetwork, measureNodes } from './measure.js';
export { predictHere } from './predict.js';

let isReady: Promise<void> | undefined;
let devices: Promise<PageDevices> | undefined;

/** The devices of the package, fetched once. */
export function devicesHere({ bundled }: Places): Promise<PageDevices> {
  devices ??= PageDevices.fetched(bundled);
  devices.catch(() => {
    devices = undefined;
  });
  return devices;
}

/** The runtime, and the indexes of the package's predictors. */
export function prepare({ bundled }: Places): Promise<void> {
  isReady ??= (async () => {
    ort.env.wasm.numThreads = 1;
    useRuntime(ort);
    await useBundled(bundled);
  })();
  isReady.catch(() => {
    // The next one who asks may be online again.
    isReady = undefined;
  });
  return isReady;
}

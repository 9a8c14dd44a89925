// What needs a runtime: predictions, measuring. Loaded when one of them is first asked for.
import * as ort from 'onnxruntime-web/wasm';
import { useBundled } from '../../../src/api/bundled-files.js';
import type { Network } from '../../../src/networks/index.js';
import { useRuntime } from '../../../src/runtime/runtime.js';
import { PageDevices } from './devices.js';
import type { Places } from './engine.js';
import type { PredictedLabel } from './protocol.js';

export { measureNetwork, measureNodes } from './measure.js';
export { predictHere } from './predict.js';

let isReady: Promise<void> | undefined;
let devices: Promise<PageDevices> | undefined;

/** Latency on devices; none where their documents are not there. */
export async function latenciesHere(
  { bundled }: Places,
  network: Network,
  own: readonly string[],
): Promise<PredictedLabel[]> {
  devices ??= PageDevices.fetched(bundled);
  devices.catch(() => {
    devices = undefined;
  });
  return (await devices).latencies(network, own);
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

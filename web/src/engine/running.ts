// What needs a runtime: predictions, measuring. Loaded when one of them is first asked for.
import { useBundled } from '../../../src/api/bundled-files.js';
import { makeGraph, makeModel, makeNode } from '../../../src/graph/graph.js';
import { TensorType } from '../../../src/graph/types.js';
import { useRuntime } from '../../../src/runtime/runtime.js';
import { Session } from '../../../src/runtime/session.js';
import { PageDevices } from './devices.js';
import type { Places } from './engine.js';

export { layerScores } from './layer-scores.js';
export { measureNetwork, measureNodes } from './measure.js';
export { predictHere } from './predict.js';

let isReady: Promise<void> | undefined;
let isStarted: Promise<unknown> | undefined;
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
export function prepare({ bundled, provider }: Places): Promise<void> {
  isReady ??= (async () => {
    const ort = await (provider === 'webgpu'
      ? import('onnxruntime-web/jspi')
      : import('onnxruntime-web/wasm'));
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

/** Loads the runtime's WebAssembly, which otherwise waits for the first network that is run. */
export async function start(): Promise<void> {
  isStarted ??= Session.create(NOTHING, { threads: 1 }).then((session) => session.dispose());
  isStarted.catch(() => {
    isStarted = undefined;
  });
  await isStarted;
}

const NUMBER = new TensorType('float32', [1]);
/** The smallest model. */
const NOTHING = makeModel(
  makeGraph({
    nodes: [makeNode('Identity', ['x'], ['y'])],
    inputs: [{ name: 'x', type: NUMBER }],
    outputs: [{ name: 'y', type: NUMBER }],
    initializers: new Map(),
  }),
  { opsetImports: new Map([['', 17]]) },
);

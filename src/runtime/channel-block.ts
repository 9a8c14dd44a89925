// How many channels a block of ONNX Runtime's blocked kernels has (com.microsoft.nchwc), which depends on the processor. It
// shows in the order in which ReorderInput puts the channels of an image.
import { type Model, makeGraph, makeModel, makeNode } from '../graph/graph.js';
import { TensorType } from '../graph/types.js';
import { loadRuntime } from './runtime.js';
import { hostTensor, Session, type SessionOptions } from './session.js';

const DOMAIN = 'com.microsoft.nchwc';
const CHANNELS = 32;
const SIZES = [8, 16];

let found: Promise<number | undefined> | undefined;

/** Undefined where there are no such kernels: in a page, on some processors, and on other devices than the processor. */
export async function channelBlock({ providers }: SessionOptions = {}): Promise<number | undefined> {
  if (providers?.some((name) => name !== 'cpu')) return undefined;
  if (!(await loadRuntime()).isNative) return undefined;
  found ??= probe().catch(() => undefined);
  return found;
}

/** Two positions of each channel: in blocks of B channels, the second of the first channel comes as number B. */
async function probe(): Promise<number | undefined> {
  const dims = [1, CHANNELS, 1, 2];
  const session = await Session.create(reordering(dims), { threads: 1, optimization: 'disabled' });
  try {
    const data = Float32Array.from({ length: 2 * CHANNELS }, (_, i) => i);
    const { y } = await session.run({ x: await hostTensor('float32', data, dims) });
    const order = [...(y!.data as Float32Array)];
    const of = (block: number) => (_: number, i: number) => {
      const [inBlock, first] = [i % (2 * block), Math.floor(i / (2 * block)) * block];
      return 2 * (first + (inBlock % block)) + Math.floor(inBlock / block);
    };
    return SIZES.find((block) => order.map(of(block)).every((value, i) => value === order[i]));
  } finally {
    await session.dispose();
  }
}

function reordering(dims: readonly number[]): Model {
  const type = new TensorType('float32', dims);
  const graph = makeGraph({
    nodes: [makeNode('ReorderInput', ['x'], ['y'], {}, { domain: DOMAIN })],
    inputs: [{ name: 'x', type }],
    outputs: [{ name: 'y', type }],
  });
  return makeModel(graph, {
    opsetImports: new Map([
      ['', 21],
      [DOMAIN, 1],
    ]),
  });
}

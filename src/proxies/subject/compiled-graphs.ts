// Graphs of a subject that are ready to run. Where ONNX Runtime does not rewrite a graph, large weights go in with the
// inputs instead of being part of it: they are not written into a file, read from it and kept a second and third time.
import type { Model, ValueInfo } from '../../graph/graph.js';
import { type Tensor, tensorByteLength } from '../../graph/tensor.js';
import { TensorType } from '../../graph/types.js';
import {
  type Feeds,
  type HostTensor,
  hostTensor,
  Session,
  type SessionOptions,
} from '../../runtime/session.js';
import { floatData } from '../../transform/tensor-data.js';
import { checkMemory } from './memory.js';

export interface GraphOptions extends SessionOptions {
  /** Bytes that running the graph may take. */
  readonly memory?: number;
}

/** Bytes of a weight that is given as an input; smaller ones may be what sizes follow from. */
const LARGE_BYTES = 1 << 16;

export class Compiled {
  /** What runs must be given. */
  readonly inputs: readonly string[];
  readonly #session: Session;
  readonly #weights: Feeds;

  private constructor(session: Session, weights: Feeds) {
    this.#session = session;
    this.#weights = weights;
    this.inputs = session.inputs.filter((name) => weights[name] === undefined);
  }

  /** @throws AuspexError PROXY_MEMORY before anything is compiled */
  static async create(model: Model, { memory, ...options }: GraphOptions): Promise<Compiled> {
    checkMemory(model, memory ?? Number.POSITIVE_INFINITY);
    if (options.optimization !== 'disabled') return new Compiled(await Session.create(model, options), {});
    const { graph } = model;
    const outputs = new Set(graph.outputs.map(({ name }) => name));
    const large = [...graph.initializers].filter(([name, tensor]) => isLarge(tensor) && !outputs.has(name));
    const names = new Set(large.map(([name]) => name));
    const open: Model = {
      ...model,
      graph: {
        ...graph,
        // Files of old have initializers among the inputs, too.
        inputs: [...graph.inputs.filter(({ name }) => !names.has(name)), ...large.map(infoOf)],
        initializers: new Map([...graph.initializers].filter(([name]) => !names.has(name))),
      },
    };
    const session = await Session.create(open, options);
    const entries = large.map(
      async ([name, tensor]) =>
        [name, await hostTensor(tensor.dtype, floatData(tensor), tensor.dims)] as const,
    );
    return new Compiled(session, Object.fromEntries(await Promise.all(entries)));
  }

  /** @param feeds more than the inputs, too */
  run(feeds: Feeds): Promise<Record<string, HostTensor>> {
    const given = Object.fromEntries(this.inputs.map((name) => [name, feeds[name]!]));
    return this.#session.run({ ...this.#weights, ...given });
  }

  dispose(): Promise<void> {
    return this.#session.dispose();
  }
}

function isLarge(tensor: Tensor): boolean {
  const isFloat = tensor.dtype === 'float32' || tensor.dtype === 'float64';
  return isFloat && tensorByteLength(tensor) >= LARGE_BYTES;
}

function infoOf([name, { dtype, dims }]: [string, Tensor]): ValueInfo {
  return { name, type: new TensorType(dtype, dims) };
}

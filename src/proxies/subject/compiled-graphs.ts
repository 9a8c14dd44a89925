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
import { asMemoryError, checkMemory, isOfMemory } from './memory.js';
import { withShortNames } from './short-names.js';

export interface GraphOptions extends SessionOptions {
  /** Bytes that running the graph may take. */
  readonly memory?: number;
}

/** Bytes of a weight that is given as an input; smaller ones may be what sizes follow from. */
const LARGE_BYTES = 1 << 16;

/** Bytes of a graph for which ONNX Runtime keeps no memory of its own, and what was given out is freed at once. */
const LARGE_GRAPH = 250e6;

export class Compiled {
  /** What runs must be given. */
  readonly inputs: readonly string[];
  #session: Session;
  readonly #weights: Feeds;
  readonly #isLarge: boolean;
  /** The same without what ONNX Runtime rewrites. */
  readonly #plain: (() => Promise<Session>) | undefined;

  private constructor(session: Session, weights: Feeds, isLarge: boolean, plain?: () => Promise<Session>) {
    this.#session = session;
    this.#weights = weights;
    this.#isLarge = isLarge;
    this.#plain = plain;
    this.inputs = session.inputs.filter((name) => weights[name] === undefined);
  }

  /** @throws AuspexError PROXY_MEMORY before anything is compiled */
  static async create(model: Model, { memory, ...given }: GraphOptions): Promise<Compiled> {
    const isLarge = checkMemory(model, memory ?? Number.POSITIVE_INFINITY) > LARGE_GRAPH;
    const options = isLarge ? { ...given, memoryArena: false, memoryPattern: false } : given;
    if (options.optimization !== 'disabled') {
      const plain = () => Session.create(model, { ...options, optimization: 'disabled' });
      const session = await Session.create(model, options).catch((error: unknown) => {
        if (isOfMemory(asMemoryError(error))) throw asMemoryError(error);
        return plain();
      });
      return new Compiled(session, {}, isLarge, plain);
    }
    const { graph } = model;
    const outputs = new Set(graph.outputs.map(({ name }) => name));
    const large = [...graph.initializers].filter(
      ([name, tensor]) => isLargeWeight(tensor) && !outputs.has(name),
    );
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
    const session = await Session.create(withShortNames(open), options).catch((error: unknown) => {
      throw asMemoryError(error);
    });
    const entries = large.map(
      async ([name, tensor]) =>
        [name, await hostTensor(tensor.dtype, floatData(tensor), tensor.dims)] as const,
    );
    return new Compiled(session, Object.fromEntries(await Promise.all(entries)), isLarge);
  }

  /** @param feeds more than the inputs, too */
  async run(feeds: Feeds): Promise<Record<string, HostTensor>> {
    const own = Object.fromEntries(this.inputs.map((name) => [name, feeds[name]!]));
    const given = { ...this.#weights, ...own };
    if (this.#isLarge) collectGarbage();
    try {
      return await this.#session.run(given);
    } catch (error) {
      const problem = asMemoryError(error);
      if (this.#plain === undefined || isOfMemory(problem)) throw problem;
      // Its rewriting has defects that only show when a graph runs.
      await this.#session.dispose();
      this.#session = await this.#plain();
      return this.#session.run(given);
    }
  }

  async dispose(): Promise<void> {
    await this.#session.dispose();
    if (this.#isLarge) collectGarbage();
  }
}

/** What ONNX Runtime gave out lies outside of the heap, and would stay until the heap itself is full. */
function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}

function isLargeWeight(tensor: Tensor): boolean {
  const isFloat = tensor.dtype === 'float32' || tensor.dtype === 'float64';
  return isFloat && tensorByteLength(tensor) >= LARGE_BYTES;
}

function infoOf([name, { dtype, dims }]: [string, Tensor]): ValueInfo {
  return { name, type: new TensorType(dtype, dims) };
}

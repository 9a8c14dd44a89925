// Runs a model on ONNX Runtime: onnxruntime-node under Node, onnxruntime-web in a page (see runtime.ts). Nothing above
// this folder knows which.
import type { InferenceSession } from 'onnxruntime-common';
import type { DataType } from '../graph/dtype.js';
import { isDefaultDomain, type Model, type Node } from '../graph/graph.js';
import { uniquelyNamed } from '../graph/names.js';
import { encodeModel } from '../onnx/write.js';
import { traitsOf } from '../ops/index.js';
import { schemaFor } from '../ops/schemas.js';
import { AuspexError } from '../util/errors.js';
import { loadRuntime } from './runtime.js';
import { ApartSession } from './session-thread.js';

export interface SessionOptions {
  /** Threads of one operator; ONNX Runtime takes all cores unless told. */
  readonly threads?: number;
  /** How far ONNX Runtime rewrites the graph; `all` unless told. */
  readonly optimization?: 'disabled' | 'basic' | 'extended' | 'all';
  /** Execution providers in order of preference, such as `['cuda', 'cpu']`; the CPU unless told. */
  readonly providers?: readonly string[];
  /**
   * Whether ONNX Runtime plans all memory of a run as one block. It spares small models many allocations; large steps
   * take a quarter more memory with it and no less time. Default true.
   */
  readonly memoryPattern?: boolean;
  /**
   * Whether ONNX Runtime keeps the memory of values for later ones and later runs. Without, it takes and frees what a run
   * needs: large graphs then take half the memory, small ones more time. Default true.
   */
  readonly memoryArena?: boolean;
  /**
   * Whether weights are brought into the order that kernels read fastest before the first run. Models that are run once
   * are done sooner without. Default true.
   */
  readonly prepacking?: boolean;
  /**
   * Runs in a thread of its own, so that several sessions run at once; ONNX Runtime for Node otherwise keeps the calling
   * thread busy for the whole of a run. With onnxruntime-node only; a page has its own ways.
   */
  readonly isApart?: boolean;
  /**
   * Whether threads that wait for work keep their cores busy. Small graphs are sooner done with it; where other programs want
   * the cores, everything is better without. Default true; training steps follow the machine.
   */
  readonly spinning?: boolean;
  /** Seeds random operators that have no seed of their own, so that two sessions give the same numbers. */
  readonly seed?: number;
}

export type TypedArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

/** A tensor in memory. Its data may be written again by a later run that it is given to as an output. */
export interface HostTensor {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly data: TypedArray;
}

export type Feeds = Readonly<Record<string, HostTensor>>;

/**
 * A tensor that sessions take. Data is not copied.
 *
 * @example
 * const x = await hostTensor('float32', Float32Array.of(1, 2, 3), [1, 3]);
 * x.dims; // [1, 3]
 */
export async function hostTensor(
  type: DataType,
  data: TypedArray,
  dims: readonly number[],
): Promise<HostTensor> {
  const { Tensor } = (await loadRuntime()).module;
  return new Tensor(type as 'float32', data as Float32Array, dims) as unknown as HostTensor;
}

/**
 * A model that is ready to run, on ONNX Runtime. Call `dispose` when it is no longer needed.
 *
 * @example
 * const session = await Session.create(readModel('resnet8.onnx'), { threads: 1 });
 * const image = await hostTensor('float32', new Float32Array(3 * 32 * 32), [1, 3, 32, 32]);
 * const { logits } = await session.run({ image });
 * logits.dims; // [1, 10]
 * await session.dispose();
 */
export class Session {
  readonly #session: InferenceSession | ApartSession;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];

  private constructor(session: InferenceSession | ApartSession) {
    this.#session = session;
    this.inputs = session.inputNames;
    this.outputs = session.outputNames;
  }

  /** Compiles a model. */
  static create(model: Model, options: SessionOptions = {}): Promise<Session> {
    const { seed } = options;
    return Session.ofBytes(
      () => encodeModel(withUniqueNames(seed === undefined ? model : withSeeds(model, seed))),
      options,
    );
  }

  /** Compiles the bytes of a file as they are. */
  static ofBytes(given: Uint8Array | (() => Uint8Array), options: SessionOptions = {}): Promise<Session> {
    return Session.#compile(given, options);
  }

  /** Compiles a file, with the weights that lie beside it; of any size. */
  static ofFile(path: string, options: SessionOptions = {}): Promise<Session> {
    return Session.#compile(path, options);
  }

  static async #compile(
    given: string | Uint8Array | (() => Uint8Array),
    options: SessionOptions,
  ): Promise<Session> {
    const { module, isNative } = await loadRuntime();
    const { threads, optimization = 'all', providers, memoryPattern = true, isApart } = options;
    const { prepacking = true, spinning = true, memoryArena = true } = options;
    try {
      const source = typeof given === 'function' ? given() : given;
      const settings: InferenceSession.SessionOptions = {
        graphOptimizationLevel: optimization,
        logSeverityLevel: 3,
        enableMemPattern: memoryPattern,
        enableCpuMemArena: memoryArena,
        ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
        ...(providers ? { executionProviders: [...providers] } : {}),
        extra: {
          session: {
            ...(prepacking ? {} : { disable_prepacking: '1' }),
            ...(spinning ? {} : { intra_op: { allow_spinning: '0' } }),
          },
        },
      };
      return new Session(
        isApart && isNative && typeof source !== 'string'
          ? await ApartSession.create(source, settings)
          : await module.InferenceSession.create(source as Uint8Array, settings),
      );
    } catch (error) {
      throw wrapped(error, 'RUNTIME_REFUSED', 'ONNX Runtime does not take the model');
    }
  }

  /**
   * Runs the model.
   *
   * @param into tensors that outputs are written to; those that are not among them are made anew.
   */
  async run(feeds: Feeds, into?: Feeds): Promise<Record<string, HostTensor>> {
    const inputs = feeds as unknown as InferenceSession.FeedsType;
    try {
      if (this.#session instanceof ApartSession) return await this.#session.run(feeds, into);
      const results = into
        ? await this.#session.run(inputs, this.#fetches(into))
        : await this.#session.run(inputs);
      return results as unknown as Record<string, HostTensor>;
    } catch (error) {
      throw wrapped(error, 'RUNTIME_FAILED', 'ONNX Runtime could not run the model');
    }
  }

  #fetches(into: Feeds): InferenceSession.FetchesType {
    const fetches: Record<string, HostTensor | null> = {};
    for (const name of this.outputs) fetches[name] = into[name] ?? null;
    return fetches as unknown as InferenceSession.FetchesType;
  }

  async dispose(): Promise<void> {
    await this.#session.release();
  }
}

function wrapped(error: unknown, code: string, what: string): unknown {
  if (error instanceof AuspexError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AuspexError(code, `${what}: ${message}`, { kind: 'failure', cause: error });
}

const sessions = new WeakMap<Model, Map<string, Promise<Session>>>();

/** The session of a model, made once for each set of options. */
export function sessionFor(model: Model, options: SessionOptions = {}): Promise<Session> {
  const key = JSON.stringify([
    options.threads,
    options.optimization,
    options.providers,
    options.memoryPattern,
    options.memoryArena,
    options.prepacking,
    options.seed,
    options.isApart,
    options.spinning,
  ]);
  let made = sessions.get(model);
  if (made === undefined) {
    made = new Map();
    sessions.set(model, made);
  }
  let session = made.get(key);
  if (session === undefined) {
    session = Session.create(model, options);
    made.set(key, session);
    session.catch(() => made.delete(key));
  }
  return session;
}

function withUniqueNames(model: Model): Model {
  return { ...model, graph: { ...model.graph, nodes: uniquelyNamed(model.graph.nodes) } };
}

/** The model with a seed in every random operator of its graph that has none, each its own. */
function withSeeds(model: Model, seed: number): Model {
  const opset = model.opsetImports.get('') ?? 1;
  const nodes = model.graph.nodes.map((node, i): Node => {
    const isRandom = traitsOf(node).draws !== undefined && isDefaultDomain(node.domain);
    if (!isRandom || node.attributes.has('seed')) return node;
    // ONNX Runtime makes the float a whole number of 32 bits.
    const value = (seed * 7919 + i * 104729) % 2 ** 24;
    const isInt = schemaFor(node.domain, node.opType, opset)?.attributes.seed?.type === 'int';
    const attribute = isInt ? { type: 'int' as const, value } : { type: 'float' as const, value };
    return { ...node, attributes: new Map([...node.attributes, ['seed', attribute]]) };
  });
  return { ...model, graph: { ...model.graph, nodes } };
}

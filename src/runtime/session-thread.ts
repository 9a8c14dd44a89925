// A session of ONNX Runtime in a thread of its own, under Node. Its runs leave the calling thread free, which otherwise
// waits for each of them: two small models train, or two batches are predicted, in the time of one. What goes in and out
// is copied.
import type { InferenceSession } from 'onnxruntime-common';
import type { DataType } from '../graph/dtype.js';
import type { Feeds, HostTensor, TypedArray } from './session.js';

/** A tensor as threads send it to each other. */
interface Sent {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly data: TypedArray;
}

interface Reply {
  readonly call: number;
  readonly error?: string;
  readonly names?: readonly [inputs: readonly string[], outputs: readonly string[]];
  readonly outputs?: Readonly<Record<string, Sent>>;
}

/** What is used of a `Worker`; its module is loaded only where there are threads. */
interface Thread {
  postMessage(request: Request): void;
  on(event: 'message', listener: (reply: Reply) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'exit', listener: (code: number) => void): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<number>;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

export class ApartSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly #calls: Calls;

  private constructor(calls: Calls, [inputs, outputs]: NonNullable<Reply['names']>) {
    this.#calls = calls;
    this.inputNames = inputs;
    this.outputNames = outputs;
  }

  static async create(bytes: Uint8Array, options: InferenceSession.SessionOptions): Promise<ApartSession> {
    const calls = new Calls(startThread());
    try {
      const { names } = await calls.make({ model: { bytes, options } });
      return new ApartSession(calls, names!);
    } catch (error) {
      await calls.end();
      throw error;
    }
  }

  /** @param into tensors that outputs are written to */
  async run(feeds: Feeds, into: Feeds = {}): Promise<Record<string, HostTensor>> {
    const { outputs } = await this.#calls.make({ feeds: sent(feeds) });
    const found: Record<string, HostTensor> = {};
    for (const [name, tensor] of Object.entries(outputs!)) {
      const place = into[name];
      if (place) (place.data as Float32Array).set(tensor.data as Float32Array);
      found[name] = place ?? tensor;
    }
    return found;
  }

  release(): Promise<void> {
    return this.#calls.end();
  }
}

/** Only what can be sent: tensors of a runtime have methods. */
function sent(feeds: Feeds): Record<string, Sent> {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { type, dims, data }]) => [name, { type, dims, data }]),
  );
}

/** Calls of a thread and its replies. The process does not wait for a thread that has nothing to do. */
class Calls {
  readonly #thread: Thread;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  #isEnded = false;

  constructor(thread: Thread) {
    this.#thread = thread;
    thread.unref();
    thread.on('message', (reply) => {
      const waiting = this.#waiting.get(reply.call);
      this.#done(reply.call);
      if (reply.error === undefined) waiting?.resolve(reply);
      else waiting?.reject(new Error(reply.error));
    });
    thread.on('error', (error) => this.#fail(error));
    thread.on('exit', () => this.#fail(new Error('its thread has ended')));
  }

  make(request: Omit<Request, 'call'>): Promise<Reply> {
    if (this.#isEnded) return Promise.reject(new Error('the session was released'));
    const call = this.#count++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#thread.ref();
      this.#thread.postMessage({ call, ...request });
    });
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#thread.terminate();
  }

  #done(call: number): void {
    this.#waiting.delete(call);
    if (this.#waiting.size === 0) this.#thread.unref();
  }

  #fail(error: Error): void {
    this.#isEnded = true;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function startThread(): Thread {
  // Not imported: what bundles pages would look for them.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const { createRequire } = process.getBuiltinModule('node:module');
  const runtime = createRequire(import.meta.url).resolve('onnxruntime-node');
  return new Worker(`(${thread.toString()})(require)`, { eval: true, workerData: runtime });
}

interface Request {
  readonly call: number;
  /** The first has a model, all others what it is run on. */
  readonly model?: { readonly bytes: Uint8Array; readonly options: InferenceSession.SessionOptions };
  readonly feeds?: Readonly<Record<string, Sent>>;
}

interface Port {
  postMessage(reply: Reply): void;
  on(event: 'message', listener: (request: Request) => void): void;
}

/** What the thread does, by itself: its text is sent there, so nothing of this file can be used in it. */
function thread(require: (name: string) => unknown): void {
  const { parentPort, workerData } = require('node:worker_threads') as {
    parentPort: Port;
    workerData: string;
  };
  const runtime = require(workerData) as typeof import('onnxruntime-common');
  let session: InferenceSession | undefined;
  const answer = async ({ model, feeds }: Request): Promise<Omit<Reply, 'call'>> => {
    if (model) {
      session = await runtime.InferenceSession.create(model.bytes, model.options);
      return { names: [session.inputNames, session.outputNames] };
    }
    const inputs: Record<string, InferenceSession.OnnxValueMapType[string]> = {};
    for (const [name, { type, data, dims }] of Object.entries(feeds!)) {
      inputs[name] = new runtime.Tensor(type as 'float32', data as Float32Array, dims);
    }
    const outputs: Record<string, Sent> = {};
    for (const [name, { type, dims, data }] of Object.entries(await session!.run(inputs))) {
      outputs[name] = { type: type as Sent['type'], dims, data: data as Float32Array };
    }
    return { outputs };
  };
  parentPort.on('message', (request) => {
    const { call } = request;
    answer(request).then(
      (reply) => parentPort.postMessage({ call, ...reply }),
      (error) => parentPort.postMessage({ call, error: String(error?.message ?? error) }),
    );
  });
}

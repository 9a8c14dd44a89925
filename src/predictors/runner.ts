// What runs a predictor's graph: a session for every entry, made when it is first needed, and for many rows one of a single
// thread for each thread.

import { isKnown } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { isTensor } from '../graph/types.js';
import { type Batch, tensorsOf } from '../nn/batch.js';
import { encodeModel } from '../onnx/write.js';
import { type HostTensor, Session, type SessionOptions } from '../runtime/session.js';
import { ALONE_CHUNK, distinctRows, predictAll, type RunBatch } from './batches.js';
import { entryModel } from './entries.js';
import type { GraphSet } from './views/view.js';

/** Rows that are worth the half second that other sessions take to begin. */
const MANY = 2048;

export class Runner {
  readonly model: Model;
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, Promise<Session>>();
  readonly #bytes = new Map<string, Uint8Array>();

  /** @param bytes of the model, where they are known: it need not be encoded again */
  constructor(model: Model, options: SessionOptions = {}, bytes?: Uint8Array) {
    this.model = model;
    this.#options = options;
    // All outputs need the whole model.
    const all = model.graph.outputs.map(({ name }) => name).join(' ');
    if (bytes !== undefined) this.#bytes.set(all, bytes);
  }

  /** The numbers that outputs give for a row, all of them together. */
  widthOf(outputs: readonly string[]): number {
    const widths = outputs.map((output) => {
      const type = this.model.graph.outputs.find(({ name }) => name === output)?.type;
      const width = type && isTensor(type) ? type.shape?.[1] : undefined;
      if (width === undefined || !isKnown(width)) throw new Error(`the model has no output ${output}`);
      return width;
    });
    return widths.reduce((sum, width) => sum + width, 0);
  }

  async run(output: string, batch: Batch): Promise<Float32Array> {
    return (await this.#lane([output], 0, 1))(batch);
  }

  /**
   * What outputs give for all rows, row by row, side by side; rows that are encoded alike are run once.
   *
   * @param count of rows in all, of which these are a part
   */
  async runAll(outputs: readonly string[], graphs: GraphSet, count = graphs.count): Promise<Float64Array> {
    const width = this.widthOf(outputs);
    const { threads = 1 } = this.#options;
    const lanes = count < MANY ? 1 : threads;
    const { set, places } = distinctRows(graphs);
    const chunks = lanes === threads ? { chunk: ALONE_CHUNK } : {};
    const found = await predictAll(set, width, await Promise.all(this.#lanes(outputs, lanes)), chunks);
    const values = new Float64Array(graphs.count * width);
    places.forEach((place, row) => {
      values.set(found.subarray(place * width, (place + 1) * width), row * width);
    });
    return values;
  }

  #lanes(outputs: readonly string[], count: number): Promise<RunBatch>[] {
    return Array.from({ length: count }, (_, lane) => this.#lane(outputs, lane, count));
  }

  async #lane(outputs: readonly string[], lane: number, count: number): Promise<RunBatch> {
    const part = outputs.join(' ');
    const key = count === 1 ? part : `${part} ${lane}`;
    let making = this.#sessions.get(key);
    if (making === undefined) {
      let bytes = this.#bytes.get(part);
      if (bytes === undefined) {
        bytes = encodeModel(entryModel(this.model, outputs));
        this.#bytes.set(part, bytes);
      }
      // Sessions of one thread each do not wait for each other after every operator.
      const alone = { ...this.#options, threads: 1, isApart: true };
      making = Session.ofBytes(bytes, count === 1 ? this.#options : alone);
      this.#sessions.set(key, making);
      making.catch(() => this.#sessions.delete(key));
    }
    const session = await making;
    return async (batch) => {
      const found = await session.run(await tensorsOf(batch));
      return sideBySide(outputs.map((name) => found[name]!));
    };
  }

  async dispose(): Promise<void> {
    const made = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of await Promise.allSettled(made)) {
      if (session.status === 'fulfilled') await session.value.dispose();
    }
  }
}

/** Tensors (B, …) as one, row by row. */
function sideBySide(tensors: readonly Pick<HostTensor, 'data' | 'dims'>[]): Float32Array {
  const parts = tensors.map(({ data }) => data as Float32Array);
  if (parts.length === 1) return parts[0]!;
  const rows = tensors[0]!.dims[0]!;
  const widths = parts.map(({ length }) => (rows === 0 ? 0 : length / rows));
  const width = widths.reduce((sum, each) => sum + each, 0);
  const all = new Float32Array(rows * width);
  let start = 0;
  parts.forEach((part, i) => {
    const own = widths[i]!;
    for (let row = 0; row < rows; row++)
      all.set(part.subarray(row * own, (row + 1) * own), row * width + start);
    start += own;
  });
  return all;
}

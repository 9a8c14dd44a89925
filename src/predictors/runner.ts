// What runs a predictor's graph: a session for every entry, made when it is first needed, and for many rows one of a single
// thread for each thread.

import { isKnown } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { isTensor } from '../graph/types.js';
import { type Batch, tensorsOf } from '../nn/batch.js';
import { encodeModel } from '../onnx/write.js';
import { Session, type SessionOptions } from '../runtime/session.js';
import { distinctRows, predictAll, type RunBatch } from './batches.js';
import { entryModel, OUTPUTS } from './entries.js';
import type { Entry } from './predictor.js';
import type { GraphSet } from './views/view.js';

/** Rows that are worth the half second that other sessions take to begin. */
const MANY = 2048;

type Gives = Entry['gives'];

export class Runner {
  readonly model: Model;
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, Promise<Session>>();
  readonly #bytes = new Map<Gives, Uint8Array>();

  /** @param bytes of the model, where they are known: it need not be encoded again */
  constructor(model: Model, options: SessionOptions = {}, bytes?: Uint8Array) {
    this.model = model;
    this.#options = options;
    const [only, ...more] = model.graph.outputs;
    const gives = (Object.keys(OUTPUTS) as Gives[]).find((each) => OUTPUTS[each] === only?.name);
    if (bytes !== undefined && gives !== undefined && more.length === 0) this.#bytes.set(gives, bytes);
  }

  /** The numbers that an entry gives for a row. */
  widthOf(gives: Gives): number {
    const type = this.model.graph.outputs.find(({ name }) => name === OUTPUTS[gives])?.type;
    const width = type && isTensor(type) ? type.shape?.[1] : undefined;
    if (width === undefined || !isKnown(width)) throw new Error(`the model has no output for ${gives}`);
    return width;
  }

  async run(gives: Gives, batch: Batch): Promise<Float32Array> {
    return (await this.#lane(gives, 0, 1))(batch);
  }

  /**
   * What an entry gives for all rows, row by row; those that are encoded alike are run once.
   *
   * @param count of rows in all, of which these are a part
   */
  async runAll(gives: Gives, graphs: GraphSet, count = graphs.count): Promise<Float64Array> {
    const width = this.widthOf(gives);
    const { threads = 1 } = this.#options;
    const lanes = count < MANY ? 1 : threads;
    const { set, places } = distinctRows(graphs);
    const found = await predictAll(set, width, await Promise.all(this.#lanes(gives, lanes)));
    const values = new Float64Array(graphs.count * width);
    places.forEach((place, row) => {
      values.set(found.subarray(place * width, (place + 1) * width), row * width);
    });
    return values;
  }

  #lanes(gives: Gives, count: number): Promise<RunBatch>[] {
    return Array.from({ length: count }, (_, lane) => this.#lane(gives, lane, count));
  }

  async #lane(gives: Gives, lane: number, count: number): Promise<RunBatch> {
    const key = count === 1 ? gives : `${gives} ${lane}`;
    let making = this.#sessions.get(key);
    if (making === undefined) {
      let bytes = this.#bytes.get(gives);
      if (bytes === undefined) {
        bytes = encodeModel(entryModel(this.model, gives));
        this.#bytes.set(gives, bytes);
      }
      // Sessions of one thread each do not wait for each other after every operator.
      const alone = { ...this.#options, threads: 1, isApart: true };
      making = Session.ofBytes(bytes, count === 1 ? this.#options : alone);
      this.#sessions.set(key, making);
      making.catch(() => this.#sessions.delete(key));
    }
    const session = await making;
    return async (batch) => (await session.run(await tensorsOf(batch)))[OUTPUTS[gives]]!.data as Float32Array;
  }

  async dispose(): Promise<void> {
    const made = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of await Promise.allSettled(made)) {
      if (session.status === 'fulfilled') await session.value.dispose();
    }
  }
}

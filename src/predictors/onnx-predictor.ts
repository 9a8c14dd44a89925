// What all predictors share: a model that runs, and is a file which says what it is for.
import type { Model } from '../graph/graph.js';
import { type Batch, tensorsOf } from '../nn/batch.js';
import { encodeModel } from '../onnx/write.js';
import { Session, type SessionOptions } from '../runtime/session.js';
import type { RunBatch } from './fit-graphs.js';
import { INFO_KEY, type Predictor, type PredictorInfo } from './predictor.js';

/** The output of a predictor's model: (batch, labels), in the labels' units. */
export const OUTPUT = 'prediction';

/** The model with what is to be known of it. */
export function withInfo(model: Model, info: PredictorInfo): Model {
  const metadata = new Map([...(model.metadata ?? []), [INFO_KEY, JSON.stringify(info)] as const]);
  return { ...model, metadata };
}

/** Graphs that are worth the half second that other sessions take to begin. */
const MANY = 2048;

async function resultOf(session: Session, batch: Batch): Promise<Float32Array> {
  const found = await session.run(await tensorsOf(batch));
  return found[OUTPUT]!.data as Float32Array;
}

/** A predictor whose model has been loaded. */
export abstract class OnnxPredictor<Info extends PredictorInfo> implements Predictor {
  readonly info: Info;
  readonly model: Model;
  readonly #session: Session;
  readonly #options: SessionOptions;
  /** Sessions of one thread each, for many batches. */
  #apart: Promise<readonly Session[]> | undefined;

  protected constructor(model: Model, info: Info, session: Session, options: SessionOptions = {}) {
    this.model = model;
    this.info = info;
    this.#session = session;
    this.#options = options;
  }

  abstract values(architectures: readonly string[]): Promise<Float64Array>;

  /** What the file is to be given for architectures, in one batch. */
  abstract inputs(architectures: readonly string[]): Batch;

  toOnnx(): Uint8Array {
    return encodeModel(this.model);
  }

  /** What the file puts out for a batch: (batch, labels), row by row. */
  async run(batch: Batch): Promise<Float32Array> {
    return resultOf(this.#session, batch);
  }

  /**
   * What runs the batches of so many graphs: the session, or for many one of a single thread for each thread, which do not
   * wait for each other after every operator.
   */
  protected async lanes(count: number): Promise<RunBatch[]> {
    const { threads = 1, ...options } = this.#options;
    if (count < MANY || threads < 2) return [(batch) => this.run(batch)];
    this.#apart ??= Promise.all(
      Array.from({ length: threads }, () =>
        Session.create(this.model, { ...options, threads: 1, isApart: true }),
      ),
    );
    return (await this.#apart).map((session) => (batch) => resultOf(session, batch));
  }

  async dispose(): Promise<void> {
    await this.#session.dispose();
    for (const session of (await this.#apart) ?? []) await session.dispose();
  }
}

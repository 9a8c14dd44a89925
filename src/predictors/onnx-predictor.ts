// What all predictors share: a model that runs, and is a file which says what it is for.
import type { Model } from '../graph/graph.js';
import { type Batch, tensorsOf } from '../nn/batch.js';
import { encodeModel } from '../onnx/write.js';
import type { Session } from '../runtime/session.js';
import { INFO_KEY, type Predictor, type PredictorInfo } from './predictor.js';

/** The output of a predictor's model: (batch, labels), in the labels' units. */
export const OUTPUT = 'prediction';

/** The model with what is to be known of it. */
export function withInfo(model: Model, info: PredictorInfo): Model {
  const metadata = new Map([...(model.metadata ?? []), [INFO_KEY, JSON.stringify(info)] as const]);
  return { ...model, metadata };
}

/** A predictor whose model has been loaded. */
export abstract class OnnxPredictor<Info extends PredictorInfo> implements Predictor {
  readonly info: Info;
  readonly model: Model;
  readonly #session: Session;

  protected constructor(model: Model, info: Info, session: Session) {
    this.model = model;
    this.info = info;
    this.#session = session;
  }

  abstract values(architectures: readonly string[]): Promise<Float64Array>;

  /** What the file is to be given for architectures, in one batch. */
  abstract inputs(architectures: readonly string[]): Batch;

  toOnnx(): Uint8Array {
    return encodeModel(this.model);
  }

  /** What the file puts out for a batch: (batch, labels), row by row. */
  async run(batch: Batch): Promise<Float32Array> {
    const found = await this.#session.run(await tensorsOf(batch));
    return found[OUTPUT]!.data as Float32Array;
  }

  async dispose(): Promise<void> {
    await this.#session.dispose();
  }
}

// Predictors from a row of numbers: parameters or FLOPs alone, both, a random forest on features of the structure. What
// every other predictor must beat.
import { symbol } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import type { Batch } from '../nn/batch.js';
import { Builder } from '../ops/build.js';
import { Session, type SessionOptions } from '../runtime/session.js';
import { baselineModel, INPUT, OPSETS } from './baselines/baseline-model.js';
import { FeatureRows } from './baselines/feature-rows.js';
import type { ErrorScale } from './conformal.js';
import {
  expectFeatures,
  FEATURE_MODELS,
  type FeatureModel,
  type FeatureModelName,
  type FeatureModelOptions,
  type FittedFeatures,
  featuresFor,
} from './feature-models.js';
import type { FeatureSet } from './features.js';
import { calibrated, type LabelledRows, labelInfos } from './labelled-rows.js';
import { column, type LabelScale, labelScale, learned, unlearned } from './labels.js';
import type { ReadNetwork } from './network-source.js';
import { OnnxPredictor, OUTPUT, withInfo } from './onnx-predictor.js';
import type { PredictorInfo, TrainingSplit } from './predictor.js';

export interface FeatureFitOptions {
  readonly space: string;
  readonly kind: FeatureModelName;
  readonly options?: FeatureModelOptions;
  /** Whether labels are learned as they are or as logarithms. Default `linear`. */
  readonly scale?: ErrorScale;
  readonly seed?: number;
  readonly threads?: number;
  /** Rows that are not fitted to: intervals are made with them. */
  readonly validation?: LabelledRows;
  /** How the rows were drawn, for the record. */
  readonly split?: TrainingSplit;
  /** Where architectures are files. */
  readonly read?: ReadNetwork;
}

export interface FeaturePredictorInfo extends PredictorInfo {
  readonly kind: FeatureModelName;
  readonly input: 'features';
  /** In the order of the input. */
  readonly features: readonly string[];
  readonly options: FeatureModelOptions;
}

/**
 * Fits a predictor.
 *
 * @example
 * const predictor = await fitFeatures(rows, { space: 'nasbench201', kind: 'forest', seed: 1 });
 *
 * @throws AuspexError ARCH_TEXT, LABEL_…, FEATURES_NOT_POSITIVE for a network without parameters or arithmetic
 */
export async function fitFeatures(rows: LabelledRows, options: FeatureFitOptions): Promise<FeaturePredictor> {
  const { kind, space, read, seed = 0, threads = 2, scale = 'linear', validation } = options;
  const model: FeatureModel = FEATURE_MODELS[kind];
  const { labels } = rows;
  const scales = labels.names.map((_, i) => labelScale(labels, i, scale));
  const features = model.features(space, read);
  const given = features.rows(rows.architectures);
  const settings = { ...model.options, ...options.options };
  const fitted = scales.map((each, label) => {
    const truths = column(labels, label);
    const known = [...truths.keys()].filter((row) => !Number.isNaN(truths[row]));
    const targets = Float64Array.from(known, (row) => learned(truths[row]!, each));
    return model.fit(rowsOf(given, known), targets, settings, seed);
  });
  const info: FeaturePredictorInfo = {
    version: 1,
    kind,
    input: 'features',
    space,
    labels: labelInfos(labels, scale),
    rows: rows.architectures.length,
    seed,
    ...(options.split ? { split: options.split } : {}),
    features: features.names,
    options: settings,
  };
  const plain = predictorModel(kind, features, fitted, scales);
  const create = (of: FeaturePredictorInfo): Promise<FeaturePredictor> =>
    FeaturePredictor.create(withInfo(plain, of), of, { threads, ...(read ? { read } : {}) });
  return calibrated(info, validation, create);
}

function rowsOf({ names, data, count }: FeatureRows, chosen: readonly number[]): FeatureRows {
  const width = names.length;
  if (chosen.length === count) return new FeatureRows(names, data);
  const part = new Float32Array(chosen.length * width);
  chosen.forEach((row, i) => void part.set(data.subarray(row * width, (row + 1) * width), i * width));
  return new FeatureRows(names, part);
}

/** `features` (batch, F) → `prediction` (batch, labels), in the labels' units. */
function predictorModel(
  name: string,
  features: FeatureSet,
  fitted: readonly FittedFeatures[],
  scales: readonly LabelScale[],
): Model {
  const builder = new Builder({ opsets: OPSETS });
  const x = builder.input(INPUT, 'float32', [symbol('batch'), features.names.length]);
  const each = fitted.map((apply) => apply(x));
  const prediction = unlearned(each.length === 1 ? each[0]! : builder.concat(each, 1), scales);
  return baselineModel(name, features.names, builder, { [OUTPUT]: prediction });
}

export interface FeaturePredictorOptions extends SessionOptions {
  readonly read?: ReadNetwork;
}

/** A fitted predictor. */
export class FeaturePredictor extends OnnxPredictor<FeaturePredictorInfo> {
  readonly #features: FeatureSet;

  private constructor(model: Model, info: FeaturePredictorInfo, session: Session, features: FeatureSet) {
    super(model, info, session);
    this.#features = features;
  }

  static async create(
    model: Model,
    info: FeaturePredictorInfo,
    { read, ...options }: FeaturePredictorOptions = {},
  ): Promise<FeaturePredictor> {
    const features = featuresFor(info.kind, info.space, read);
    expectFeatures(info.features, features.names);
    return new FeaturePredictor(model, info, await Session.create(model, options), features);
  }

  async values(architectures: readonly string[]): Promise<Float64Array> {
    return architectures.length === 0
      ? new Float64Array(0)
      : Float64Array.from(await this.run(this.inputs(architectures)));
  }

  inputs(architectures: readonly string[]): Batch {
    const { names, data, count } = this.#features.rows(architectures);
    return { [INPUT]: { type: 'float32', dims: [count, names.length], data } };
  }
}

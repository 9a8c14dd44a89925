// Predictors: train, save, load, predict.

export { CellAutoencoder, type DecodedNetwork, type Decoding } from './cell-autoencoder.js';
export { decodingQuality, reconstructionQuality } from './decoding-quality.js';
export { type EvaluateOptions, type Evaluation, evaluate } from './evaluate.js';
export { conformalInterval, coverageOf, type IntervalRule, intervalAround } from './intervals.js';
export {
  type FitRun,
  type Fitted,
  hasSizes,
  KINDS,
  kindNamed,
  type PredictorKind,
  type RecipeChanges,
  registerKind,
  type StepsRecipe,
  type TrainingData,
} from './kinds/index.js';
export { labelledRows, tableNetworks } from './labelled-rows.js';
export { type Labels, registerTransform, type TargetTransform } from './labels.js';
export {
  type BetweenNetwork,
  type NearNetwork,
  type NearOptions,
  networksBetween,
  networksDrawn,
  networksNear,
} from './latent-space.js';
export { decodePredictor } from './load.js';
export { OnnxPredictor } from './onnx-predictor.js';
export { type PredictedColumn, type Prediction, Predictions, withInterval } from './predictions.js';
export type {
  Entry,
  LabelInfo,
  Matrix,
  PredictOptions,
  Predictor,
  PredictorInfo,
  TrainingSplit,
} from './predictor.js';
export type { RankingLossOptions } from './ranking-loss.js';
export type { TrainedMember, TrainingProgress } from './train.js';
export { type GraphSet, type InputShapes, registerView, type View, viewNamed } from './views/index.js';

// Predictors: train, save, load, predict.
export {
  CELL_MODELS,
  type CellModelName,
  type CellModelOptions,
  type CellRecipe,
  PRETRAINING,
  type Pretraining,
} from './cell-models.js';
export {
  type CellFitOptions,
  CellPredictor,
  type CellPredictorInfo,
  type FittedCells,
  fitCells,
  type LabelledRows,
  pretrainCells,
} from './cell-predictor.js';
export { conformalInterval, coverageOf, type IntervalRule, intervalAround } from './conformal.js';
export { type EvaluateOptions, type Evaluation, evaluate } from './evaluate.js';
export type { GraphProgress, TrainedMember, TrainingRecipe } from './fit-graphs.js';
export {
  type FittedPredictor,
  type KindFitOptions,
  kindNamed,
  type PredictorKind,
  type RecipeChanges,
} from './kinds.js';
export { labelledRows } from './labelled-rows.js';
export type { Labels } from './labels.js';
export { decodePredictor } from './load.js';
export {
  type LabelInfo,
  type Prediction,
  type Predictor,
  type PredictorInfo,
  withInterval,
} from './predictor.js';
export type { RankingLossOptions } from './ranking-loss.js';

// The library where there are no files, such as in a page. `index.ts` adds files for Node. Headings are those of
// docs/reference/api.md.

// # Networks

export type { Block } from './analysis/blocks.js';
export type { CostReport, Counts, NodeCost } from './analysis/cost.js';
export { type Inference, type InferOptions, inferShapes } from './analysis/infer.js';
export type { Inspection } from './analysis/inspect.js';
export { cost, inspect, structureHash } from './api/inspect.js';
export { type NetworkLike, type NetworksLike, network, networks, readModel } from './api/networks.js';
export type { Model } from './graph/graph.js';
export type { Network, Networks, Sizes } from './networks/index.js';
export type { ReadOptions } from './onnx/read.js';

// # Predictions

export { useBundled } from './api/bundled-files.js';
export {
  type LabelPrediction,
  loadPredictor,
  type NetworkPrediction,
  type PredictorsOptions,
  predict,
} from './api/predict.js';
export type { Prediction, Predictions } from './predictors/predictions.js';
export type { LabelInfo, Predictor, PredictorInfo } from './predictors/predictor.js';

// # Training and evaluation

export { type EvaluationOptions, evaluate, metric } from './api/evaluate.js';
export {
  type PretrainOptions,
  predictorKinds,
  pretrain,
  type TrainedPredictor,
  type TrainOptions,
  train,
} from './api/train.js';
export type { NamedMetric as Metric } from './metrics/index.js';
export type { PredictorKind } from './predictors/kind.js';
export type { View } from './predictors/views/view.js';
export type { EvaluatedLabel } from './report/pages/evaluation-report.js';

// # Tables

export { readTable, type SplitOptions, split, type TableOptions } from './api/tables.js';
export type { LabelRequest } from './datasets/label-options.js';
export type { Split } from './datasets/splits/splits.js';
export { type Label, Table } from './datasets/table.js';

// # Zero-cost scores

export {
  type CorrelationOptions,
  correlate,
  explain,
  type NetworkScores,
  proxies,
  type ScoringOptions,
  score,
} from './api/score.js';
export { rankMean } from './metrics/ranks.js';
export type { Explanation, ZeroCostProxy as Proxy } from './proxies/index.js';
export type { Correlation } from './report/index.js';

// # Search

export { fromPredictor, fromProxy, fromTable, type ProxyEvaluatorOptions } from './api/evaluators.js';
export { type NamedStrategy, type SearchOptions, search, strategies } from './api/search.js';
export type { Constraint, Evaluator, Objective, Scorer, Strategy, Trial } from './search/contract.js';
export { hypervolume } from './search/hypervolume.js';
export { paretoFront } from './search/pareto.js';
export type { SearchEnd } from './search/run.js';

// # Search spaces

export { type SampleOptions, sample, space, spaces } from './api/spaces.js';
export type { AnySpace, Cell, Choice, Space } from './spaces/index.js';

// # Running models

export { type Differentiated, type GradientOptions, gradients } from './autodiff/gradients.js';
export { type RuntimeModule, type RuntimeOptions, useRuntime } from './runtime/runtime.js';
export { type Feeds, type HostTensor, hostTensor, Session, type SessionOptions } from './runtime/session.js';

// # Errors

export { AuspexError, type Where } from './util/errors.js';

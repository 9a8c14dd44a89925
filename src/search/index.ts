// Search: strategies that spend a budget of evaluations on a space.
export { Candidates } from './candidates.js';
export { costWithin, type Range, scoreWithin } from './constraints.js';
export {
  bestTrial,
  type Constraint,
  type Direction,
  type Embedding,
  type Evaluated,
  type Evaluator,
  type Objective,
  type Outcome as EvaluationOutcome,
  type Proposal,
  type Scorer,
  type SearchContext,
  type Strategy,
  type Trial,
} from './contract.js';
export { costScorer } from './costs.js';
export { inBatches, oneByOne } from './evaluating.js';
export { joinedEvaluator, scorerEvaluator, tableEvaluator } from './evaluators.js';
export { hypervolume, volumeOf } from './hypervolume.js';
export { type LogRecord, memoryLog, type SearchLog } from './log.js';
export { crowdingDistances, dominates, minimised, nonDominatedFronts, paretoFront } from './pareto.js';
export { predictorEmbedding, predictorEvaluator, predictorScorer } from './predicted.js';
export { runSearch, type SearchEnd, type SearchOptions, type SearchResult, search } from './run.js';
export { rankCombined } from './scorers.js';
export { type AgingOptions, agingEvolution } from './strategies/aging-evolution.js';
export { type BoOptions, bayesianOptimisation } from './strategies/bo.js';
export { ETAS_PRESETS, type EtasOptions, etas } from './strategies/etas.js';
export { type LocalSearchOptions, localSearch } from './strategies/local-search.js';
export { type Nsga2Options, nsga2 } from './strategies/nsga2.js';
export { randomSearch } from './strategies/random-search.js';
export {
  registerStrategy,
  STRATEGIES,
  type StrategyEntry,
  type StrategyOptions,
  strategyNamed,
} from './strategies/registry.js';
export { type ReinforceOptions, reinforce } from './strategies/reinforce.js';
export { type TableSpace, tableSpace } from './table-space.js';

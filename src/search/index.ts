// Search: strategies that spend a budget of evaluations on a space.
export { AGING_DEFAULTS, type AgingOptions, agingEvolution } from './aging-evolution.js';
export { Candidates } from './candidates.js';
export { costWithin, type Range, scoreWithin } from './constraints.js';
export {
  bestTrial,
  type Constraint,
  type Direction,
  type Evaluator,
  type Objective,
  objectivesOf,
  type Proposal,
  type Scorer,
  type SearchContext,
  type Strategy,
  type Trial,
} from './contract.js';
export { ETAS_PRESETS, type EtasOptions, etas } from './etas.js';
export { joinedEvaluator, scorerEvaluator, tableEvaluator } from './evaluators.js';
export { hypervolume } from './hypervolume.js';
export { LOCAL_DEFAULTS, type LocalSearchOptions, localSearch } from './local-search.js';
export { type LogRecord, memoryLog, type SearchLog } from './log.js';
export { NSGA2_DEFAULTS, type Nsga2Options, nsga2 } from './nsga2.js';
export { crowdingDistances, dominates, minimised, nonDominatedFronts, paretoFront } from './pareto.js';
export { randomSearch } from './random-search.js';
export { predictorScorer, rankCombined } from './scorers.js';
export { runSearch, type SearchEnd, type SearchOptions, type SearchResult, search } from './search.js';
export { STRATEGIES, type StrategyName, type StrategyOptions, strategyNamed } from './strategies.js';
export { type TableSpace, tableSpace } from './table-space.js';

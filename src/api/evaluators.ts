// What tells a search the value of networks.
import { Table } from '../datasets/table.js';
import type { Predictor } from '../predictors/predictor.js';
import type { Evaluator } from '../search/contract.js';
import { scorerEvaluator, tableEvaluator } from '../search/evaluators.js';
import { predictorEvaluator } from '../search/predicted.js';
import { type TableSpace, tableSpace } from '../search/table-space.js';
import { spaceNamed } from '../spaces/index.js';
import { AuspexError } from '../util/errors.js';
import { checkedOptions, count, expectText, isObject, whole } from './options.js';
import { proxyScorer } from './search.js';

/**
 * Evaluates architectures by a table; each label is an objective. The search stays within the rows of the table.
 *
 * @param labels the only one by default
 * @throws AuspexError TABLE_NO_LABEL, LABEL_MISSING, SPACE_UNKNOWN
 * @example
 * const table = await readTable('cells.csv');
 * fromTable(table, ['accuracy', 'latency']).objectives; // [{ name: 'accuracy', better: 'higher', … }, { name: 'latency', better: 'lower', … }]
 */
export function fromTable(
  table: Table,
  labels?: readonly string[],
): Evaluator & { readonly space: TableSpace<unknown> } {
  if (!(table instanceof Table))
    throw new AuspexError('BAD_OPTION', 'fromTable takes a Table; readTable reads one');
  const names = labels ?? (table.labels.length === 1 ? [table.labels[0]!.name] : []);
  const space = spaceNamed(table.space);
  return { ...tableEvaluator(space, table, names), space: tableSpace(space, table, names) };
}

/**
 * Evaluates networks by what a predictor predicts.
 *
 * @param labels its first one by default
 * @throws AuspexError LABEL_UNKNOWN
 * @example
 * const predictor = await loadPredictor('accuracy.onnx');
 * const options = { space: 'nasbench201', evaluator: fromPredictor(predictor), budget: 50, seed: 1 };
 * const values: number[] = [];
 * for await (const { value = 0 } of search(options)) values.push(value);
 * Math.max(...values) > 90; // true
 * await predictor.dispose();
 */
export function fromPredictor(predictor: Predictor, labels?: readonly string[]): Evaluator {
  if (!isObject(predictor) || !isObject(predictor.info)) {
    throw new AuspexError('BAD_OPTION', 'fromPredictor takes a predictor; loadPredictor reads one');
  }
  return predictorEvaluator(predictor, labels ?? predictor.info.labels.slice(0, 1).map(({ name }) => name));
}

export interface ProxyEvaluatorOptions {
  /** Of weights and samples. Default 0. */
  readonly seed?: number;
  /** Samples at once. */
  readonly batch?: number;
  /** Networks at once. Default 1. */
  readonly workers?: number;
}

/**
 * Evaluates networks by a zero-cost proxy.
 *
 * @throws AuspexError SCORE_UNKNOWN, PROXY_VARIANT
 * @example
 * const options = { space: 'nats-size', evaluator: fromProxy('params'), budget: 10, strategy: 'random' };
 * let trials = 0;
 * for await (const trial of search(options)) trials += trial.error ? 0 : 1;
 * trials; // 10
 */
export function fromProxy(name: string, options?: ProxyEvaluatorOptions): Evaluator {
  expectText('fromProxy', 'the name of a proxy', name);
  const fields = { seed: whole.optional(), batch: count.optional(), workers: count.optional() };
  const { workers = 1, ...settings } = checkedOptions<ProxyEvaluatorOptions>('fromProxy', fields, options);
  return scorerEvaluator(proxyScorer(name, { ...settings, workers }), workers === 1 ? 1 : 4 * workers);
}

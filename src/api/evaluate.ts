// How good predictors are.
import * as z from 'zod';
import { evaluated, expectCovered, labelPairs, unseenRows } from '../app/evaluate-table.js';
import { Table } from '../datasets/table.js';
import { metricNamed, type NamedMetric } from '../metrics/index.js';
import type { Predictor } from '../predictors/predictor.js';
import type { EvaluatedLabel } from '../report/pages/evaluation-report.js';
import { AuspexError } from '../util/errors.js';
import { here } from './environment.js';
import { callback, checkedOptions, count, expectText, isObject, signal, whole } from './options.js';

export interface EvaluationOptions {
  /** The label to compare with; by default all that are predicted and in the table. */
  readonly label?: string;
  /** Rows of the table to evaluate on, such as the test set of a split; all by default. */
  readonly rows?: ArrayLike<number>;
  /** Only rows whose architectures the predictor was neither trained nor validated on. */
  readonly unseen?: boolean;
  /** Of the bootstrap. Default 1000. */
  readonly resamples?: number;
  /** Of the bootstrap. Default 0. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, all: number) => void;
}

const EVALUATE = {
  label: z.string().optional(),
  rows: z
    .custom<ArrayLike<number>>(
      (value) => Array.isArray(value) || ArrayBuffer.isView(value),
      'expected a list',
    )
    .optional(),
  unseen: z.boolean().optional(),
  resamples: count.optional(),
  seed: whole.optional(),
  signal: signal.optional(),
  progress: callback.optional(),
};

/**
 * Evaluates a predictor on measured networks: all metrics with bootstrap intervals, and the coverage of its prediction
 * intervals. One result for each label; `evaluationReport` of `auspex/report` shows them as a page.
 *
 * @throws AuspexError EVALUATE_…, TABLE_NO_LABEL, UNSEEN_NONE
 * @example
 * const predictor = await loadPredictor('accuracy.onnx');
 * const table = await readTable('mine.csv', { space: 'nasbench201', labels: ['cifar10_test'] });
 * const [found] = await evaluate(predictor, table, { resamples: 100 });
 * found.evaluation.metrics[0]; // { name: 'tau-b', estimate: …, low: …, high: …, … }
 * found.evaluation.rows; // 20
 * await predictor.dispose();
 */
export async function evaluate(
  predictor: Predictor,
  table: Table,
  options?: EvaluationOptions,
): Promise<EvaluatedLabel[]> {
  if (!isObject(predictor) || typeof predictor.covers !== 'function' || !(table instanceof Table)) {
    throw new AuspexError('BAD_OPTION', 'evaluate takes a predictor and a Table', {
      hint: 'loadPredictor and readTable read them',
    });
  }
  const {
    label,
    unseen,
    resamples = 1000,
    seed = 0,
    ...work
  } = checkedOptions<EvaluationOptions>('evaluate', EVALUATE, options);
  if (unseen && work.rows !== undefined) {
    throw new AuspexError('BAD_OPTION', 'rows and unseen both choose rows: give one of them');
  }
  const resolver = here().resolver();
  expectCovered(table, predictor, resolver);
  const all = Array.from({ length: table.rows }, (_, row) => row);
  const rows = unseen ? unseenRows(table, predictor.info).rows : Uint32Array.from(work.rows ?? all);
  const { pairs } = labelPairs(table, predictor.info, label);
  return evaluated(predictor, table, rows, pairs, resolver, { resamples, seed }, work);
}

/**
 * A metric by name, such as `tau-b`, `ndcg@50` or `acc@0.05`.
 *
 * @throws AuspexError METRIC_UNKNOWN
 * @example
 * metric('tau-b').compute([1, 2, 3, 4], [1, 2, 4, 3]); // 0.6667
 * metric('acc@0.1').compute([105, 130], [100, 100]); // 0.5
 */
export function metric(name: string): NamedMetric {
  expectText('metric', 'a name', name);
  return metricNamed(name);
}

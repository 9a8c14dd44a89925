// All metrics by name. docs/reference/metrics.md has formulas and traps.
import { AuspexError } from '../util/errors.js';
import { pearson, spearman } from './correlation.js';
import type { MetricFunction } from './input.js';
import { kendallTauA, kendallTauB, kendallTauGennape } from './kendall.js';
import { ndcgExponential, ndcgLinear, relevances } from './ndcg.js';
import { accuracyWithin, mae, mape, r2, rmse } from './regression.js';
import { precisionAtK, regretAtK } from './top.js';

export { type BootstrapOptions, bootstrap, type Interval } from './bootstrap.js';
export { pearson, spearman } from './correlation.js';
export type { MetricFunction } from './input.js';
export { kendallTauA, kendallTauB, kendallTauGennape } from './kendall.js';
export { ndcgExponential, ndcgLinear, relevances } from './ndcg.js';
export { type Better, rankMean, ranksOf } from './ranks.js';
export { accuracyWithin, mae, mape, r2, rmse } from './regression.js';
export { precisionAtK, regretAtK } from './top.js';

export interface Metric {
  readonly title: string;
  readonly better: 'higher' | 'lower';
  /**
   * `ranks`: of the predictions only the order counts, so that scores of any scale can be compared with truths.
   * `values`: predictions are on a scale that matters, for errors that of the truths.
   */
  readonly compares: 'ranks' | 'values';
  /** What follows the name after an `@`, and what is meant without: `ndcg` is `ndcg@10`. */
  readonly parameter?: { readonly name: 'k' | 'δ'; readonly default: number };
  compute(predictions: ArrayLike<number>, truths: ArrayLike<number>, parameter?: number): number;
}

/** A metric with its parameter bound, as `metricNamed` gives it. */
export interface NamedMetric extends Omit<Metric, 'parameter'> {
  /** With the parameter: `ndcg@10`. */
  readonly name: string;
  readonly compute: MetricFunction;
}

const K = { name: 'k', default: 10 } as const;
const BEST = { name: 'k', default: 1 } as const;
const DELTA = { name: 'δ', default: 0.1 } as const;

export const METRICS = {
  'tau-b': { title: "Kendall's τ-b", better: 'higher', compares: 'ranks', compute: kendallTauB },
  'tau-a': { title: "Kendall's τ-a", better: 'higher', compares: 'ranks', compute: kendallTauA },
  'tau-gennape': {
    title: "Kendall's τ as in GENNAPE's code",
    better: 'higher',
    compares: 'ranks',
    compute: kendallTauGennape,
  },
  spearman: { title: "Spearman's ρ", better: 'higher', compares: 'ranks', compute: spearman },
  pearson: { title: "Pearson's r", better: 'higher', compares: 'values', compute: pearson },
  ndcg: {
    title: 'NDCG@k, gain 2^rel − 1',
    better: 'higher',
    compares: 'ranks',
    parameter: K,
    compute: (p, t, k = K.default) => ndcgExponential(p, relevances(t), k),
  },
  'ndcg-linear': {
    title: 'NDCG@k, gain rel',
    better: 'higher',
    compares: 'ranks',
    parameter: K,
    compute: (p, t, k = K.default) => ndcgLinear(p, relevances(t), k),
  },
  precision: {
    title: 'Precision@k',
    better: 'higher',
    compares: 'ranks',
    parameter: K,
    compute: (p, t, k = K.default) => precisionAtK(p, t, k),
  },
  regret: {
    title: 'Regret@k',
    better: 'lower',
    compares: 'ranks',
    parameter: BEST,
    compute: (p, t, k = BEST.default) => regretAtK(p, t, k),
  },
  mape: { title: 'MAPE', better: 'lower', compares: 'values', compute: mape },
  acc: {
    title: 'Acc(δ)',
    better: 'higher',
    compares: 'values',
    parameter: DELTA,
    compute: (p, t, delta = DELTA.default) => accuracyWithin(p, t, delta),
  },
  mae: { title: 'MAE', better: 'lower', compares: 'values', compute: mae },
  rmse: { title: 'RMSE', better: 'lower', compares: 'values', compute: rmse },
  r2: { title: 'R²', better: 'higher', compares: 'values', compute: r2 },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;

/**
 * The metric that a text names: `tau-b`, `ndcg@50`, `acc@0.05`. Code: METRIC_UNKNOWN.
 *
 * @example metricNamed('acc@0.05').compute(predicted, measured) // 0.92: of 92% the error is at most 5%
 */
export function metricNamed(text: string): NamedMetric {
  const [name, argument, ...rest] = text.split('@');
  const metric: Metric | undefined = Object.hasOwn(METRICS, name!) ? METRICS[name as MetricName] : undefined;
  const value = argument === undefined ? metric?.parameter?.default : number(argument);
  const isWrong = argument !== undefined && (metric?.parameter === undefined || value === undefined);
  if (metric === undefined || isWrong || rest.length > 0) {
    throw new AuspexError('METRIC_UNKNOWN', `there is no metric '${text}'`, {
      hint: `choose one of ${Object.entries<Metric>(METRICS)
        .map(([key, { parameter }]) => (parameter ? `${key}@${parameter.name}` : key))
        .join(', ')}`,
    });
  }
  const { title, better, compares } = metric;
  return {
    name: value === undefined ? name! : `${name}@${value}`,
    title,
    better,
    compares,
    compute: (predictions, truths) => metric.compute(predictions, truths, value),
  };
}

function number(text: string): number | undefined {
  return /^\d+(\.\d+)?(e-?\d+)?$/i.test(text) ? Number(text) : undefined;
}

// What a trained predictor says of the test rows of a draw, compared with what they are.
import { metricNamed } from '../metrics/index.js';
import { EVALUATED_METRICS, evaluate, type MetricResult } from '../predictors/evaluate.js';
import { tableNetworks } from '../predictors/labelled-rows.js';
import { predictionsOf } from '../predictors/predictions.js';
import type { Predictor } from '../predictors/predictor.js';
import { expectGoing } from '../predictors/stopped.js';
import { decodingMetrics } from './decoding-metrics.js';
import type { Draw, LabelResult, MetricValue } from './result.js';
import type { DrawOptions } from './run-draw.js';

/** Predicts all test rows, and compares. */
export async function tested(
  { cell, seed }: Draw,
  predictor: Predictor,
  rows: Uint32Array,
  { data: { table }, signal }: Pick<DrawOptions, 'data' | 'signal'>,
  report: (part: number, note: string) => void,
): Promise<LabelResult[]> {
  if (cell.decodes !== undefined) {
    const metrics = await decodingMetrics(predictor, table, rows, { draws: cell.decodes, seed });
    return cell.labels.map((label) => ({ ...label, unit: '', metrics, coverage: null }));
  }
  const networks = tableNetworks(table, rows);
  const predicting = { onProgress: (part: number) => report(part, 'testing'), ...(signal ? { signal } : {}) };
  const stopped = (error: unknown): never => {
    expectGoing(signal);
    throw error;
  };
  // Ensembles and classifiers of pairs rank; what they say of a label by itself, if anything, is another number.
  const isRanker = predictor.order !== undefined && (predictor.info.ensemble || !predictor.predict);
  const order = isRanker ? await predictor.order!(networks, predicting).catch(stopped) : undefined;
  const found =
    order && !predictor.predict
      ? undefined
      : await predictionsOf(predictor, networks, predicting).catch(stopped);
  const names = [...new Set([...EVALUATED_METRICS, ...cell.metrics])];
  return cell.labels.map(({ train, test }, output) => {
    const column = table.column(test);
    const { unit, better } = table.label(test);
    const truths = Float64Array.from(rows, (row) => column[row]!);
    const options = { better, resamples: RESAMPLES };
    const values = found && evaluate(found.column(output), truths, { ...options, metrics: names });
    const sign = better === 'lower' ? -1 : 1;
    const ranked =
      order &&
      evaluate({ values: order.map((score) => sign * score) }, truths, {
        ...options,
        metrics: names.filter(isOfRanks),
      });
    const metrics = [
      ...(values?.metrics.filter(({ name }) => !ranked || !isOfRanks(name)) ?? []),
      ...(ranked?.metrics ?? []),
    ];
    return {
      train,
      test,
      unit,
      metrics: Object.fromEntries(metrics.map(keptMetric)),
      // Labels of other tables are measured otherwise: no interval speaks of them.
      coverage: cell.sources ? null : (values?.coverage ?? null),
    };
  });
}

const isOfRanks = (name: string): boolean => metricNamed(name).compares === 'ranks';

/** Enough for an interval of a metric that is only looked at beside the spread over draws. */
const RESAMPLES = 100;

function keptMetric({ name, estimate, low, high }: MetricResult): [string, MetricValue | null] {
  if (estimate === undefined) return [name, null];
  return [name, { estimate, ...(low === undefined || high === undefined ? {} : { low, high }) }];
}

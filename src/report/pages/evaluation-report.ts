// What `evaluate` found, as a page: which predictor, which data, every metric with its interval, and what they look
// like. The same evaluation gives the same bytes.
import type { Evaluation, MetricResult } from '../../predictors/evaluate.js';
import type { Prediction } from '../../predictors/predictions.js';
import type { PredictorInfo } from '../../predictors/predictor.js';
import { thousands } from '../../util/thousands.js';
import { type Compared, predictedPlot, rankPlot, residualPlot } from '../plots/predicted.js';
import { escaped } from '../plots/svg.js';
import { definitions, htmlTable, page } from './page.js';

export interface EvaluatedLabel {
  /** The column of the table, with its unit. */
  readonly label: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  /** The column that this output was trained on. */
  readonly trainedOn: string;
  /** What the predictor's intervals promise. */
  readonly promised: number | undefined;
  readonly evaluation: Evaluation;
  /** Row by row; NaN is a truth that is not known. */
  readonly predictions: readonly Prediction[];
  readonly truths: ArrayLike<number>;
}

export interface EvaluationReport {
  readonly predictor: { readonly file: string; readonly info: PredictorInfo };
  /** The table, and which of its rows: `test rows of run.split.json`. */
  readonly data: { readonly file: string; readonly rows: string };
  readonly labels: readonly EvaluatedLabel[];
  /** Of auspex. */
  readonly version: string;
}

/** A self-contained HTML page. */
export function evaluationReport(report: EvaluationReport): string {
  const { predictor, data, labels, version } = report;
  const { info } = predictor;
  const spaces = info.seen.spaces.join(', ');
  const title = `${info.kind} on ${labels.map(({ label }) => label).join(', ')}`;
  const first = labels[0]?.evaluation.bootstrap;
  return page(title, [
    `<h1>${escaped(title)}</h1>`,
    `<p class="soft">A predictor of ${escaped(spaces)}, evaluated on measured data by auspex ${escaped(version)}.</p>`,
    definitions([
      ['predictor', predictor.file],
      ['kind', info.kind],
      ['space', spaces],
      [
        'predicts',
        info.labels
          .map(({ name, transform }) => (transform === 'linear' ? name : `${name} (${transform})`))
          .join(', '),
      ],
      ['trained on', trainedText(info)],
      ['table', data.file],
      ['rows', data.rows],
      ...(first
        ? [['bootstrap', `${thousands(first.resamples)} resamples, seed ${first.seed}`] as [string, string]]
        : []),
    ]),
    ...labels.map(section),
  ]);
}

function trainedText({ seen: { rows, seed, split } }: PredictorInfo): string {
  const drawn = split && `, drawn from ${thousands(split.of)} with seed ${split.seed}`;
  return `${thousands(rows)} rows${drawn ?? ''}; training seed ${seed}`;
}

function section(evaluated: EvaluatedLabel): string {
  const { label, unit, better, trainedOn, promised, evaluation } = evaluated;
  const { rows, withoutTruth, metrics, coverage, bootstrap } = evaluation;
  const known = Array.from(evaluated.truths, (truth, row) => (Number.isNaN(truth) ? -1 : row)).filter(
    (row) => row >= 0,
  );
  const compared: Compared = {
    label,
    unit,
    better,
    predictions: known.map((row) => evaluated.predictions[row]!),
    truths: known.map((row) => evaluated.truths[row]!),
    ...(promised === undefined ? {} : { coverage: promised }),
  };
  const notes = [
    `${thousands(rows)} rows${withoutTruth === 0 ? '' : `; ${thousands(withoutTruth)} without a value left out`}. ` +
      `${better === 'higher' ? 'Higher' : 'Lower'} is better.`,
    ...(trainedOn === label ? [] : [`The predictor was trained on ${trainedOn}, not on ${label}.`]),
    ...(coverage === undefined ? [] : [coverageText(coverage, promised, unit)]),
  ];
  return [
    '<section>',
    `<h2>${escaped(label)}${unit === '' ? '' : ` (${escaped(unit)})`}</h2>`,
    ...notes.map((note) => `<p>${escaped(note)}</p>`),
    metricTable(metrics),
    `<p class="soft">${escaped(bootstrapText(rows, bootstrap))}</p>`,
    `<div class="plots">\n${predictedPlot(compared)}\n${rankPlot(compared)}\n${residualPlot(compared)}\n</div>`,
    '</section>',
  ].join('\n');
}

/** The measured coverage of prediction intervals, in a sentence. */
export function coverageText(
  { rows, inside, share, low, high, meanWidth }: NonNullable<Evaluation['coverage']>,
  promised: number | undefined,
  unit: string,
): string {
  const percent = (value: number): string => `${(100 * value).toFixed(1)}%`;
  return (
    `${percent(share)} of the prediction intervals contain the true value (${thousands(inside)} of ${thousands(rows)}; 95% interval ` +
    `${percent(low)} to ${percent(high)})${promised === undefined ? '' : `, nominal ${percent(promised)}`}; ` +
    `mean width ${significant(meanWidth)}${unit === '' ? '' : ` ${unit}`}.`
  );
}

/** How the intervals of metrics were obtained. */
export function bootstrapText(
  rows: number,
  { confidence, resamples, drawn }: Evaluation['bootstrap'],
): string {
  const base = `${100 * confidence}% intervals: percentile bootstrap, ${thousands(resamples)} resamples`;
  if (drawn >= rows) return `${base} of all ${thousands(rows)} rows.`;
  return (
    `${base} of ${thousands(drawn)} of the ${thousands(rows)} rows, rescaled by √(${drawn}/${rows}); ` +
    'metrics of the k best resample only the rows that can be among them.'
  );
}

function metricTable(metrics: readonly MetricResult[]): string {
  const columns = [
    { title: 'metric' },
    { title: 'name' },
    { title: 'value', isNumber: true },
    { title: '95% interval', isNumber: true },
    { title: 'better' },
  ];
  return htmlTable(
    columns,
    metrics.map((metric) => [metric.title, metric.name, ...resultTexts(metric), metric.better]),
  );
}

/**
 * A value and its interval: two digits of the interval's width, and at least three of the value. Where there is none,
 * why.
 */
export function resultTexts({
  estimate,
  low,
  high,
  problem,
}: MetricResult): [value: string, interval: string] {
  if (estimate === undefined) return ['–', problem?.message ?? ''];
  const digits = (size: number, wanted: number): number =>
    size > 0 ? wanted - 1 - Math.floor(Math.log10(size)) : 0;
  const width = (high ?? estimate) - (low ?? estimate);
  const decimals = Math.min(Math.max(digits(width, 2), digits(Math.abs(estimate), 3), 0), 12);
  const interval =
    low === undefined || high === undefined
      ? (problem?.message ?? '')
      : `${low.toFixed(decimals)} to ${high.toFixed(decimals)}`;
  return [estimate.toFixed(decimals), interval];
}

function significant(value: number): string {
  return String(Number(value.toPrecision(4)));
}

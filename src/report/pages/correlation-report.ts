// How well scores order networks, as a page: a bar for every score with its interval, and the numbers. The same
// correlations give the same bytes.
import type { MetricResult } from '../../predictors/evaluate.js';
import { thousands } from '../../util/thousands.js';
import { barChart } from '../plots/bars.js';
import { escaped } from '../plots/svg.js';
import { resultTexts } from './evaluation-report.js';
import { definitions, htmlTable, page } from './page.js';

/** Of one score with a label, directions taken into account: above 0, what promises more is better. */
export interface Correlation {
  readonly name: string;
  readonly title: string;
  readonly better: 'higher' | 'lower';
  /** Rows that have both. */
  readonly rows: number;
  readonly tau: MetricResult;
  readonly spearman: MetricResult;
}

export interface CorrelationReport {
  readonly data: { readonly file: string; readonly space: string; readonly rows: string };
  readonly label: { readonly name: string; readonly unit: string; readonly better: 'higher' | 'lower' };
  /** Settings as names and values, such as the seed. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly correlations: readonly Correlation[];
  /** What failed, in sentences. */
  readonly notes: readonly string[];
  readonly resamples: number;
  /** Of auspex. */
  readonly version: string;
}

/** A self-contained HTML page. */
export function correlationReport(report: CorrelationReport): string {
  const { data, label, settings, correlations, notes, resamples, version } = report;
  const title = `Zero-cost scores and ${label.name}`;
  const isShown = ({ tau }: Correlation): boolean => tau.estimate !== undefined;
  const bars = correlations.filter(isShown).map(({ name, tau }) => ({
    name,
    value: tau.estimate!,
    ...(tau.low === undefined || tau.high === undefined ? {} : { low: tau.low, high: tau.high }),
  }));
  return page(title, [
    `<h1>${escaped(title)}</h1>`,
    `<p class="soft">Correlation of zero-cost scores with measured values, by auspex ${escaped(version)}.</p>`,
    definitions([
      ['table', data.file],
      ['space', data.space],
      ['rows', data.rows],
      ['label', `${label.name}${label.unit === '' ? '' : ` (${label.unit})`}, ${label.better} is better`],
      ...settings,
    ]),
    `<div class="plots">\n${barChart({
      title: `Kendall's τ-b with ${label.name}`,
      label: 'τ-b with 95% intervals',
      bars,
    })}\n</div>`,
    correlationTable(correlations),
    '<p class="soft">Directions are taken into account: a positive correlation means that better scores go with better labels. ' +
      `95% intervals: percentile bootstrap, ${thousands(resamples)} resamples of the rows. Scores that are ranks ` +
      'within a pool were ranked among all rows once.</p>',
    ...notes.map((note) => `<p>${escaped(note)}</p>`),
  ]);
}

function correlationTable(correlations: readonly Correlation[]): string {
  return htmlTable(
    [
      { title: 'score' },
      { title: 'title' },
      { title: 'better' },
      { title: 'τ-b', isNumber: true },
      { title: '95% interval', isNumber: true },
      { title: "Spearman's ρ", isNumber: true },
      { title: '95% interval', isNumber: true },
      { title: 'rows', isNumber: true },
    ],
    correlations.map((correlation) => [
      correlation.name,
      correlation.title,
      correlation.better,
      ...resultTexts(correlation.tau),
      ...resultTexts(correlation.spearman),
      thousands(correlation.rows),
    ]),
  );
}

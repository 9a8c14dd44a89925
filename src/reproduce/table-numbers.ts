// Numbers of a table as people read them, the same in text, Markdown and HTML.
import { metricNamed } from '../metrics/index.js';
import { DECODING_METRICS } from './decoding-metrics.js';
import type { Mean, SummaryLine } from './summary.js';
import type { Published, ReproducedTable } from './table.js';

/** Fractions that papers print as percentages. */
const PERCENT = /^(mape|acc@|coverage)/;

export function metricTitle(name: string): string {
  const decoding = DECODING_METRICS[name];
  if (decoding !== undefined) return decoding;
  const { title } = metricNamed(name);
  const delta = /^acc@(.+)$/.exec(name)?.[1];
  const k = /^ndcg(?:-linear)?@(\d+)$/.exec(name)?.[1];
  if (k !== undefined) return title.replace('@k', `@${k}`);
  return delta === undefined ? title : `Acc(${Number((100 * Number(delta)).toPrecision(3))}%)`;
}

/** `0.804`, `3.47%`. */
export function valueText(metric: string, value: number): string {
  return PERCENT.test(metric) ? `${(100 * value).toFixed(2)}%` : value.toFixed(4);
}

/** `0.8041 ± 0.0032`; what has no deviation has none. */
export function meanText(metric: string, { mean, deviation }: Pick<Mean, 'mean' | 'deviation'>): string {
  const base = valueText(metric, mean);
  return deviation === undefined ? base : `${base} ± ${valueText(metric, deviation)}`;
}

/** A published number with as many digits as it was printed with; a question mark for one that is not certain. */
export function publishedText({ metric, value, deviation, isUnverified }: Published): string {
  const [scale, unit] = PERCENT.test(metric) ? [100, '%'] : [1, ''];
  const text = (v: number): string => `${Number((scale * v).toPrecision(6))}${unit}`;
  return `${text(value)}${deviation === undefined ? '' : ` ± ${text(deviation)}`}${isUnverified ? '?' : ''}`;
}

/** The first metric that lines have. */
export function headline({ cell, metrics }: SummaryLine): Mean | undefined {
  return metrics.get(cell.metrics[0]);
}

/** What a line is of: the cell, and the label where it has several. */
export function lineName({ cell, label }: SummaryLine): string {
  if (cell.labels.length === 1) return cell.id;
  return `${cell.id}, ${label ?? `mean of ${cell.labels.length}`}`;
}

/** What cells do otherwise than the papers, every sentence once. */
export function differences(table: ReproducedTable, lines: readonly SummaryLine[]): string[] {
  return [...new Set([...table.differs, ...lines.flatMap(({ cell }) => cell.differs)])];
}

/** Where published numbers of the lines are from, every source once. */
export function sources(lines: readonly SummaryLine[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { published, others } of lines) {
    for (const { by, source } of [...published, ...others]) {
      const names = found.get(source) ?? [];
      if (!names.includes(by)) names.push(by);
      found.set(source, names);
    }
  }
  return found;
}

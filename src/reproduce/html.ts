// A table as a page: the plot that shows it, all numbers, what differs.

import { definitions, htmlTable, page } from '../report/pages/page.js';
import { type Bar, barChart } from '../report/plots/bars.js';
import { linePlot, type Series } from '../report/plots/lines.js';
import { escaped } from '../report/plots/svg.js';
import { isKnown, setText, sourceTexts, type TableReport, tableCells } from './markdown.js';
import type { SummaryLine } from './summary.js';
import type { Published } from './table.js';
import { differences, headline, lineName, metricTitle } from './table-numbers.js';

/** A self-contained page; the same results give the same bytes. */
export function tableHtml(report: TableReport): string {
  const { table, lines, results, command } = report;
  const { columns, rows } = tableCells(lines);
  const isNumber = (title: string): boolean => !['cell', 'predictor', 'others, published'].includes(title);
  const list = (title: string, items: readonly string[]): string[] =>
    items.length === 0
      ? []
      : [`<h2>${title}</h2>`, `<ul>${items.map((item) => `<li>${escaped(item)}</li>`).join('\n')}</ul>`];
  return page(table.title, [
    `<h1>${escaped(table.title)}</h1>`,
    `<p>${escaped(table.shows)}</p>`,
    definitions([
      ['paper', table.paper],
      ['made by', command],
      ['data', results.length === 0 ? 'no results yet' : setText(results).replaceAll('`', '')],
    ]),
    ...(lines.some(isKnown) ? [`<div class="plots">\n${plotsOf(report).join('\n')}\n</div>`] : []),
    htmlTable(
      columns.map((title) => ({ title, isNumber: isNumber(title) })),
      rows,
    ),
    ...list('Differences from the papers', differences(table, lines)),
    ...list('Sources of published numbers', sourceTexts(lines)),
  ]);
}

function plotsOf({ table, lines }: TableReport): string[] {
  const metric = table.cells[0]!.metrics[0];
  const title = metricTitle(metric);
  const bars = lines.flatMap((line) => barsOf(line, metric));
  const isNew = ({ name, value }: Bar, i: number): boolean =>
    bars.findIndex((other) => other.name === name && other.value === value) === i;
  const chart = barChart({ title: table.title, label: title, bars: bars.filter(isNew) });
  if (table.plot === 'bars') return [chart];
  // Of methods that somebody else published numbers of; all others are among the bars.
  const compared = lines.filter(({ published }) => published.length > 0);
  const series = [...ourSeries(compared), ...publishedSeries(compared, metric)];
  const x = { label: 'training rows', kind: 'log' as const };
  return [linePlot({ title: table.title, x, y: { label: title }, series }), chart];
}

function barsOf(line: SummaryLine, metric: string): Bar[] {
  const ours = headline(line);
  if (ours === undefined) return [];
  const { mean, deviation } = ours;
  const spread = deviation === undefined ? {} : { low: mean - deviation, high: mean + deviation };
  const published = [...line.published, ...line.others].filter((number) => number.metric === metric);
  return [
    { name: lineName(line), value: mean, ...spread },
    ...published.map(({ by, value }) => ({ name: `${by}, published`, value })),
  ];
}

/** Cells that differ only in their rows. */
function ourSeries(lines: readonly SummaryLine[]): Series[] {
  const names = [...new Set(lines.map(({ cell }) => cell.series))];
  return names.flatMap((name) => {
    const points = lines
      .filter((line) => line.cell.series === name && isKnown(line))
      .sort((a, b) => a.cell.rows - b.cell.rows)
      .map((line) => ({ x: line.cell.rows, ...headline(line)! }));
    if (points.length === 0) return [];
    return {
      name,
      x: points.map(({ x }) => x),
      y: points.map(({ mean }) => mean),
      low: points.map(({ mean, deviation = 0 }) => mean - deviation),
      high: points.map(({ mean, deviation = 0 }) => mean + deviation),
    };
  });
}

function publishedSeries(lines: readonly SummaryLine[], metric: string): Series[] {
  const found = new Map<string, Map<number, Published>>();
  for (const { cell, published } of lines) {
    for (const number of published) {
      if (number.metric !== metric) continue;
      const byRows = found.get(number.by) ?? new Map<number, Published>();
      found.set(number.by, byRows.set(cell.rows, number));
    }
  }
  return [...found].map(([name, byRows]) => {
    const points = [...byRows].sort(([a], [b]) => a - b);
    return {
      name: `${name}, published`,
      x: points.map(([rows]) => rows),
      y: points.map(([, { value }]) => value),
    };
  });
}

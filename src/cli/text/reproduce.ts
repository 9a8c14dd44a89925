// What `auspex reproduce` prints for people.
import type { Reproduced } from '../../app/reproduce.js';
import type { ReproducedSearches } from '../../app/reproduce-searches.js';
import { secondsText } from '../../reproduce/markdown.js';
import type { DrawResult } from '../../reproduce/result.js';
import type { FailedDraw } from '../../reproduce/run-table.js';
import type { SummaryLine } from '../../reproduce/summary.js';
import type { ReproducedTable } from '../../reproduce/table.js';
import {
  differences,
  headline,
  lineName,
  meanText,
  metricTitle,
  publishedText,
  valueText,
} from '../../reproduce/table-numbers.js';
import { table as textTable, wrap } from './format.js';

export function listText(shown: readonly Reproduced[], searches: readonly ReproducedSearches[] = []): string {
  const rows = shown.map(({ table, collected }) => [
    table.id,
    `${collected.results.length}/${collected.draws.length}`,
    table.title,
  ]);
  for (const { experiment, lines } of searches) {
    const done = lines.reduce((sum, { seeds }) => sum + seeds.length, 0);
    rows.push([experiment.id, `${done}`, experiment.title]);
  }
  const columns = [
    { title: 'table' },
    { title: 'done', align: 'right' as const },
    { title: 'title', flexible: 'start' as const },
  ];
  return textTable(columns, rows, 0).join('\n');
}

export function tableText(shown: Reproduced): string {
  const { table, collected, ran } = shown;
  const { lines, results, draws, others } = collected;
  const first = metricTitle(table.cells[0]!.metrics[0]);
  const hasDemands = lines.some(({ cell }) => cell.floor !== undefined || cell.goal !== undefined);
  const columns = [
    { title: 'cell', flexible: 'middle' as const },
    { title: 'ours', align: 'right' as const },
    { title: 'published', align: 'right' as const },
    ...(hasDemands ? [{ title: 'goal' }] : []),
    { title: 'draws', align: 'right' as const },
    { title: 's', align: 'right' as const },
  ];
  const rows = lines.map((line) => [
    lineName(line),
    oursText(line),
    line.published
      .filter(({ metric }) => metric === line.cell.metrics[0])
      .map((p) => publishedText(p).replace(/ ± .*?(?=\?|$)/, ''))
      .join(', '),
    ...(hasDemands ? [goalText(line)] : []),
    line.seeds.length === 0 ? '' : `${line.seeds.length}`,
    line.seconds === undefined || (line.label !== undefined && line.cell.labels.length > 1)
      ? ''
      : secondsText(line.seconds),
  ]);
  const doubts = lines.flatMap((line) => line.problems.map((problem) => `${lineName(line)}: ${problem}`));
  return [
    ...wrap(`${table.id}: ${table.title}`),
    ...wrap(table.paper, 2),
    '',
    ...wrap(`${first}: mean ± deviation over draws${hasDemands ? '; ✓ reaches the goal' : ''}`, 2),
    '',
    ...textTable(columns, rows, 2),
    '',
    ...wrap(
      `${results.length} of ${draws.length} draws done${ran ? `, ${ran.results.length} of them in this run` : ''}.`,
      2,
    ),
    ...lines.flatMap(otherMetrics).flatMap((text) => wrap(text, 2, 4)),
    ...(others > 0 ? wrap(`${others} results in the folder have other settings.`, 2) : []),
    ...[...new Set(doubts)].flatMap((doubt) => wrap(`Doubtful: ${doubt}.`, 2, 4)),
    '',
    '  Differences from the papers:',
    ...differences(table, lines).flatMap((text) => wrap(`- ${text}`, 2, 4)),
  ].join('\n');
}

/** Published numbers of metrics that have no column. */
function otherMetrics(line: SummaryLine): string[] {
  return [...line.published, ...line.others]
    .filter(({ metric }) => metric !== line.cell.metrics[0])
    .map((published) => {
      const { by, metric } = published;
      const ours = line.metrics.get(metric);
      const beside = ours === undefined ? '' : `; ours ${meanText(metric, ours)}`;
      return `${lineName(line)}: ${metricTitle(metric)} of ${by} ${publishedText(published)}${beside}.`;
    });
}

function oursText(line: SummaryLine): string {
  const mean = headline(line);
  return mean === undefined ? '' : meanText(line.cell.metrics[0], mean);
}

function goalText({ cell: { goal }, verdict }: SummaryLine): string {
  if (goal === undefined) return '';
  return `${goal}${verdict === undefined ? '' : { goal: ' ✓', floor: '', below: ' below floor' }[verdict]}`;
}

/** A line for what was just done. */
export function doneText(done: DrawResult | FailedDraw, table: ReproducedTable): string {
  if ('error' in done)
    return `${done.cell}, seed ${done.seed}: failed, ${done.error.code}: ${done.error.message}`;
  const metric = table.cells.find(({ id }) => id === done.cell)!.metrics[0];
  const values = done.labels.flatMap(({ metrics }) => metrics[metric]?.estimate ?? []);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return `${done.cell}, seed ${done.seed}: ${metricTitle(metric)} ${valueText(metric, mean)}, ${secondsText(done.seconds.train)} s`;
}

// The output of `auspex reproduce`: tables for people, JSON for programs (docs/json/reproduce.md).
import type { CollectedTable } from '../../reproduce/collected-results.js';
import { secondsText } from '../../reproduce/markdown.js';
import type { DrawResult } from '../../reproduce/result.js';
import type { FailedDraw, RanTable } from '../../reproduce/run-table.js';
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

export interface ShownTable {
  readonly table: ReproducedTable;
  readonly out: string;
  readonly collected: CollectedTable;
  /** Undefined where nothing was run. */
  readonly ran: RanTable | undefined;
}

export function listText(shown: readonly ShownTable[]): string {
  const rows = shown.map(({ table, collected }) => [
    table.id,
    `${collected.results.length}/${collected.draws.length}`,
    table.title,
  ]);
  const columns = [
    { title: 'table' },
    { title: 'done', align: 'right' as const },
    { title: 'title', flexible: 'start' as const },
  ];
  return textTable(columns, rows, 0).join('\n');
}

export function listJson(shown: readonly ShownTable[], out: string): string {
  const tables = shown.map(({ table, collected }) => {
    const { id, title, paper, shows, cells } = table;
    return {
      id,
      title,
      paper,
      shows,
      data: [...new Set(cells.map(({ data }) => data))],
      done: collected.results.length,
      draws: collected.draws.length,
      cells: cells.map(({ id: cell, kind, rows }) => ({
        id: cell,
        kind,
        rows,
        seeds: collected.results.filter((result) => result.cell === cell).map(({ seed }) => seed),
      })),
    };
  });
  return json({ schema: 'auspex.reproduce.list/1', out, tables });
}

export function tableText(shown: ShownTable): string {
  const { table, collected, ran } = shown;
  const { lines, results, draws, others } = collected;
  const first = metricTitle(table.cells[0]!.metrics[0]);
  const hasDemands = lines.some(({ cell }) => cell.floor !== undefined || cell.goal !== undefined);
  const columns = [
    { title: 'cell', flexible: 'start' as const },
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

export function tableJson({ table, out, collected, ran }: ShownTable): string {
  const { lines, results, draws, others } = collected;
  const { id, title, paper, shows } = table;
  return json({
    schema: 'auspex.reproduce/1',
    table: id,
    title,
    paper,
    shows,
    differs: differences(table, lines),
    out,
    done: results.length,
    draws: draws.length,
    otherSettings: others,
    ran: ran ? ran.results.length : null,
    failures: (ran?.failures ?? []).map(failureJson),
    lines: lines.map(({ cell, label, seeds, metrics, seconds, published, others, verdict, problems }) => ({
      cell: cell.id,
      label: label ?? null,
      kind: cell.kind,
      rows: cell.rows,
      seeds,
      metrics: Object.fromEntries(metrics),
      seconds: seconds ?? null,
      published,
      others,
      floor: cell.floor ?? null,
      goal: cell.goal ?? null,
      verdict: verdict ?? null,
      problems,
    })),
  });
}

function failureJson({ cell, seed, error }: FailedDraw) {
  const { code, message, where, hint } = error;
  return { cell, seed, error: { code, message, where, hint } };
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

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

// A table as Markdown: what `docs/results/` is made of.
import { DATA } from './data.js';
import type { DrawResult } from './result.js';
import type { SummaryLine } from './summary.js';
import type { Published, ReproducedTable } from './table.js';
import {
  countText,
  differences,
  headline,
  lineName,
  meanText,
  metricTitle,
  publishedText,
  sources,
} from './table-numbers.js';

export interface TableReport {
  readonly table: ReproducedTable;
  readonly lines: readonly SummaryLine[];
  /** All draws that the lines are of. */
  readonly results: readonly DrawResult[];
  /** What makes these results. */
  readonly command: string;
}

export function tableMarkdown(report: TableReport): string {
  const { table, lines, results, command } = report;
  const known = lines.filter(isKnown);
  const problems = lines.flatMap((line) => line.problems.map((problem) => `${lineName(line)}: ${problem}`));
  return `${[
    `# ${table.title}`,
    '',
    table.shows,
    '',
    `Paper: ${table.paper}.`,
    '',
    `Made by \`${command}\`.`,
    ...(results.length === 0 ? ['', 'Nothing is done yet.'] : ['', setText(results)]),
    ...(known.length === 0 ? [] : ['', markdownTable(columnsOf(known), rowsOf(known)), '', legend(known)]),
    ...missingText(lines),
    ...listed('What differs from the papers', differences(table, lines)),
    ...listed('Sources of published numbers', sourceTexts(lines)),
    ...listed('Recipes', recipeTexts(results)),
    ...listed('Doubts', [...new Set(problems)]),
  ].join('\n')}\n`;
}

function listed(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', `## ${title}`, '', ...items.map((item) => `- ${item}`)];
}

export function sourceTexts(lines: readonly SummaryLine[]): string[] {
  return [...sources(lines)].map(([source, names]) => `${names.join(', ')}: ${source}`);
}

/** How cells were trained, each recipe once for a cell. */
function recipeTexts(results: readonly DrawResult[]): string[] {
  const texts = results
    .filter(({ recipe }) => recipe !== null)
    .map(({ cell, recipe }) => `${cell}: \`${JSON.stringify(recipe)}\``);
  return [...new Set(texts)];
}

/** Which rows, from which files. */
export function setText(results: readonly DrawResult[]): string {
  const files = new Map(results.map((result) => [result.data.file, result]));
  return [...files.values()]
    .map(({ data, rows, settings }) => {
      const { all } = DATA[settings.data];
      const whole = all === undefined || all === data.rows ? '' : ` of the space's ${countText(all)}`;
      const aside = rows.development === 0 ? '' : `, ${countText(rows.development)} of them set aside`;
      return `\`${data.file}\`: ${countText(data.rows)} rows${whole}${aside}.`;
    })
    .join(' ');
}

function missingText(lines: readonly SummaryLine[]): string[] {
  const missing = [...new Set(lines.filter((line) => !isKnown(line)).map(({ cell }) => cell.id))];
  return missing.length === 0 ? [] : ['', `Not run yet: ${missing.join(', ')}.`];
}

function legend(lines: readonly SummaryLine[]): string {
  const demands = lines.some(({ cell }) => cell.floor !== undefined || cell.goal !== undefined);
  return [
    'Mean ± standard deviation over draws, each with its own rows of training, validation and test.',
    'Seconds are of one training.',
    ...(lines.some(({ coverage }) => coverage)
      ? ['Inside: the share of test rows in their 90% intervals.']
      : []),
    ...(demands ? ['Floor: what this project demands of itself; goal: what it aims at.'] : []),
    ...(lines.some(({ published, others }) => [...published, ...others].some((p) => p.isUnverified))
      ? ['A question mark: the number could not be looked up again, or was rounded.']
      : []),
  ].join(' ');
}

interface Columns {
  readonly metrics: readonly string[];
  readonly hasDemands: boolean;
  readonly hasCoverage: boolean;
}

/** All cells of a table show the same metrics, or else those of the first. */
function shown(lines: readonly SummaryLine[]): Columns {
  return {
    metrics: lines[0]?.cell.metrics ?? [],
    hasDemands: lines.some(({ cell }) => cell.floor !== undefined || cell.goal !== undefined),
    hasCoverage: lines.some(({ coverage }) => coverage !== undefined),
  };
}

function columnsOf(lines: readonly SummaryLine[]): string[] {
  const { metrics, hasDemands, hasCoverage } = shown(lines);
  return [
    'cell',
    'predictor',
    'rows',
    ...metrics.map(metricTitle),
    ...(hasCoverage ? ['inside'] : []),
    'published',
    'others, published',
    ...(hasDemands ? ['floor', 'goal'] : []),
    'seeds',
    'seconds',
  ];
}

function rowsOf(lines: readonly SummaryLine[]): string[][] {
  const { metrics, hasDemands, hasCoverage } = shown(lines);
  return lines.map((line) => {
    const { cell, seeds, seconds, published, others } = line;
    const found = metrics.map((name) => {
      const mean = line.metrics.get(name);
      return mean ? meanText(name, mean) : '';
    });
    const isFirst = line.label === undefined || cell.labels.length === 1;
    return [
      lineName(line),
      cell.kind,
      countText(cell.rows),
      ...found,
      ...(hasCoverage ? [line.coverage ? meanText('coverage', line.coverage) : ''] : []),
      published.map((p) => named(p, line)).join(', '),
      others.map((p) => `${p.by} ${named(p, line)}`).join(', '),
      ...(hasDemands ? [cell.floor, cell.goal].map((bound) => (bound === undefined ? '' : `${bound}`)) : []),
      seeds.join(', '),
      seconds === undefined || !isFirst ? '' : secondsText(seconds),
    ];
  });
}

/** The metric is named where it is not the first. */
function named(published: Published, { cell }: SummaryLine): string {
  const text = publishedText(published);
  return published.metric === cell.metrics[0] ? text : `${text} (${metricTitle(published.metric)})`;
}

export function secondsText(seconds: number): string {
  return seconds < 10 ? seconds.toFixed(1) : countText(Math.round(seconds));
}

function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

/** Columns and rows, for other forms of the same table. */
export function tableCells(lines: readonly SummaryLine[]): { columns: string[]; rows: string[][] } {
  return { columns: columnsOf(lines), rows: rowsOf(lines) };
}

/** Lines of which something is known. */
export function isKnown(line: SummaryLine): boolean {
  return headline(line) !== undefined;
}

// Tables for people, at most 80 columns wide.
import type { LabelSummary, Table } from '../datasets/table.js';
import { printable } from '../util/printable.js';
import { fit, formatExact, table as lines, WIDTH, wrap } from './format.js';

/** Labels named in a provenance before they are counted. */
const LISTED_LABELS = 4;
const FILE_WIDTH = 34;

export interface FoundTable {
  readonly file: string;
  readonly space: string;
  readonly rows: number;
  readonly labels: readonly string[];
}

export function listText(folder: string, found: readonly FoundTable[], others: number): string {
  const rows = found.map(({ file, space, rows: count, labels }) => [
    fit(file, FILE_WIDTH, 'end'),
    space,
    formatExact(count),
    `${labels.length}: ${labels.join(', ')}`,
  ]);
  const text =
    found.length === 0
      ? [`no tables in ${folder}`]
      : lines(
          [
            { title: 'file' },
            { title: 'space' },
            { title: 'rows', align: 'right' },
            { title: 'labels', flexible: 'start' },
          ],
          rows,
          0,
        );
  const rest =
    others === 0 ? [] : [`${others} other ${others === 1 ? 'file is' : 'files are'} no table auspex knows`];
  return [...text, ...rest].map((line) => printable(fit(line, WIDTH))).join('\n');
}

export function showText(file: string, table: Table, rows: number): string {
  const summaries = table.describe();
  const sections = [
    [fit(file, WIDTH, 'end'), `  space  ${table.space}`, `  rows   ${formatExact(table.rows)}`],
    labelTable(summaries),
    provenances(summaries),
    Array.from({ length: Math.min(rows, table.rows) }, (_, row) => rowText(table, row)).flat(),
  ];
  return sections
    .filter((section) => section.length > 0)
    .map((section) => section.map((line) => printable(fit(line, WIDTH))).join('\n'))
    .join('\n\n');
}

function labelTable(summaries: readonly LabelSummary[]): string[] {
  if (summaries.length === 0) return ['  no labels'];
  return lines(
    [
      { title: 'label', flexible: 'start' },
      { title: 'unit' },
      { title: 'better' },
      { title: 'values', align: 'right' },
      { title: 'missing', align: 'right' },
      { title: 'min', align: 'right' },
      { title: 'median', align: 'right' },
      { title: 'max', align: 'right' },
    ],
    summaries.map(({ label, count, missing, min, median, max }) => [
      label.name,
      fit(label.unit, 10),
      label.better,
      formatExact(count),
      missing === 0 ? '' : formatExact(missing),
      ...[min, median, max].map(short),
    ]),
  );
}

/** How labels were obtained, those obtained alike together. */
function provenances(summaries: readonly LabelSummary[]): string[] {
  const names = new Map<string, string[]>();
  for (const { label } of summaries) {
    names.set(label.provenance, [...(names.get(label.provenance) ?? []), label.name]);
  }
  return [...names].flatMap(([provenance, labels]) => {
    const listed = labels.slice(0, LISTED_LABELS).join(', ');
    const more = labels.length > LISTED_LABELS ? ` and ${labels.length - LISTED_LABELS} more` : '';
    return wrap(`${listed}${more}: ${provenance || 'not said'}`, 2, 4);
  });
}

function rowText(table: Table, row: number): string[] {
  const values = table.labels.flatMap(({ name }) => {
    const value = table.column(name)[row]!;
    return Number.isNaN(value) ? [] : [`${name}=${short(value)}`];
  });
  return [`  ${table.arch(row)}`, ...(values.length === 0 ? [] : wrap(values.join(' '), 4))];
}

/** Five digits tell enough. */
function short(value: number): string {
  return Number.isNaN(value) ? '' : String(Number(value.toPrecision(5)));
}

// Tables for people.
import type { ExportDocument, ListDocument, ShowDocument } from '../../app/documents/data.js';
import { fit, formatExact, table as lines, terminalWidth, wrap } from './format.js';
import { joined } from './sections.js';

/** Labels named in a provenance before they are counted. */
const LISTED_LABELS = 4;

/** A table in one line. */
export function tableText({
  space,
  rows,
  labels,
}: Pick<ExportDocument, 'space' | 'rows' | 'labels'>): string {
  return `${space}: ${formatExact(rows)} rows, ${labels.length} label${labels.length === 1 ? '' : 's'}`;
}

export function listText({ folder, tables, others }: ListDocument): string {
  const rows = tables.map(({ file, space, rows: count, labels }) => [
    file,
    space,
    formatExact(count),
    `${labels.length}: ${labels.join(', ')}`,
  ]);
  const text =
    tables.length === 0
      ? [`no tables in ${folder}`]
      : lines(
          [
            { title: 'file', most: 34 },
            { title: 'space' },
            { title: 'rows', align: 'right' },
            { title: 'labels', flexible: 'start' },
          ],
          rows,
          0,
        );
  const { length } = others;
  const rest =
    length === 0
      ? []
      : [`${length} other ${length === 1 ? 'file is not a known table' : 'files are not known tables'}`];
  return joined([[...text, ...rest]], terminalWidth());
}

export function showText({ file, space, rows, labels, texts, first }: ShowDocument): string {
  const sections = [
    [
      fit(file, terminalWidth(), 'middle'),
      `  space  ${space}`,
      `  rows   ${formatExact(rows)}`,
      ...(texts.length === 0 ? [] : [`  texts  ${texts.join(', ')}`]),
    ],
    labelTable(labels),
    provenances(labels),
    first.flatMap(rowText),
  ];
  return joined(sections, terminalWidth());
}

function labelTable(labels: ShowDocument['labels']): string[] {
  if (labels.length === 0) return ['  no labels'];
  return lines(
    [
      { title: 'label', flexible: 'middle' },
      { title: 'unit', most: 10 },
      { title: 'better' },
      { title: 'values', align: 'right' },
      { title: 'missing', align: 'right' },
      { title: 'min', align: 'right' },
      { title: 'median', align: 'right' },
      { title: 'max', align: 'right' },
    ],
    labels.map(({ name, unit, better, count, missing, min, median, max }) => [
      name,
      unit,
      better,
      formatExact(count),
      missing === 0 ? '' : formatExact(missing),
      ...[min, median, max].map(short),
    ]),
  );
}

/** How labels were obtained, those obtained alike together. */
function provenances(labels: ShowDocument['labels']): string[] {
  const names = new Map<string, string[]>();
  for (const { name, provenance } of labels) {
    names.set(provenance, [...(names.get(provenance) ?? []), name]);
  }
  return [...names].flatMap(([provenance, alike]) => {
    const listed = alike.slice(0, LISTED_LABELS).join(', ');
    const more = alike.length > LISTED_LABELS ? ` and ${alike.length - LISTED_LABELS} more` : '';
    return wrap(`${listed}${more}: ${provenance || 'no provenance'}`, 2, 4);
  });
}

function rowText({ arch, values }: ShowDocument['first'][number]): string[] {
  const known = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${short(value)}`],
  );
  return [
    `  ${fit(arch, terminalWidth() - 2, 'middle')}`,
    ...(known.length === 0 ? [] : wrap(known.join(' '), 4)),
  ];
}

/** Five digits tell enough. */
function short(value: number | null): string {
  return value === null ? '' : String(Number(value.toPrecision(5)));
}

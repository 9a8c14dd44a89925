// The output of `auspex data import` and `split`.
import type { ImportDocument, SplitDocument } from '../../app/documents/data.js';
import { labelText, type ResolvedLabel } from '../../datasets/label-options.js';
import { printable } from '../../util/printable.js';
import { tableText } from './data.js';
import { formatExact, wrap } from './format.js';

/** Bad rows that are named before they are counted. */
const LISTED_ROWS = 10;

export function importText(document: ImportDocument, resolved: readonly ResolvedLabel[]): string {
  const { output, duplicates, skipped, pivot, long } = document;
  const told = resolved.filter(({ inferred }) => inferred.some((part) => part !== 'unit'));
  const notes = [
    ...told.flatMap((label) => wrap(labelText(label), 2, 4)),
    ...(pivot === null ? [] : wrap(pivotText(pivot), 2, 4)),
    ...(duplicates === 0 ? [] : wrap(duplicatesText(duplicates), 2, 4)),
    ...(long === null
      ? []
      : wrap(
          `architectures repeat for every '${long}'; --pivot ${long} makes one row per architecture`,
          2,
          4,
        )),
    ...(skipped.length === 0
      ? []
      : [`  ${formatExact(skipped.length)} invalid ${rowsWord(skipped.length)} been left out`]),
    ...skipped
      .slice(0, LISTED_ROWS)
      .flatMap(({ at, code, message }) => wrap(`${at}: ${code}: ${message}`, 4, 6)),
    ...(skipped.length > LISTED_ROWS
      ? [`    and ${skipped.length - LISTED_ROWS} more; --json lists them all`]
      : []),
  ];
  return [`${tableText(document)}, written to ${output}`, ...notes.map(printable)].join('\n');
}

function pivotText({ column, values, averaged }: NonNullable<ImportDocument['pivot']>): string {
  const mean = averaged === 0 ? '' : `; ${formatExact(averaged)} values are means of several rows`;
  return `one row per architecture, ${values.length} values of ${column}${mean}`;
}

const duplicatesText = (count: number): string =>
  `${formatExact(count)} ${rowsWord(count)} the architecture of an earlier row; splits keep such rows together`;

const rowsWord = (count: number): string => (count === 1 ? 'row has' : 'rows have');

export function splitText({
  space,
  by,
  seed,
  counts,
  files,
  duplicates,
  dropped,
  group,
}: SplitDocument): string {
  const chance = seed === null ? '' : `, seed ${seed}`;
  const together = group == null ? '' : `, grouped by ${group}`;
  return [
    `${space} by ${by}${chance}${together}`,
    ...(['train', 'validation', 'test'] as const).map((part) =>
      `  ${part.padEnd(10)} ${formatExact(counts[part]).padStart(9)} rows  ${files[part] ?? ''}`.trimEnd(),
    ),
    ...(duplicates ? wrap(duplicatesText(duplicates), 2, 4) : []),
    ...(dropped ? wrap(`${formatExact(dropped)} of them are left out of all parts`, 2, 4) : []),
  ].join('\n');
}

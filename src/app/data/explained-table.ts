// A table that says what it is, or a plain one that the user explains.

import type { ReadTableOptions } from '../../datasets/importers/read-table.js';
import { type LabelRequest, type ResolvedLabel, resolveLabel } from '../../datasets/label-options.js';
import type { PlainTable } from '../../datasets/metadata.js';
import type { TableRules } from '../../datasets/rules.js';
import type { Label, Table } from '../../datasets/table.js';
import { AuspexError } from '../../util/errors.js';

/** How a user explains a plain file. */
export interface PlainOptions {
  readonly space?: string | undefined;
  /** The column of the architectures; `arch` by default. */
  readonly arch?: string | undefined;
  readonly labels?: readonly LabelRequest[] | undefined;
  readonly provenance?: string | undefined;
}

export interface OpenOptions extends PlainOptions {
  readonly rules?: TableRules | undefined;
  readonly texts?: readonly string[] | 'all' | undefined;
}

export interface OpenedTable {
  readonly table: Table;
  /** What was found of the labels that were named. */
  readonly resolved: readonly ResolvedLabel[];
}

/**
 * Reads a table. A logarithm that was only inferred is given up where a value is not above 0.
 *
 * Codes: BAD_OPTION, TABLE_VALUE (a logarithm that was asked for), and those of reading.
 *
 * @param file its name, for errors
 */
export async function explainedTable(
  read: (options: Pick<ReadTableOptions, 'plain' | 'rules' | 'texts'>) => Promise<Table>,
  file: string,
  options: OpenOptions,
  signal?: AbortSignal | undefined,
): Promise<OpenedTable> {
  const { rules, texts } = options;
  const resolved = (options.labels ?? []).map((request) =>
    resolveLabel(request, options.provenance ?? `from ${file}`),
  );
  const plain = plainTable(options, resolved);
  const table = await read({ plain, rules, texts });
  signal?.throwIfAborted();
  const settled = resolved.map((each) => settledTransform(each, table, file));
  const byName = new Map<string, Label>(settled.map(({ label }) => [label.name, label]));
  return { table: table.relabelled((label) => byName.get(label.name) ?? label), resolved: settled };
}

function plainTable(
  { space, arch, labels, provenance }: PlainOptions,
  resolved: readonly ResolvedLabel[],
): PlainTable | undefined {
  if (space !== undefined) return { space, arch: arch ?? 'arch', labels: resolved.map(({ label }) => label) };
  if (arch === undefined && labels === undefined && provenance === undefined) return undefined;
  throw new AuspexError('BAD_OPTION', '--arch, --label and --provenance require --space', {
    hint: 'auspex data import FILE --space NAME --arch COLUMN --label COLUMN -o OUT.csv.gz',
  });
}

/** Numbers of 0 and below have no logarithm. */
function settledTransform(resolved: ResolvedLabel, table: Table, file: string): ResolvedLabel {
  const { label, inferred } = resolved;
  if (label.transform !== 'log') return resolved;
  const row = table.column(label.name).findIndex((value) => value <= 0);
  if (row < 0) return resolved;
  if (inferred.includes('transform')) return { ...resolved, label: { ...label, transform: 'linear' } };
  const value = table.column(label.name)[row]!;
  throw new AuspexError('TABLE_VALUE', `label '${label.name}' is ${value}, so it has no logarithm`, {
    where: { file, path: `row ${row + 1}` },
    hint: `give --label ${label.name}:${label.better}:linear`,
  });
}

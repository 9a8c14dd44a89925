// The rows of a training: a table with what its labels mean, split into rows to learn from and rows to hold out. What
// was decided for the user is said in notes.

import { type LabelRequest, labelText, resolveLabel } from '../../datasets/label-options.js';
import { longBy } from '../../datasets/pivot.js';
import { defaultSplit } from '../../datasets/splits/default-split.js';
import { digestsOf } from '../../datasets/splits/digests.js';
import { groupedSplit, groupsBy, joinedGroups } from '../../datasets/splits/group-splits.js';
import type { Label, Table } from '../../datasets/table.js';
import type { ErrorScale } from '../../predictors/intervals.js';
import type { TrainingSplit } from '../../predictors/predictor.js';
import { readTableFile } from '../../store/table-file.js';
import { AuspexError } from '../../util/errors.js';
import { archKeyOf, equalRows } from '../arch-keys.js';
import { openTable } from '../data/open.js';
import { groupKeys, readSplitFile } from '../data/split.js';
import type { Work } from '../work.js';
import type { TrainRequest } from './request.js';

export interface TrainingRows {
  readonly table: Table;
  readonly names: readonly string[];
  readonly scale: ErrorScale;
  /** Rows of the table. */
  readonly train: Uint32Array;
  readonly validation: Uint32Array;
  readonly split: TrainingSplit | undefined;
  /** Of the architectures of all these rows. */
  readonly digests: string;
  /** What was decided for the user, a sentence each. */
  readonly notes: readonly string[];
}

/** @throws AuspexError TABLE_…, LABEL_…, SPLIT_…, BAD_OPTION */
export async function trainingRows(request: TrainRequest, work: Work): Promise<TrainingRows> {
  const notes: string[] = [];
  const table = await labelledTable(request, notes, work);
  const names = request.labels.map(({ name }) => name);
  const scale = request.scale ?? scaleOf(names.map((name) => table.label(name)));
  const known = rowsWithAny(table, names);
  if (known.length === 0) {
    throw new AuspexError('LABEL_TOO_FEW', `no row of the table has ${names.join(' or ')}`, {
      where: { file: request.data },
    });
  }
  const { train, validation, split } = await chosenRows(request, table, known, notes, work);
  const key = archKeyOf(table.space);
  const digests = digestsOf(table, [...train, ...validation], key).toString();
  return { table, names, scale, train, validation, split, digests, notes };
}

/** The table, its labels with the meaning that was given or is inferred. */
async function labelledTable(request: TrainRequest, notes: string[], work: Work): Promise<Table> {
  const { data, labels, space, arch, group } = request;
  const texts = group === undefined ? [] : [group];
  if (space !== undefined) {
    const { table, resolved } = await openTable(data, { space, arch, labels, texts }, work);
    for (const each of resolved) if (each.inferred.length > 0) notes.push(labelText(each));
    const long = longBy(table);
    if (long !== undefined) {
      notes.push(
        `architectures repeat for every '${long}'; \`auspex data import --pivot ${long}\` makes one label per value`,
      );
    }
    return table;
  }
  if (arch !== undefined) {
    throw new AuspexError('BAD_OPTION', '--arch requires --space');
  }
  const table = await readTableFile(data, { texts, progress: work.progress, signal: work.signal });
  const given = new Map(labels.map((label) => [label.name, label]));
  return table.relabelled((label) => overridden(label, given.get(label.name), notes));
}

/** A label of a table that says what it is; a direction that contradicts it is refused. */
function overridden(label: Label, request: LabelRequest | undefined, notes: string[]): Label {
  if (request === undefined) return label;
  const { better, unit, transform } = request;
  if (better !== undefined && better !== label.better) {
    throw new AuspexError(
      'BETTER_CONTRADICTS',
      `for '${label.name}', ${label.better} is better in the table, but --label says ${better}`,
      { hint: 'leave out the direction, or import the table again with the other one' },
    );
  }
  if (unit !== undefined && unit !== label.unit) notes.push(`${label.name}: unit ${unit}, not ${label.unit}`);
  const found = resolveLabel({ ...request, better: label.better }, label.provenance).label;
  return {
    ...label,
    ...(unit === undefined ? {} : { unit }),
    ...(transform === undefined ? {} : { transform: found.transform }),
  };
}

/** Logarithms where all labels are costs; a label may say otherwise. */
function scaleOf(labels: readonly Label[]): ErrorScale {
  const isLog = ({ transform, better }: Label): boolean =>
    transform === undefined ? better === 'lower' : transform === 'log';
  return labels.every(isLog) ? 'log' : 'linear';
}

function rowsWithAny(table: Table, names: readonly string[]): Uint32Array {
  const columns = names.map((name) => table.column(name));
  const rows: number[] = [];
  for (let row = 0; row < table.rows; row++) {
    if (columns.some((column) => !Number.isNaN(column[row]!))) rows.push(row);
  }
  return Uint32Array.from(rows);
}

type Chosen = Pick<TrainingRows, 'train' | 'validation' | 'split'>;

async function chosenRows(
  request: TrainRequest,
  table: Table,
  known: Uint32Array,
  notes: string[],
  work: Work,
): Promise<Chosen> {
  const { seed, group } = request;
  if (request.split !== undefined) {
    if (request.train !== undefined || request.validation !== undefined || group !== undefined) {
      throw new AuspexError(
        'BAD_OPTION',
        '--split cannot be combined with --train, --validation or --group',
        {
          hint: 'leave out those, or --split',
        },
      );
    }
    const { train, validation } = await readSplitFile(request.split, table);
    const isKnown = new Set(known);
    const kept = (rows: Uint32Array): Uint32Array => rows.filter((row) => isKnown.has(row));
    return { train: kept(train), validation: kept(validation), split: undefined };
  }
  const present = table.take(known);
  const equal = await equalRows(present, 'text', work);
  const groups = group === undefined ? equal : joinedGroups(equal, groupsBy(groupKeys(present, group)));
  if (equal.duplicates > 0) {
    notes.push(
      `${equal.duplicates} of ${known.length} rows repeat an architecture; equal architectures stay on one side of the split`,
    );
  }
  const found = defaultSplit(known.length, request.train);
  const validation = request.validation ?? found.validation;
  const train = request.train ?? known.length - validation;
  if (train < 1) {
    throw new AuspexError(
      'SPLIT_SIZE',
      `only ${known.length} rows have the labels; ${validation} of them cannot be held out`,
      {
        hint: 'give a smaller --validation, or none: --validation 0',
      },
    );
  }
  if (request.validation === undefined) notes.push(found.why);
  const split = groupedSplit(groups, { train, validation, seed });
  const rowsOf = (rows: Uint32Array): Uint32Array => rows.map((row) => known[row]!);
  return {
    train: rowsOf(split.train),
    validation: rowsOf(split.validation),
    split: { seed, train, validation, of: known.length },
  };
}

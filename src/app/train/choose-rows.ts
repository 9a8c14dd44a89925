// Rows of a table in memory that a predictor is trained on and those that are held out, and what they become.
import { type LabelRequest, resolveLabel } from '../../datasets/label-options.js';
import { defaultSplit } from '../../datasets/splits/default-split.js';
import { digestsOf } from '../../datasets/splits/digests.js';
import { groupedSplit, groupsBy, joinedGroups } from '../../datasets/splits/group-splits.js';
import type { Split } from '../../datasets/splits/splits.js';
import type { Label, Table } from '../../datasets/table.js';
import type { Resolver } from '../../networks/index.js';
import type { ErrorScale } from '../../predictors/intervals.js';
import type { TrainingData } from '../../predictors/kind.js';
import { labelledRows } from '../../predictors/labelled-rows.js';
import type { Predictor, TrainingSplit } from '../../predictors/predictor.js';
import { AuspexError } from '../../util/errors.js';
import { archKeyOf, type Equality } from '../arch-keys.js';
import { type EqualRows, groupKeys } from '../data/split-rows.js';
import type { Work } from '../work.js';

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

/** Which rows, and how their labels are learned. */
interface RowsRequest {
  /** None: all rows, and none held out unless `validation` says so. */
  readonly names: readonly string[];
  /** How labels are learned; by default what each label says. */
  readonly scale?: ErrorScale | undefined;
  /** Rows to train on and to hold out; see `defaultSplit`. */
  readonly train?: number | undefined;
  readonly validation?: number | undefined;
  /** A column whose rows of one value stay together. */
  readonly group?: string | undefined;
  /** What equal architectures are, which stay together; `text` by default. */
  readonly equal?: Equality | undefined;
  /** Rows of the table that were chosen before. */
  readonly split?: Pick<Split, 'train' | 'validation'> | undefined;
  readonly seed: number;
  /** Of the table, for errors. */
  readonly file?: string | undefined;
}

/** @throws AuspexError TABLE_NO_LABEL, LABEL_TOO_FEW, SPLIT_… */
export async function chooseRows(
  table: Table,
  request: RowsRequest,
  equalRows: EqualRows,
  work: Work,
  notes: string[] = [],
): Promise<TrainingRows> {
  const { names, file } = request;
  const scale = request.scale ?? scaleOf(names.map((name) => table.label(name)));
  const known =
    names.length === 0
      ? Uint32Array.from({ length: table.rows }, (_, row) => row)
      : rowsWithAny(table, names);
  if (known.length === 0) {
    const what =
      names.length === 0 ? 'the table has no rows' : `no row of the table has ${names.join(' or ')}`;
    throw new AuspexError('LABEL_TOO_FEW', what, {
      ...(file === undefined ? {} : { where: { file } }),
    });
  }
  const { train, validation, split } = await chosenRows(request, table, known, equalRows, notes, work);
  const key = archKeyOf(table.space);
  const digests = digestsOf(table, [...train, ...validation], key).toString();
  return { table, names, scale, train, validation, split, digests, notes };
}

/** A table whose labels have the unit and the transform that were asked for. @throws AuspexError BETTER_CONTRADICTS */
export function withMeanings(table: Table, labels: readonly LabelRequest[], notes: string[]): Table {
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
  return labels.length > 0 && labels.every(isLog) ? 'log' : 'linear';
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
  request: RowsRequest,
  table: Table,
  known: Uint32Array,
  equalRows: EqualRows,
  notes: string[],
  work: Work,
): Promise<Chosen> {
  const { seed, group, names } = request;
  if (request.split !== undefined) {
    const { train, validation } = request.split;
    const isKnown = new Set(known);
    const kept = (rows: Uint32Array): Uint32Array => rows.filter((row) => isKnown.has(row));
    return { train: kept(train), validation: kept(validation), split: undefined };
  }
  const present = table.take(known);
  const equal = await equalRows(present, request.equal ?? 'text', work);
  const groups = group === undefined ? equal : joinedGroups(equal, groupsBy(groupKeys(present, group)));
  if (equal.duplicates > 0) {
    notes.push(
      `${equal.duplicates} of ${known.length} rows repeat ${request.equal === 'function' ? 'the function of another architecture' : 'an architecture'}; equal architectures stay on one side of the split`,
    );
  }
  const found = defaultSplit(known.length, request.train);
  const validation = request.validation ?? (names.length === 0 ? 0 : found.validation);
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
  if (request.validation === undefined && names.length > 0) notes.push(found.why);
  const split = groupedSplit(groups, { train, validation, seed });
  const rowsOf = (rows: Uint32Array): Uint32Array => rows.map((row) => known[row]!);
  return {
    train: rowsOf(split.train),
    validation: rowsOf(split.validation),
    split: { seed, train, validation, of: known.length },
  };
}

/** Networks are opened when they are read, and only once. */
export function dataOf(
  { table, names, scale, train, validation, split, digests }: TrainingRows,
  resolver: Resolver,
  from?: Predictor,
): TrainingData {
  const of = (some: Uint32Array) => labelledRows(table, some, names, { transform: scale, resolver });
  return {
    ...of(train),
    digests,
    ...(split ? { split } : {}),
    ...(validation.length > 0 ? { validation: of(validation) } : {}),
    ...(from ? { from } : {}),
  };
}

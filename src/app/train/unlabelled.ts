// Networks that a semi-supervised kind learns from without their labels.
import type { Table } from '../../datasets/table.js';
import type { PredictorKind } from '../../predictors/kind.js';
import { readTableFile } from '../../store/table-file.js';
import { AuspexError } from '../../util/errors.js';
import type { TrainingRows } from './choose-rows.js';
import type { TrainRequest } from './request.js';

export interface UnlabelledRows {
  readonly table: Table;
  readonly rows: Uint32Array;
}

/**
 * All rows of a table that was given, or those of the labelled table that are neither trained on nor held out. A split says
 * which rows may be looked at, so that its other rows are left alone.
 *
 * @throws AuspexError BAD_OPTION, OTHER_SPACE, TABLE_…
 */
export async function unlabelledRows(
  { name, isSemiSupervised }: PredictorKind,
  { unlabelled, split }: Pick<TrainRequest, 'unlabelled' | 'split'>,
  { table, train, validation }: Pick<TrainingRows, 'table' | 'train' | 'validation'>,
): Promise<UnlabelledRows | undefined> {
  if (!isSemiSupervised) {
    if (unlabelled === undefined) return undefined;
    throw new AuspexError('BAD_OPTION', `${name} does not learn from networks without labels`, {
      hint: 'leave out --unlabelled, or train accuracy-model',
    });
  }
  if (unlabelled !== undefined) {
    const other = await readTableFile(unlabelled);
    if (other.space !== table.space) {
      throw new AuspexError('OTHER_SPACE', `networks of ${other.space} cannot be added to ${table.space}`, {
        where: { file: unlabelled },
        hint: 'give a table of the same space',
      });
    }
    return { table: other, rows: Uint32Array.from({ length: other.rows }, (_, row) => row) };
  }
  if (split !== undefined) return undefined;
  const used = new Set([...train, ...validation]);
  const rows = Uint32Array.from({ length: table.rows }, (_, row) => row).filter((row) => !used.has(row));
  return rows.length === 0 ? undefined : { table, rows };
}

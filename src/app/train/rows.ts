// The rows that a predictor is trained on and those that are held out, from the files of a request.
import { labelText } from '../../datasets/label-options.js';
import { longBy } from '../../datasets/pivot.js';
import type { ReadSplit } from '../../datasets/splits/split-record.js';
import type { Table } from '../../datasets/table.js';
import { readTableFile } from '../../store/table-file.js';
import { AuspexError } from '../../util/errors.js';
import { openTable } from '../data/open.js';
import { readSplitFile } from '../data/split.js';
import { equalRows } from '../equal-rows.js';
import type { Work } from '../work.js';
import { chooseRows, type TrainingRows, withMeanings } from './choose-rows.js';
import type { TrainRequest } from './request.js';

/** @throws AuspexError TABLE_…, LABEL_…, SPLIT_…, BAD_OPTION */
export async function trainingRows(request: TrainRequest, work: Work): Promise<TrainingRows> {
  const notes: string[] = [];
  const table = await labelledTable(request, notes, work);
  const names = request.labels.map(({ name }) => name);
  const split = await splitOf(request, table);
  return chooseRows(table, { ...request, names, split, file: request.data }, equalRows, work, notes);
}

async function splitOf(request: TrainRequest, table: Table): Promise<ReadSplit | undefined> {
  if (request.split === undefined) return undefined;
  const { train, validation, group, equal = 'text' } = request;
  if ([train, validation, group].some((other) => other !== undefined) || equal !== 'text') {
    throw new AuspexError(
      'BAD_OPTION',
      '--split cannot be combined with --train, --validation, --group or --equal',
      { hint: 'leave out those, or --split' },
    );
  }
  return readSplitFile(request.split, table);
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
  return withMeanings(table, labels, notes);
}

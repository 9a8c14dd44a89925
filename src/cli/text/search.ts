// The output of `auspex search`: objectives, the best network, the Pareto front.
import { join } from 'node:path';
import type { SearchDocument, SearchDocumentTrial } from '../../app/documents/search.js';
import { ENDS } from '../../app/search/ends.js';
import { SEARCH_FILES } from '../../app/search/files.js';
import { broken, formatCount, formatExact, wrap } from './format.js';

export function searchText(found: SearchDocument): string {
  const { objectives, evaluations, failed, end, best, front, output } = found;
  const values = ({ value, objectives: all }: SearchDocumentTrial): string =>
    (all ?? [value]).map((number, i) => `${objectives[i]!.name} ${number.toPrecision(5)}`).join(', ');
  const failures = failed === 0 ? '' : ` (${failed} failed)`;
  const files = output === undefined ? [] : Object.values(SEARCH_FILES).map((name) => join(output, name));
  return [
    `${evaluations} evaluations${failures}; ${ENDS[end]}`,
    ...objectives.flatMap(({ name, better, unit }) =>
      wrap(`${name}${unit ? ` (${unit})` : ''}, ${better} is better`, 0, 2),
    ),
    '',
    ...wrap(`best: ${values(best)} (trial ${best.trial})`, 0, 2),
    ...broken(best.arch, 2),
    `  parameters ${formatExact(best.cost.parameters)}   MACs ${formatCount(best.cost.macs)}`,
    ...(front ? ['', 'Pareto front:'] : []),
    ...(front ?? []).flatMap((trial) => [...wrap(values(trial), 2, 4), ...broken(trial.arch, 4)]),
    ...(files.length === 0 ? [] : ['', ...wrap(files.join(', '))]),
  ].join('\n');
}

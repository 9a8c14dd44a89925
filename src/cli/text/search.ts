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
    ...changesText(found),
    ...(front ? ['', 'Pareto front:'] : []),
    ...(front ?? []).flatMap((trial) => [...wrap(values(trial), 2, 4), ...broken(trial.arch, 4)]),
    ...(files.length === 0 ? [] : ['', ...wrap(files.join(', '))]),
  ].join('\n');
}

/** What is changed in a file, and what that saves. */
function changesText({ origin, changes = [], best: { cost } }: SearchDocument): string[] {
  if (origin === undefined) return [];
  const { parameters, macs } = origin.cost;
  const named = (nodes: readonly string[]): string =>
    nodes.length > 1 ? `${nodes[0]} .. ${nodes.at(-1)} (${nodes.length} nodes)` : (nodes[0] ?? 'nothing');
  return [
    '',
    ...wrap(
      `the file: parameters ${formatExact(parameters)} (${percent(cost.parameters, parameters)} in the best), ` +
        `MACs ${formatCount(macs)} (${percent(cost.macs, macs)})`,
      0,
      2,
    ),
    ...changes.flatMap(({ rule, to, replaced }) => wrap(`${named(replaced)} -> ${to} (${rule})`, 2, 4)),
  ];
}

function percent(after: number, before: number): string {
  const change = 100 * (after / before - 1);
  return `${change > 0 ? '+' : ''}${change.toFixed(1)}%`;
}

// What `auspex reproduce` prints of search experiments.
import type { ReproducedSearches } from '../../app/reproduce-searches.js';
import { searchCells } from '../../reproduce/searches/report.js';
import type { RunResult } from '../../reproduce/searches/run-files.js';
import { table, wrap } from './format.js';

export function searchesText({ experiment, lines, ran }: ReproducedSearches): string {
  const { columns, rows } = searchCells(lines);
  const runs = lines.reduce((sum, { seeds }) => sum + seeds.length, 0);
  return [
    ...wrap(`${experiment.id}: ${experiment.title}`),
    ...wrap(experiment.paper, 2),
    '',
    ...wrap(
      'test regret (%) after seconds of training, and regret of validation accuracy at the end: mean ± half of the 95% interval',
      2,
    ),
    '',
    ...table(
      columns.map((title, i) =>
        i === 0 ? { title, flexible: 'middle' as const } : { title, align: 'right' as const },
      ),
      rows,
      2,
    ),
    '',
    ...wrap(`${runs} runs done${ran === undefined ? '' : `, ${ran} of them now`}.`, 2),
    '',
    '  Differences from the papers:',
    ...experiment.differs.flatMap((text) => wrap(`- ${text}`, 2, 4)),
  ].join('\n');
}

/** A line for what was just done. */
export function ranText({ entry, seed, regret, evaluations }: RunResult): string {
  return `${entry}, seed ${seed}: regret ${(100 * regret.at(-1)!).toFixed(2)}%, ${evaluations} networks`;
}

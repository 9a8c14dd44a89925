// The report of a search: what the page needs of trials, and of the networks that won.
import { searchReport } from '../../report/pages/search-report.js';
import { isValued, objectiveValues, type Trial, type Valued } from '../../search/contract.js';
import { thousands } from '../../util/thousands.js';
import type { SearchDocument } from '../documents/search.js';
import { ENDS } from './ends.js';
import type { SearchSubject } from './subject.js';
import { winnerOf } from './winner.js';

interface PageOptions {
  readonly subject: SearchSubject;
  readonly found: SearchDocument;
  readonly trials: readonly Trial[];
  readonly best: Valued;
  readonly front: readonly Valued[];
  /** Of auspex. */
  readonly version: string;
}

/** The report as a page. Winners are built to be shown. */
export function searchPage({ subject, found, trials, best, front, version }: PageOptions): string {
  const winners = [best, ...front.filter(({ index }) => index !== best.index)];
  return searchReport({
    space: subject.space.title,
    settings: settingsOf(found),
    objectives: found.objectives,
    trials: trials.map((trial) => ({
      arch: trial.arch,
      values: isValued(trial) ? objectiveValues(trial) : undefined,
    })),
    winners: winners.map((trial) => winnerOf(subject.network(trial.arch), trial)),
    ...(found.hypervolume ? { hypervolume: found.hypervolume.value } : {}),
    version,
  });
}

function settingsOf(found: SearchDocument): [name: string, value: string][] {
  const options = Object.entries(found.options).map(([name, value]) => `${name} ${value}`);
  const ways = found.objectives.map(({ name, better }) => `${name}, ${better} is better`);
  const limits: [string, string][] =
    found.constraints.length > 0 ? [['limits', found.constraints.join(', ')]] : [];
  const failed: [string, string][] = found.failed > 0 ? [['failed', thousands(found.failed)]] : [];
  return [
    ['strategy', [found.strategy, ...options].join(', ')],
    ['evaluator', found.evaluator],
    ['objectives', ways.join('; ')],
    ...limits,
    ['seed', String(found.seed)],
    ['budget', `${thousands(found.budget)} evaluations`],
    ...failed,
    ['end', ENDS[found.end]],
  ];
}

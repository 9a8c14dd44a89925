// The report of `auspex search`: what the page needs of trials, and of the networks that won.
import { inspect, magnitude } from '../analysis/inspect.js';
import { type SearchWinner, searchReport } from '../report/search-report.js';
import { isValued, type Objective, objectiveValues, type Trial, type Valued } from '../search/contract.js';
import { hypervolume } from '../search/hypervolume.js';
import { minimised } from '../search/pareto.js';
import type { AnySpace } from '../spaces/space.js';
import { version } from './version.js';

export interface FoundVolume {
  readonly value: number;
  /** The worst of every objective among the trials. */
  readonly reference: readonly number[];
}

/** The volume between the front and the worst values that were seen. */
export function volumeOf(
  trials: readonly Trial[],
  front: readonly Valued[],
  objectives: readonly Objective[],
): FoundVolume {
  const points = trials.filter(isValued).map((trial) => minimised(objectiveValues(trial), objectives));
  const worst = objectives.map((_, i) =>
    points.reduce((most, point) => Math.max(most, point[i]!), -Infinity),
  );
  return {
    value: hypervolume(
      front.map((trial) => minimised(objectiveValues(trial), objectives)),
      worst,
    ),
    reference: minimised(worst, objectives),
  };
}

export interface PageOptions {
  readonly space: AnySpace;
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly objectives: readonly Objective[];
  readonly trials: readonly Trial[];
  /** The best first. */
  readonly winners: readonly Valued[];
  readonly volume?: FoundVolume | undefined;
}

/** The report as a page. Winners are built to be looked at. */
export function searchPage({ space, settings, objectives, trials, winners, volume }: PageOptions): string {
  return searchReport({
    space: space.title,
    settings,
    objectives,
    trials: trials.map((trial) => ({
      arch: trial.arch,
      values: isValued(trial) ? objectiveValues(trial) : undefined,
    })),
    winners: winners.map((trial) => winnerOf(space, trial)),
    ...(volume ? { hypervolume: volume.value } : {}),
    version: version(),
  });
}

function winnerOf(space: AnySpace, trial: Valued): SearchWinner {
  const arch = space.parse(trial.arch);
  const { cost, operators } = inspect(space.network(arch));
  return {
    trial: trial.index,
    arch: trial.arch,
    values: objectiveValues(trial),
    parameters: magnitude(cost.totals.parameters),
    macs: magnitude(cost.totals.macs),
    operators: operators.map(({ operator, nodes, macs }) => ({
      name: operator,
      count: nodes,
      macs: magnitude(macs),
    })),
    ...(space.cell ? { cell: space.cell(arch) } : {}),
  };
}

// What a search found, as a page: how the best value grew, which trials nothing beats in everything, and what the winners
// look like. The same trials give the same bytes.
import type { Cell } from '../../spaces/space.js';
import { thousands } from '../../util/thousands.js';
import { cellDiagram } from '../plots/cell-diagram.js';
import { linePlot } from '../plots/lines.js';
import { scatterPlot } from '../plots/scatter.js';
import { escaped, type Point } from '../plots/svg.js';
import { definitions, htmlTable, page, type TableColumn } from './page.js';

interface SearchedObjective {
  readonly name: string;
  readonly better: 'higher' | 'lower';
}

interface SearchedTrial {
  readonly arch: string;
  /** One for each objective; none if the evaluation failed. */
  readonly values: readonly number[] | undefined;
}

export interface SearchWinner {
  /** Its place among the trials. */
  readonly trial: number;
  readonly arch: string;
  readonly values: readonly number[];
  readonly parameters: number;
  readonly macs: number;
  /** What its network is made of, largest first. */
  readonly operators: readonly { readonly name: string; readonly count: number; readonly macs: number }[];
  readonly cell?: Cell;
}

export interface SearchReport {
  readonly space: string;
  /** Names and values: strategy, evaluator, seed, limits. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly objectives: readonly SearchedObjective[];
  readonly trials: readonly SearchedTrial[];
  /** The best by the first objective first, then the others that nothing beats in everything. */
  readonly winners: readonly SearchWinner[];
  /** Of the front, where it is known. */
  readonly hypervolume?: number;
  /** Of auspex. */
  readonly version: string;
}

/** Winners that are shown with their structure. */
const SHOWN = 5;

/** A self-contained HTML page. */
export function searchReport(report: SearchReport): string {
  const { space, settings, objectives, trials, winners, hypervolume, version } = report;
  const title = `Search in ${space}`;
  const front = objectives.length > 1 ? winners : [];
  return page(title, [
    `<h1>${escaped(title)}</h1>`,
    `<p class="soft">${thousands(trials.length)} evaluations, by auspex ${escaped(version)}.</p>`,
    definitions(settings),
    `<div class="plots">\n${[bestPlot(objectives[0]!, trials), ...frontPlots(objectives, trials, front)].join('\n')}\n</div>`,
    ...(front.length > 0 ? [frontTable(objectives, front, hypervolume)] : []),
    ...winners.slice(0, SHOWN).map((winner, i) => winnerSection(winner, objectives, i === 0)),
  ]);
}

/** The best value of the first objective after every evaluation. */
function bestPlot({ name, better }: SearchedObjective, trials: readonly SearchedTrial[]): string {
  const choose = better === 'higher' ? Math.max : Math.min;
  let best = Number.NaN;
  const y = trials.map(({ values }) => {
    if (values !== undefined) best = Number.isNaN(best) ? values[0]! : choose(best, values[0]!);
    return best;
  });
  return linePlot({
    title: `Best ${name}`,
    description: `The best ${name} found after every evaluation; ${better} is better.`,
    x: { label: 'evaluations' },
    y: { label: `best ${name}` },
    series: [{ name, x: y.map((_, i) => i + 1), y }],
  });
}

function frontPlots(
  objectives: readonly SearchedObjective[],
  trials: readonly SearchedTrial[],
  front: readonly SearchWinner[],
): string[] {
  const [first, ...others] = objectives;
  const known = trials.flatMap(({ values }) => (values ? [values] : []));
  return others.map((objective, k) => {
    const point = (values: readonly number[]): Point => [values[k + 1]!, values[0]!];
    const line = front.map(({ values }) => point(values)).sort(([a], [b]) => a - b);
    return scatterPlot({
      title: `${first!.name} and ${objective.name}`,
      description: `${first!.name} (${first!.better} is better) against ${objective.name} (${objective.better} is better) of all trials, with the Pareto front.`,
      x: { label: objective.name },
      y: { label: first!.name },
      points: { x: known.map((values) => point(values)[0]), y: known.map((values) => point(values)[1]) },
      line: { name: 'front', points: line },
      unit: 'trials',
    });
  });
}

function frontTable(
  objectives: readonly SearchedObjective[],
  front: readonly SearchWinner[],
  hypervolume: number | undefined,
): string {
  return [
    '<h2>Front</h2>',
    `<p>Trials that no other trial beats in every objective.${hypervolume === undefined ? '' : ` Hypervolume: ${escaped(hypervolume.toPrecision(6))}.`}</p>`,
    htmlTable(
      [
        { title: 'trial', isNumber: true },
        ...objectives.map(
          ({ name, better }): TableColumn => ({ title: `${name} (${better})`, isNumber: true }),
        ),
        { title: 'parameters', isNumber: true },
        { title: 'MACs', isNumber: true },
        { title: 'architecture' },
      ],
      front.map(({ trial, values, parameters, macs, arch }) => [
        String(trial),
        ...values.map((value) => value.toPrecision(6)),
        thousands(parameters),
        thousands(macs),
        arch,
      ]),
    ),
  ].join('\n');
}

function winnerSection(
  winner: SearchWinner,
  objectives: readonly SearchedObjective[],
  isBest: boolean,
): string {
  const { trial, arch, values, parameters, macs, operators, cell } = winner;
  return [
    '<section>',
    `<h2>${isBest ? 'The best' : `Trial ${trial}`}</h2>`,
    definitions([
      ['trial', String(trial)],
      ...values.map((value, i): [string, string] => [objectives[i]!.name, value.toPrecision(6)]),
      ['parameters', thousands(parameters)],
      ['MACs', thousands(macs)],
      ['architecture', arch],
    ]),
    ...(cell ? [`<div class="plots">\n${cellDiagram(cell, `Cell of trial ${trial}`)}\n</div>`] : []),
    htmlTable(
      [{ title: 'operator' }, { title: 'nodes', isNumber: true }, { title: 'MACs', isNumber: true }],
      operators.map(({ name, count, macs: own }) => [name, thousands(count), thousands(own)]),
    ),
    '</section>',
  ].join('\n');
}

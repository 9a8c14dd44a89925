// What `auspex reproduce` does with search experiments: runs what is not done, summarises all runs, writes reports.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Predictor } from '../predictors/predictor.js';
import { definitions, htmlTable, page } from '../report/pages/page.js';
import { escaped } from '../report/plots/svg.js';
import { fileNames } from '../reproduce/data.js';
import { SEARCHES, type SearchExperiment } from '../reproduce/searches/experiment.js';
import { type RunExperimentOptions, runExperiment } from '../reproduce/searches/run-experiment.js';
import {
  REGRETS,
  type Regret,
  regretBy,
  regretPlot,
  type SearchLine,
  summarised,
} from '../reproduce/searches/summary.js';
import { checkOutputs } from '../store/outputs.js';
import { loadPredictor } from '../store/predictor-file.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { thousands } from '../util/thousands.js';
import { embeddingPath } from './bundled.js';
import type { ReproduceRequest } from './reproduce.js';
import { version } from './version.js';

export interface ReproducedSearches {
  readonly experiment: SearchExperiment;
  readonly out: string;
  readonly lines: readonly SearchLine[];
  /** Runs of this call; undefined where nothing was run. */
  readonly ran: number | undefined;
}

type Work = Pick<RunExperimentOptions, 'onProgress' | 'onDone' | 'signal'>;

/** Whether a name is that of a search experiment. */
export function isSearchExperiment(id: string): boolean {
  return SEARCHES.some((experiment) => experiment.id === id);
}

/** All search experiments, and what is done of each. */
export function listSearches({ out, draws }: Pick<ReproduceRequest, 'out' | 'draws'>): ReproducedSearches[] {
  return SEARCHES.map((experiment) => ({
    experiment,
    out,
    lines: summarised(experiment, { out, draws }),
    ran: undefined,
  }));
}

/** @throws AuspexError REPRODUCE_…, OUTPUT_…, and those of predictors and searches */
export async function reproduceSearches(
  id: string,
  request: ReproduceRequest,
  work: Work = {},
): Promise<ReproducedSearches> {
  const experiment = SEARCHES.find((each) => each.id === id)!;
  const { data, out, only, draws, force, report, markdown, steps } = request;
  if (steps !== undefined) {
    throw new AuspexError('BAD_OPTION', '--steps shortens trainings, of which a search experiment has none', {
      hint: 'use --only and --draws for a trial run',
    });
  }
  const plots = markdown === undefined ? [] : plotFiles(markdown);
  checkOutputs({
    outputs: [
      ...(data === undefined ? [] : [{ path: out, kind: 'folder' as const }]),
      ...(report === undefined ? [] : [{ path: report, kind: 'html' as const }]),
      ...(markdown === undefined ? [] : [{ path: markdown, kind: 'text' as const }]),
      ...plots.map((path) => ({ path, kind: 'text' as const })),
    ],
    inputs: data === undefined ? [] : fileNames(experiment.data).map((name) => join(data, name)),
    force,
  });
  const ran =
    data === undefined
      ? undefined
      : await runExperiment(experiment, {
          ...{ data, out, only, draws, isForced: force, version: version() },
          open: (name, space) => openEmbedder(name, space, data),
          ...work,
        });
  const found = { experiment, out, lines: summarised(experiment, { out, draws, only }), ran };
  if (markdown !== undefined) {
    await writeOutput(markdown, markdownOf(found, request));
    for (const [i, path] of plots.entries()) {
      await writeOutput(path, regretPlot(experiment, found.lines, PLOTS[i]!));
    }
  }
  if (report !== undefined) await writeOutput(report, pageOf(found));
  return found;
}

const PLOTS = Object.keys(REGRETS) as Regret[];

/** The plots beside a Markdown file. */
function plotFiles(markdown: string): string[] {
  const stem = markdown.replace(/\.md$/i, '');
  return PLOTS.map((regret) => `${stem}${regret === 'curve' ? '' : `-${regret}`}.svg`);
}

/** A file of the folder, or what the package has. */
function openEmbedder(name: string, space: string, folder: string): Promise<Predictor> {
  const own = join(folder, `${name}.onnx`);
  const path = existsSync(own) ? own : embeddingPath(space, name);
  if (path !== undefined) return loadPredictor(path, { threads: 1 });
  throw new AuspexError('REPRODUCE_TRUNK', `there is no ${name} for ${space}`, {
    where: { file: own },
    hint: `train one: auspex train ${name} --data TABLE -o ${own}`,
  });
}

/** Times that tables of numbers have columns for. */
const COLUMNS = [1e5, 3e5, 1e6];

/** Columns and rows of numbers: regret in percent, with the half width of its interval. */
export function searchCells(lines: readonly SearchLine[]): { columns: string[]; rows: string[][] } {
  const text = (curve: SearchLine['curve'], seconds: number): string => {
    const found = curve && regretBy(curve, seconds);
    return found ? `${(100 * found.mean).toFixed(2)} ± ${(50 * (found.high - found.low)).toFixed(2)}` : '';
  };
  const row = (
    { entry, seeds, evaluations, seen, shifted }: SearchLine,
    curve: SearchLine['curve'],
    note = '',
  ): string[] => [
    `${entry.name}${note}`,
    ...COLUMNS.map((seconds) => text(curve, seconds)),
    curve === shifted ? '' : text(seen, COLUMNS.at(-1)!),
    `${seeds.length}`,
    seeds.length === 0 ? '' : evaluations.toFixed(0),
  ];
  return {
    columns: [
      'search',
      ...COLUMNS.map((seconds) => `${thousands(seconds)} s`),
      'validation',
      'runs',
      'networks',
    ],
    rows: lines.flatMap((line) => [
      row(line, line.curve),
      ...(line.shifted ? [row(line, line.shifted, ', with the time of labels')] : []),
    ]),
  };
}

function markdownOf(
  { experiment, lines }: ReproducedSearches,
  { draws, markdown }: ReproduceRequest,
): string {
  const { columns, rows } = searchCells(lines.filter(({ seeds }) => seeds.length > 0));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [plot, shifted, seen] = plotFiles(markdown!).map((path) => path.split('/').at(-1));
  const missing = lines.filter(({ seeds }) => seeds.length === 0).map(({ entry }) => entry.id);
  const hasShifted = lines.some((one) => one.shifted);
  return `${[
    `# ${experiment.title}`,
    '',
    experiment.shows,
    '',
    `Papers: ${experiment.paper}.`,
    '',
    `Generated by \`auspex reproduce ${experiment.id} --data DIR --draws ${draws}\`.`,
    '',
    line(columns),
    `|${'---|'.repeat(columns.length)}`,
    ...rows.map(line),
    '',
    'Test regret in percent after so many seconds of training: mean and half the width of its 95% interval over runs. Validation: regret of the validation accuracy at the end. Networks: evaluations of a run.',
    ...(missing.length === 0 ? [] : ['', `Not run yet: ${missing.join(', ')}.`]),
    '',
    `![Regret over time](${plot})`,
    ...(hasShifted ? ['', `![Regret over time, with the time of labels](${shifted})`] : []),
    '',
    `![Validation regret over time](${seen})`,
    '',
    '## Differences from the papers',
    '',
    ...experiment.differs.map((text) => `- ${text}`),
  ].join('\n')}\n`;
}

function pageOf({ experiment, lines }: ReproducedSearches): string {
  const { columns, rows } = searchCells(lines);
  return page(experiment.title, [
    `<h1>${escaped(experiment.title)}</h1>`,
    `<p>${escaped(experiment.shows)}</p>`,
    definitions([['papers', experiment.paper]]),
    `<div class="plots">\n${PLOTS.map((regret) => regretPlot(experiment, lines, regret)).join('\n')}\n</div>`,
    htmlTable(
      columns.map((title, i) => ({ title, isNumber: i > 0 })),
      rows,
    ),
    `<h2>Differences from the papers</h2>\n<ul>${experiment.differs.map((text) => `<li>${escaped(text)}</li>`).join('\n')}</ul>`,
  ]);
}

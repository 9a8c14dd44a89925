// What `auspex reproduce` does with search experiments: runs what is not done, summarises all runs, writes reports.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Predictor } from '../predictors/predictor.js';
import { fileNames } from '../reproduce/data.js';
import { SEARCHES, type SearchExperiment } from '../reproduce/searches/experiment.js';
import { PLOTS, plotFiles, searchesMarkdown, searchesPage } from '../reproduce/searches/report.js';
import { type RunExperimentOptions, runExperiment } from '../reproduce/searches/run-experiment.js';
import { regretPlot, type SearchLine, summarised } from '../reproduce/searches/summary.js';
import { checkOutputs } from '../store/outputs.js';
import { loadPredictor } from '../store/predictor-file.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { embeddingPath, isBundledReference, openPredictor } from './bundled.js';
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
    const names = plots.map((path) => basename(path));
    await writeOutput(markdown, searchesMarkdown(experiment, found.lines, { draws, plots: names }));
    for (const [i, path] of plots.entries()) {
      await writeOutput(path, regretPlot(experiment, found.lines, PLOTS[i]!));
    }
  }
  if (report !== undefined) await writeOutput(report, searchesPage(experiment, found.lines));
  return found;
}

/** A file of the folder, or what the package has. */
function openEmbedder(name: string, space: string, folder: string): Promise<Predictor> {
  if (isBundledReference(name)) return openPredictor(name, { threads: 1 });
  const own = join(folder, `${name}.onnx`);
  const path = existsSync(own) ? own : embeddingPath(space, name);
  if (path !== undefined) return loadPredictor(path, { threads: 1 });
  throw new AuspexError('REPRODUCE_TRUNK', `there is no ${name} for ${space}`, {
    where: { file: own },
    hint: `train one: auspex train ${name} --data TABLE -o ${own}`,
  });
}

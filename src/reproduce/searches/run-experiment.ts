// Runs what is not done of a search experiment, seed by seed, so that all entries have about as many runs at any time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spaceNamed } from '../../spaces/index.js';
import { readTableFile } from '../../store/table-file.js';
import { AuspexError } from '../../util/errors.js';
import { DATA, fileNames } from '../data.js';
import type { SearchEntry, SearchExperiment } from './experiment.js';
import { RunFiles, type RunResult } from './run-files.js';
import { type OpenPredictor, SearchTable } from './run-search.js';

export interface RunExperimentOptions {
  /** The folder of tables and embeddings. */
  readonly data: string;
  readonly out: string;
  readonly only?: RegExp | undefined;
  /** Seeds 0 to draws − 1. */
  readonly draws: number;
  readonly isForced?: boolean | undefined;
  readonly version: string;
  readonly open: OpenPredictor;
  readonly onProgress?: (part: number, note: string) => void;
  readonly onDone?: (result: RunResult) => void;
  readonly signal?: AbortSignal;
}

/** @throws AuspexError REPRODUCE_…, and what opening predictors throws */
export function entriesOf(
  { id, entries }: SearchExperiment,
  only: RegExp | undefined,
): readonly SearchEntry[] {
  const chosen = only === undefined ? entries : entries.filter((entry) => only.test(entry.id));
  if (chosen.length > 0) return chosen;
  throw new AuspexError('REPRODUCE_NO_CELL', `no search of ${id} matches ${only}`, {
    hint: `choose from ${entries.map((entry) => entry.id).join(', ')}`,
  });
}

/** @returns how many were run */
export async function runExperiment(
  experiment: SearchExperiment,
  options: RunExperimentOptions,
): Promise<number> {
  const { out, only, draws, isForced = false, version, signal, onProgress, onDone } = options;
  const files = new RunFiles(out, experiment);
  const all = Array.from({ length: draws }, (_, seed) =>
    entriesOf(experiment, only).map((entry) => ({ entry, seed })),
  ).flat();
  const pending = all.filter(({ entry, seed }) => isForced || files.read(entry, seed) === undefined);
  if (pending.length === 0) return 0;
  const table = await openTable(experiment, options);
  for (const [i, { entry, seed }] of pending.entries()) {
    onProgress?.(i / pending.length, `${entry.id}, seed ${seed}`);
    const run = await table.run(entry, seed, signal);
    const result: RunResult = {
      schema: 'auspex.reproduce.search/1',
      experiment: experiment.id,
      entry: entry.id,
      seed,
      settings: files.settingsOf(entry),
      ...run,
      regret: [...run.regret],
      seenRegret: [...run.seenRegret],
      meanSeconds: table.meanSeconds,
      version,
    };
    await files.write(entry, result);
    onDone?.(result);
  }
  return pending.length;
}

async function openTable(
  experiment: SearchExperiment,
  { data, open }: RunExperimentOptions,
): Promise<SearchTable> {
  const names = fileNames(experiment.data);
  const file = names.map((name) => join(data, name)).find((path) => existsSync(path));
  const { title, origin, space } = DATA[experiment.data];
  if (file === undefined) {
    throw new AuspexError('REPRODUCE_DATA', `the folder has no ${names.join(', ')}: ${title}`, {
      where: { file: data },
      hint: origin,
    });
  }
  return new SearchTable(experiment, await readTableFile(file), spaceNamed(space), open);
}

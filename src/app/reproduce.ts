// What `auspex reproduce` does: runs the draws of a paper's table that are not done, collects all, writes reports.
import { join } from 'node:path';
import { type CollectedTable, collect } from '../reproduce/collected-results.js';
import { DATA, type DataName, fileNames } from '../reproduce/data.js';
import { tableHtml } from '../reproduce/html.js';
import { tableMarkdown } from '../reproduce/markdown.js';
import { ResultFiles } from '../reproduce/result-files.js';
import { type RanTable, type RunOptions, runTable } from '../reproduce/run-table.js';
import type { ReproducedTable } from '../reproduce/table.js';
import { reproducedTable, TABLES } from '../reproduce/tables/index.js';
import { checkOutputs, type PlannedOutput } from '../store/outputs.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { bundledTrunk, openPredictor } from './bundled.js';
import { version } from './version.js';

export interface ReproduceRequest {
  /** The folder with the benchmark tables; without it nothing is run. */
  readonly data?: string | undefined;
  /** The folder of results. */
  readonly out: string;
  /** Only cells whose name it matches. */
  readonly only?: RegExp | undefined;
  readonly draws: number;
  /** Of every training, to try things out. */
  readonly steps?: number | undefined;
  readonly threads: number;
  readonly force?: boolean | undefined;
  readonly report?: string | undefined;
  readonly markdown?: string | undefined;
}

/** A table and what is done of it. */
export interface Reproduced {
  readonly table: ReproducedTable;
  readonly out: string;
  readonly collected: CollectedTable;
  /** Undefined where nothing was run. */
  readonly ran: RanTable | undefined;
}

interface ReproduceWork extends Pick<RunOptions, 'onProgress' | 'onDone' | 'signal'> {
  /** Those there are; others in tests. */
  readonly tables?: readonly ReproducedTable[];
}

/** All tables, and what is done of each. @throws AuspexError BAD_OPTION for what is about one table */
export function listReproduced(
  request: ReproduceRequest,
  { tables = TABLES }: ReproduceWork = {},
): Reproduced[] {
  if (request.data ?? request.report ?? request.markdown ?? request.only) {
    throw new AuspexError('BAD_OPTION', 'these options are about one table, which is not named', {
      hint: `name one of ${tables.map(({ id }) => id).join(', ')}`,
    });
  }
  const files = new ResultFiles(request.out);
  return tables.map((table) => ({
    table,
    out: request.out,
    collected: collect(files, table, choiceOf(request)),
    ran: undefined,
  }));
}

/**
 * Runs what is not done of a table, if there is data, and collects all of it.
 *
 * @throws AuspexError REPRODUCE_…, OUTPUT_…, TRAINING_STOPPED, and those of trainings
 */
export async function reproduceTable(
  id: string,
  request: ReproduceRequest,
  work: ReproduceWork = {},
): Promise<Reproduced> {
  const { out, data, force } = request;
  const table = reproducedTable(id, work.tables ?? TABLES);
  checkOutputs({ outputs: outputsOf(request), inputs: dataFiles(request), force });
  const ran = data === undefined ? undefined : await run(table, data, request, work);
  const collected = collect(new ResultFiles(out), table, choiceOf(request));
  const shown = { table: withTrial(table, request), out, collected, ran };
  await writeReports(shown, request);
  return shown;
}

function outputsOf({ data, out, report, markdown }: ReproduceRequest): PlannedOutput[] {
  return [
    ...(data === undefined ? [] : [{ path: out, kind: 'folder' as const }]),
    ...(report === undefined ? [] : [{ path: report, kind: 'html' as const }]),
    ...(markdown === undefined ? [] : [{ path: markdown, kind: 'text' as const }]),
  ];
}

/** What may be read of the folder of tables. */
function dataFiles({ data }: ReproduceRequest): string[] {
  if (data === undefined) return [];
  return (Object.keys(DATA) as DataName[]).flatMap((name) => fileNames(name).map((file) => join(data, file)));
}

function choiceOf({ only, draws, steps }: ReproduceRequest) {
  return { draws, ...(only ? { only } : {}), ...(steps === undefined ? {} : { steps }) };
}

async function run(
  table: ReproducedTable,
  data: string,
  request: ReproduceRequest,
  { tables: _, ...work }: ReproduceWork,
): Promise<RanTable> {
  const { out, threads, force: isForced = false } = request;
  const settings = { ...choiceOf(request), data, out, threads, isForced };
  try {
    return await runTable(table, {
      ...settings,
      pretrained: bundledTrunk,
      openPredictor,
      version: version(),
      ...work,
    });
  } catch (error) {
    if (!(error instanceof AuspexError) || error.code !== 'TRAINING_STOPPED') throw error;
    throw new AuspexError(error.code, error.message, {
      kind: 'failure',
      hint: 'finished draws and checkpoints are kept; the same command continues',
      cause: error,
    });
  }
}

/** A trial must not be taken for a result. */
function withTrial(table: ReproducedTable, { steps }: ReproduceRequest): ReproducedTable {
  if (steps === undefined) return table;
  const warning = `Every training was cut to ${steps} steps: a trial, not a result.`;
  return { ...table, differs: [warning, ...table.differs] };
}

async function writeReports(
  { table, collected: { lines, results } }: Reproduced,
  { only, draws, steps, markdown, report }: ReproduceRequest,
): Promise<void> {
  // Without folders: what the command was, and not whose machine it ran on.
  const command = [
    `auspex reproduce ${table.id} --data DIR --draws ${draws}`,
    ...(only ? [`--only '${only.source}'`] : []),
    ...(steps === undefined ? [] : [`--steps ${steps}`]),
  ].join(' ');
  const about = { table, lines, results, command };
  if (markdown !== undefined) await writeOutput(markdown, tableMarkdown(about));
  if (report !== undefined) await writeOutput(report, tableHtml(about));
}

// `auspex reproduce`: runs the tables of papers and prints our numbers beside the published ones.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { bundledTrunk } from '../app/bundled.js';
import { version } from '../app/version.js';
import { type CollectedTable, collect } from '../reproduce/collected-results.js';
import { DATA, type DataName, fileNames } from '../reproduce/data.js';
import { tableHtml } from '../reproduce/html.js';
import { tableMarkdown } from '../reproduce/markdown.js';
import { ResultFiles } from '../reproduce/result-files.js';
import { type RanTable, runTable } from '../reproduce/run-table.js';
import type { ReproducedTable } from '../reproduce/table.js';
import { reproducedTable, TABLES } from '../reproduce/tables/index.js';
import { checkOutputs, type PlannedOutput } from '../store/outputs.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { print, wholeNumber } from './command.js';
import { progressLine } from './progress.js';
import { untilStopped } from './signals.js';
import { doneText, listJson, listText, tableJson, tableText } from './text/reproduce.js';

interface ReproduceFlags {
  data?: string;
  out: string;
  only?: RegExp;
  draws: number;
  steps?: number;
  threads: number;
  force?: true;
  report?: string;
  markdown?: string;
  json?: true;
}

/** @param tables those there are, and where lines go: others in tests. */
export function reproduceCommand({ tables = TABLES, write = print } = {}): Command {
  return new Command('reproduce')
    .summary('run experiments from papers and compare with published numbers')
    .description(
      `Trains and tests the predictors of a paper's table, and prints our numbers
beside the published ones. Without a table name: lists the tables and their
progress. Without --data: shows existing results and runs nothing.`,
    )
    .argument('[table]', 'name of a table')
    .option('--data <dir>', 'folder of benchmark tables; runs what is missing')
    .option('--out <dir>', 'results folder, with one file per cell and seed', 'results')
    .option('--only <regex>', 'only cells whose name matches', regex)
    .option('--draws <n>', 'number of draws: seeds 0 to n-1, each with its own rows', atLeastOne, 3)
    .option('--steps <n>', 'shorten every training to n steps, for a trial run', atLeastOne)
    .option('--threads <n>', 'number of threads', atLeastOne, Math.min(availableParallelism(), 8))
    .option('--force', 'repeat finished draws and overwrite existing files')
    .option('--report <file>', 'write the plot and the table as one HTML file')
    .option('--markdown <file>', 'write the table as Markdown')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  auspex reproduce
  auspex reproduce nb201-accuracy --data tables/ --out results/
  auspex reproduce nb201-accuracy --data tables/ --only '^156-v' --draws 1
  auspex reproduce nb201-accuracy --markdown nb201.md --report nb201.html

Every draw is saved when it finishes. To continue an interrupted run, give the
same command again.
The JSON is described in docs/json/reproduce.md.`,
    )
    .action(async (id: string | undefined, flags: ReproduceFlags) => {
      const files = new ResultFiles(flags.out);
      if (id === undefined) return write(listed(files, tables, flags));
      const table = reproducedTable(id, tables);
      checkOutputs({ outputs: outputsOf(flags), inputs: dataFiles(flags), force: flags.force });
      const ran = flags.data === undefined ? undefined : await run(table, flags.data, flags);
      const collected = collect(files, table, choiceOf(flags));
      const shown = { table: withTrial(table, flags), out: flags.out, collected, ran };
      await writeReports(shown.table, collected, flags);
      write(flags.json ? tableJson(shown) : tableText(shown));
      if (ran !== undefined && ran.failures.length > 0) process.exitCode = 1;
    });
}

function outputsOf({ data, out, report, markdown }: ReproduceFlags): PlannedOutput[] {
  return [
    ...(data === undefined ? [] : [{ path: out, kind: 'folder' as const }]),
    ...(report === undefined ? [] : [{ path: report, kind: 'html' as const }]),
    ...(markdown === undefined ? [] : [{ path: markdown, kind: 'text' as const }]),
  ];
}

/** Files that may be read from the folder of tables. */
function dataFiles({ data }: ReproduceFlags): string[] {
  if (data === undefined) return [];
  return (Object.keys(DATA) as DataName[]).flatMap((name) => fileNames(name).map((file) => join(data, file)));
}

function listed(files: ResultFiles, tables: readonly ReproducedTable[], flags: ReproduceFlags): string {
  if (flags.data ?? flags.report ?? flags.markdown ?? flags.only) {
    throw new AuspexError(
      'BAD_OPTION',
      '--data, --report, --markdown and --only require the name of a table',
      {
        hint: `add one of ${tables.map(({ id }) => id).join(', ')}`,
      },
    );
  }
  const shown = tables.map((table) => ({
    table,
    out: flags.out,
    collected: collect(files, table, choiceOf(flags)),
    ran: undefined,
  }));
  return flags.json ? listJson(shown, flags.out) : listText(shown);
}

function choiceOf({ only, draws, steps }: ReproduceFlags) {
  return { draws, ...(only ? { only } : {}), ...(steps === undefined ? {} : { steps }) };
}

async function run(table: ReproducedTable, data: string, flags: ReproduceFlags): Promise<RanTable> {
  const line = progressLine(table.id);
  try {
    return await untilStopped((signal) =>
      runTable(table, {
        ...choiceOf(flags),
        data,
        out: flags.out,
        threads: flags.threads,
        pretrained: bundledTrunk,
        version: version(),
        isForced: flags.force ?? false,
        onProgress: (part, note) => line.report(part, note),
        onDone: (done) => {
          line.end();
          process.stderr.write(`${doneText(done, table)}\n`);
        },
        signal,
      }),
    );
  } catch (error) {
    if (!(error instanceof AuspexError) || error.code !== 'TRAINING_STOPPED') throw error;
    throw new AuspexError(error.code, error.message, {
      kind: 'failure',
      hint: 'finished draws and checkpoints are kept; the same command continues',
      cause: error,
    });
  } finally {
    line.end();
  }
}

/** A trial must not be taken for a result. */
function withTrial(table: ReproducedTable, { steps }: ReproduceFlags): ReproducedTable {
  if (steps === undefined) return table;
  const warning = `Every training was cut to ${steps} steps: a trial, not a result.`;
  return { ...table, differs: [warning, ...table.differs] };
}

async function writeReports(
  table: ReproducedTable,
  { lines, results }: CollectedTable,
  flags: ReproduceFlags,
): Promise<void> {
  const { only, draws, steps, markdown, report } = flags;
  // Folders are left out: they belong to one machine.
  const command = [
    `auspex reproduce ${table.id} --data DIR --draws ${draws}`,
    ...(only ? [`--only '${only.source}'`] : []),
    ...(steps === undefined ? [] : [`--steps ${steps}`]),
  ].join(' ');
  const about = { table, lines, results, command };
  const save = (path: string, text: string): Promise<void> => writeOutput(path, text);
  if (markdown !== undefined) await save(markdown, tableMarkdown(about));
  if (report !== undefined) await save(report, tableHtml(about));
}

function regex(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new InvalidArgumentError(`It is not a regular expression: ${(error as Error).message}.`);
  }
}

function atLeastOne(text: string): number {
  const value = wholeNumber(text);
  if (value >= 1) return value;
  throw new InvalidArgumentError('It must be at least 1.');
}

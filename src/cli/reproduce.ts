// `auspex reproduce`: the papers' tables, ours beside the published numbers.
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
import { print, threadCount, wholeNumber } from './command.js';
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
    .summary("run the papers' tables, ours beside the published numbers")
    .description(
      `Trains and tests what the papers' tables have, and prints ours beside the
published numbers. Without a table: lists them and what is done of each.
Without --data: shows what is done and runs nothing.`,
    )
    .argument('[table]', 'which table')
    .option('--data <dir>', 'folder with the benchmark tables; runs what is not done')
    .option('--out <dir>', 'folder of results, one file for every cell and seed', 'results')
    .option('--only <regex>', 'only cells whose name it matches', regex)
    .option('--draws <n>', 'seeds 0 to n-1, each with rows of its own', atLeastOne, 3)
    .option('--steps <n>', 'steps of every training, to try things out', atLeastOne)
    .option('--threads <n>', 'number of threads', threadCount, Math.min(availableParallelism(), 8))
    .option('--force', 'do again what is done, and replace existing files')
    .option('--report <file>', 'write plot and table as one HTML file')
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

Every draw is written as soon as it is done. A run that was stopped goes on
where it was when the same command is given again.
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

/** What may be read of the folder of tables. */
function dataFiles({ data }: ReproduceFlags): string[] {
  if (data === undefined) return [];
  return (Object.keys(DATA) as DataName[]).flatMap((name) => fileNames(name).map((file) => join(data, file)));
}

function listed(files: ResultFiles, tables: readonly ReproducedTable[], flags: ReproduceFlags): string {
  if (flags.data ?? flags.report ?? flags.markdown ?? flags.only) {
    throw new AuspexError('BAD_OPTION', 'these options are about one table, which is not named', {
      hint: `name one of ${tables.map(({ id }) => id).join(', ')}`,
    });
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
  // Without folders: what the command was, and not whose machine it ran on.
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
    throw new InvalidArgumentError(`It is no regular expression: ${(error as Error).message}.`);
  }
}

function atLeastOne(text: string): number {
  const value = wholeNumber(text);
  if (value >= 1) return value;
  throw new InvalidArgumentError('It must be at least 1.');
}

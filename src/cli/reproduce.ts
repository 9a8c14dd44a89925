// `auspex reproduce`: runs the tables of papers and prints our numbers beside the published ones.
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { reproduceDocumentOf, reproduceListOf } from '../app/documents/reproduce.js';
import { searchesDocumentOf } from '../app/documents/reproduce-searches.js';
import { listReproduced, type ReproduceRequest, reproduceTable } from '../app/reproduce.js';
import { isSearchExperiment, listSearches, reproduceSearches } from '../app/reproduce-searches.js';
import { reproducedTable, TABLES } from '../reproduce/tables/index.js';
import { print, threadCount, wholeNumber } from './command.js';
import { progressLine } from './progress.js';
import { untilStopped } from './signals.js';
import { doneText, listText, tableText } from './text/reproduce.js';
import { ranText, searchesText } from './text/reproduce-searches.js';

type ReproduceFlags = ReproduceRequest & { json?: true };

/** @param tables those there are, and where lines go: others in tests. */
export function reproduceCommand({ tables = TABLES, write = print } = {}): Command {
  return new Command('reproduce')
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
    .option('--threads <n>', 'number of threads', threadCount, Math.min(availableParallelism(), 8))
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
  auspex reproduce latent-search --data tables/ --draws 100

Every draw is saved when it finishes. To continue an interrupted run, give the
same command again.
The JSON is described in docs/json/reproduce.md.`,
    )
    .action(async (id: string | undefined, flags: ReproduceFlags) => {
      if (id === undefined) {
        const all = listReproduced(flags, { tables });
        const searches = tables === TABLES ? listSearches(flags) : [];
        return write(
          flags.json ? pretty(reproduceListOf(all, flags.out, searches)) : listText(all, searches),
        );
      }
      if (isSearchExperiment(id)) {
        const searched = await shown(id, ranText, (work) => reproduceSearches(id, flags, work));
        return write(flags.json ? pretty(searchesDocumentOf(searched)) : searchesText(searched));
      }
      const found = await shown(
        id,
        (done: Parameters<typeof doneText>[0]) => doneText(done, reproducedTable(id, tables)),
        (work) => reproduceTable(id, flags, { ...work, tables }),
      );
      write(flags.json ? pretty(reproduceDocumentOf(found)) : tableText(found));
      if (found.ran !== undefined && found.ran.failures.length > 0) process.exitCode = 1;
    });
}

const pretty = (document: object): string => JSON.stringify(document, null, 2);

/** Runs with a progress line, above which finished parts are told. */
async function shown<D, R>(
  id: string,
  text: (done: D) => string,
  run: (work: {
    readonly signal: AbortSignal;
    onProgress(part: number, note: string): void;
    onDone(done: D): void;
  }) => Promise<R>,
): Promise<R> {
  const line = progressLine(id);
  const onDone = (done: D): void => {
    line.end();
    process.stderr.write(`${text(done)}\n`);
  };
  try {
    return await untilStopped((signal) =>
      run({ signal, onProgress: (part, note) => line.report(part, note), onDone }),
    );
  } finally {
    line.end();
  }
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

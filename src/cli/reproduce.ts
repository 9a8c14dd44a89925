// `auspex reproduce`: runs the tables of papers and prints our numbers beside the published ones.
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { reproduceDocumentOf, reproduceListOf } from '../app/documents/reproduce.js';
import { searchesDocumentOf } from '../app/documents/reproduce-searches.js';
import { listReproduced, type Reproduced, type ReproduceRequest, reproduceTable } from '../app/reproduce.js';
import {
  isSearchExperiment,
  listSearches,
  type ReproducedSearches,
  reproduceSearches,
} from '../app/reproduce-searches.js';
import type { ReproducedTable } from '../reproduce/table.js';
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
        const searched = await runSearches(id, flags);
        return write(flags.json ? pretty(searchesDocumentOf(searched)) : searchesText(searched));
      }
      const found = await run(id, flags, tables);
      write(flags.json ? pretty(reproduceDocumentOf(found)) : tableText(found));
      if (found.ran !== undefined && found.ran.failures.length > 0) process.exitCode = 1;
    });
}

const pretty = (document: object): string => JSON.stringify(document, null, 2);

async function run(
  id: string,
  flags: ReproduceFlags,
  tables: readonly ReproducedTable[],
): Promise<Reproduced> {
  const line = progressLine(id);
  try {
    return await untilStopped((signal) =>
      reproduceTable(id, flags, {
        tables,
        signal,
        onProgress: (part, note) => line.report(part, note),
        onDone: (done) => {
          line.end();
          process.stderr.write(`${doneText(done, reproducedTable(id, tables))}\n`);
        },
      }),
    );
  } finally {
    line.end();
  }
}

async function runSearches(id: string, flags: ReproduceFlags): Promise<ReproducedSearches> {
  const line = progressLine(id);
  try {
    return await untilStopped((signal) =>
      reproduceSearches(id, flags, {
        signal,
        onProgress: (part, note) => line.report(part, note),
        onDone: (done) => {
          line.end();
          process.stderr.write(`${ranText(done)}\n`);
        },
      }),
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

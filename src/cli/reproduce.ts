// `auspex reproduce`: the papers' tables, ours beside the published numbers.
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { reproduceDocumentOf, reproduceListOf } from '../app/documents/reproduce.js';
import { listReproduced, type Reproduced, type ReproduceRequest, reproduceTable } from '../app/reproduce.js';
import type { ReproducedTable } from '../reproduce/table.js';
import { reproducedTable, TABLES } from '../reproduce/tables/index.js';
import { print, threadCount, wholeNumber } from './command.js';
import { progressLine } from './progress.js';
import { untilStopped } from './signals.js';
import { doneText, listText, tableText } from './text/reproduce.js';

type ReproduceFlags = ReproduceRequest & { json?: true };

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
      if (id === undefined) {
        const all = listReproduced(flags, { tables });
        return write(flags.json ? pretty(reproduceListOf(all, flags.out)) : listText(all));
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

// `auspex data`: benchmark tables read from what others publish, shown, split, and written.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { Label, Table } from '../datasets/table.js';
import { unreadable } from '../onnx/file.js';
import { checkOutputs } from '../store/outputs.js';
import { FORMATS, formatOf, readTableFile, type TableFormat, writeTableFile } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';
import { print, wholeNumber, withForce } from './command.js';
import { JSON_HELP, jsonText, names, open, type PlainFlags, withPlain } from './data-options.js';
import { splitCommand } from './data-split.js';
import { type FoundTable, listText, showText } from './data-text.js';
import { formatExact } from './format.js';
import { untilStopped } from './signals.js';

/** Files that may be tables; others in a folder are not looked at. */
const TABLE_FILE = /\.(csv|jsonl|pickle|pkl|pbz2|pth|tfrecord)(\.gz)?$/i;

export function dataCommand(): Command {
  return new Command('data')
    .summary('benchmark tables: import, list, show, split and export')
    .description('Benchmark tables: import, list, show, split and export.')
    .addHelpText('after', '\nExample:\n  auspex data show nasbench201.csv.gz')
    .addCommand(importCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(splitCommand())
    .addCommand(exportCommand());
}

function importCommand(): Command {
  return withForce(withPlain(new Command('import')))
    .summary('a benchmark as others publish it, to a table that says what it is')
    .description(
      'Reads a benchmark as others publish it and writes a table that says what it\nis. Files are known by their content, not by their names.',
    )
    .argument('<file>', 'the benchmark, or a folder of NATS-Bench')
    .requiredOption('-o, --output <file>', 'where to write: .csv, .csv.gz, .jsonl or .jsonl.gz')
    .addHelpText(
      'after',
      `
Examples:
  auspex data import nasbench_only108.tfrecord -o nasbench101.csv.gz
  auspex data import NATS-tss-v1_0-3ffb9-simple/ -o nasbench201.csv.gz
  auspex data import mine.csv --space nasbench201 --arch cell \\
    --label accuracy:%:higher --label latency:ms:lower -o mine.csv.gz

Known are the files of NAS-Bench-101 (TFRecord), NAS-Bench-201 and NATS-Bench
(pickles), HW-NAS-Bench, and CSV and JSON lines of many others. Pickles are
read as data; nothing in them is run.
${JSON_HELP}`,
    )
    .action(async (file: string, flags: PlainFlags & { output: string }) => {
      formatOf(flags.output);
      expectOutput(file, flags);
      const table = await untilStopped(async (signal) => {
        const read = await open(file, flags, signal);
        await writeTableFile(flags.output, read, undefined, { signal });
        return read;
      });
      if (flags.json) return print(jsonText('import', { file, output: flags.output, ...tableJson(table) }));
      print(`${summary(table)}, written to ${flags.output}`);
    });
}

function listCommand(): Command {
  return new Command('list')
    .summary('the tables in a folder')
    .description('Lists the tables in a folder: their spaces, rows and labels.')
    .argument('[folder]', 'where to look', '.')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  auspex data list benchmarks/\n\n${JSON_HELP}`)
    .action(async (folder: string, flags: { json?: true }) => {
      const found: FoundTable[] = [];
      const others: { file: string; code: string; message: string }[] = [];
      for (const file of filesIn(folder)) {
        try {
          const { space, rows, labels } = await readTableFile(join(folder, file));
          found.push({ file, space, rows, labels: labels.map((label) => label.name) });
        } catch (error) {
          if (!(error instanceof AuspexError)) throw error;
          others.push({ file, code: error.code, message: error.message });
        }
      }
      print(
        flags.json
          ? jsonText('list', { folder, tables: found, others })
          : listText(folder, found, others.length),
      );
    });
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => TABLE_FILE.test(name) && statSync(join(folder, name)).isFile())
      .sort();
  } catch (error) {
    throw unreadable(folder, error);
  }
}

function showCommand(): Command {
  return withPlain(new Command('show'))
    .summary('space, labels, statistics and first rows of a table')
    .description(
      'Shows the space, the labels with their units and provenance, statistics and\nthe first rows of a table.',
    )
    .argument('<file>', 'a table, or a benchmark as others publish it')
    .option('--rows <n>', 'how many rows to show', wholeNumber, 3)
    .addHelpText('after', `\nExample:\n  auspex data show nasbench201.csv.gz\n\n${JSON_HELP}`)
    .action(async (file: string, flags: PlainFlags & { rows: number }) => {
      const table = await open(file, flags);
      print(
        flags.json ? jsonText('show', showJson(file, table, flags.rows)) : showText(file, table, flags.rows),
      );
    });
}

function exportCommand(): Command {
  return withForce(withPlain(new Command('export')))
    .summary('a table as CSV or JSON lines, with all labels or some')
    .description('Writes a table as CSV or JSON lines, with all labels or some.')
    .argument('<file>', 'a table')
    .requiredOption('-o, --output <file>', 'where to write; packed if it ends with .gz')
    .addOption(
      new Option('--format <format>', 'what to write, if the name does not tell').choices([...FORMATS]),
    )
    .option('--labels <labels>', 'only these labels: a,b', names)
    .option('--present', 'only rows that have all labels')
    .addHelpText(
      'after',
      `\nExample:\n  auspex data export nb201.csv.gz -o test.jsonl --labels cifar10_test,params_M\n\n${JSON_HELP}`,
    )
    .action(
      async (
        file: string,
        flags: PlainFlags & { output: string; format?: TableFormat; labels?: string[]; present?: true },
      ) => {
        const format = flags.format ?? formatOf(flags.output).format;
        expectOutput(file, flags);
        const table = await untilStopped(async (signal) => {
          const all = await open(file, flags, signal);
          const chosen = flags.labels ? all.select(flags.labels) : all;
          const kept = flags.present ? chosen.withPresent(chosen.labels.map((label) => label.name)) : chosen;
          await writeTableFile(flags.output, kept, format, { signal });
          return kept;
        });
        if (flags.json)
          return print(jsonText('export', { file, output: flags.output, format, ...tableJson(table) }));
        print(`${summary(table)}, written to ${flags.output}`);
      },
    );
}

function expectOutput(file: string, { output, force }: { output: string; force?: true }): void {
  checkOutputs({ outputs: [{ path: output, kind: 'table' }], inputs: [file], force });
}

function summary(table: Table): string {
  const { length } = table.labels;
  return `${table.space}: ${formatExact(table.rows)} rows, ${length} label${length === 1 ? '' : 's'}`;
}

function tableJson(table: Table): object {
  return { space: table.space, rows: table.rows, labels: table.labels.map(labelJson) };
}

/** `higherIsBetter` is what version 1 of the documents has. */
function labelJson(label: Label): object {
  return { ...label, higherIsBetter: label.better === 'higher' };
}

function showJson(file: string, table: Table, rows: number): object {
  return {
    file,
    space: table.space,
    rows: table.rows,
    labels: table.describe().map(({ label, count, missing, min, median, max }) => ({
      ...labelJson(label),
      count,
      missing,
      ...Object.fromEntries(Object.entries({ min, median, max }).map(([key, value]) => [key, finite(value)])),
    })),
    first: Array.from({ length: Math.min(rows, table.rows) }, (_, row) => ({
      arch: table.arch(row),
      values: Object.fromEntries(table.labels.map(({ name }) => [name, finite(table.column(name)[row]!)])),
    })),
  };
}

/** JSON has neither NaN nor infinities. */
function finite(value: number): number | string | null {
  return Number.isNaN(value) ? null : Number.isFinite(value) ? value : String(value);
}

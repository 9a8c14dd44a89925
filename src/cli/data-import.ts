// `auspex data import`: converts a published benchmark to a self-describing table.
import { Command } from 'commander';
import { importTable } from '../app/data/import.js';
import { print, withForce } from './command.js';
import { JSON_HELP, type PlainFlags, plainOptions, repeated, withPlain, working } from './data-options.js';
import { importText } from './text/data-written.js';

interface ImportFlags extends PlainFlags {
  output: string;
  skipBad?: true;
  group?: string[];
  pivot?: string;
  force?: true;
}

export function importCommand(): Command {
  return withForce(withPlain(new Command('import')))
    .summary('convert a published benchmark to a table')
    .description(
      'Converts a published benchmark to a table that describes itself: space, labels,\nunits, provenance. Formats are recognised by content, not by file name.',
    )
    .argument('<file>', 'a benchmark file, or a NATS-Bench folder')
    .requiredOption('-o, --output <file>', 'table to write: .csv, .csv.gz, .jsonl or .jsonl.gz')
    .option('--skip-bad', 'skip invalid rows and list them')
    .option('--group <column>', 'keep a text column, to split by later (repeatable)', repeated)
    .option(
      '--pivot <column>',
      'turn one row per architecture and device into one row per\narchitecture, with labels such as latency@pixel2',
    )
    .addHelpText(
      'after',
      `
Examples:
  auspex data import nasbench_only108.tfrecord -o nasbench101.csv.gz
  auspex data import NATS-tss-v1_0-3ffb9-simple/ -o nasbench201.csv.gz
  auspex data import mine.csv --space nasbench201 --arch cell \\
    --label accuracy:% --label lat_ms -o mine.csv.gz
  auspex data import phones.csv --space nasbench201 --label latency:ms \\
    --pivot device -o phones.csv.gz

A label is NAME[:part…]. Each part is higher or lower, linear or log, or a
unit; missing parts are inferred from the name and printed.
Known formats: NAS-Bench-101 (TFRecord), NAS-Bench-201 and NATS-Bench (pickle),
HW-NAS-Bench, and the CSV and JSON Lines files of many others. Pickles are read
as data; no code in them is executed.
${JSON_HELP}`,
    )
    .action(async (file: string, flags: ImportFlags) => {
      const { output, skipBad, group: groups, pivot, force } = flags;
      const options = { ...plainOptions(flags), output, skipBad, groups, pivot, force };
      const { document, resolved } = await working((work) => importTable(file, options, work));
      print(flags.json ? JSON.stringify(document, null, 2) : importText(document, resolved));
    });
}

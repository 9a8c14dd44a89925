// `auspex data import`: a benchmark as others publish it, to a table that says what it is.
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
    .summary('a benchmark as others publish it, to a table that says what it is')
    .description(
      'Reads a benchmark as others publish it and writes a table that says what it\nis. Files are known by their content, not by their names.',
    )
    .argument('<file>', 'the benchmark, or a folder of NATS-Bench')
    .requiredOption('-o, --output <file>', 'where to write: .csv, .csv.gz, .jsonl or .jsonl.gz')
    .option('--skip-bad', 'leave bad rows out and list them')
    .option('--group <column>', 'keep a column of words, to split by (repeatable)', repeated)
    .option(
      '--pivot <column>',
      'of a table with a row for every architecture on every device:\none row an architecture, with labels such as latency@pixel2',
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

A label is NAME[:part…]. Each part is higher or lower, linear or log, or the
unit; what is not given is inferred from the name and printed.
Known are the files of NAS-Bench-101 (TFRecord), NAS-Bench-201 and NATS-Bench
(pickles), HW-NAS-Bench, and CSV and JSON lines of many others. Pickles are
read as data; nothing in them is run.
${JSON_HELP}`,
    )
    .action(async (file: string, flags: ImportFlags) => {
      const { output, skipBad, group: groups, pivot, force } = flags;
      const options = { ...plainOptions(flags), output, skipBad, groups, pivot, force };
      const { document, resolved } = await working((work) => importTable(file, options, work));
      print(flags.json ? JSON.stringify(document, null, 2) : importText(document, resolved));
    });
}

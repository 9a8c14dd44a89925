// `auspex data`: benchmark tables read from what others publish, shown, split, and written.
import { Command, Option } from 'commander';
import { exportTable, listTables, showTable } from '../app/data/data.js';
import { FORMATS, type TableFormat } from '../store/table-file.js';
import { names, print, wholeNumber, withForce } from './command.js';
import { importCommand } from './data-import.js';
import { JSON_HELP, type PlainFlags, plainOptions, withPlain, working } from './data-options.js';
import { splitCommand } from './data-split.js';
import { listText, showText, tableText } from './text/data.js';

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

function listCommand(): Command {
  return new Command('list')
    .summary('the tables in a folder')
    .description('Lists the tables in a folder: their spaces, rows and labels.')
    .argument('[folder]', 'where to look', '.')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  auspex data list benchmarks/\n\n${JSON_HELP}`)
    .action(async (folder: string, flags: { json?: true }) => {
      const document = await working((work) => listTables(folder, work));
      print(flags.json ? JSON.stringify(document, null, 2) : listText(document));
    });
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
      const document = await working((work) =>
        showTable(file, { ...plainOptions(flags), rows: flags.rows }, work),
      );
      print(flags.json ? JSON.stringify(document, null, 2) : showText(document));
    });
}

interface ExportFlags extends PlainFlags {
  output: string;
  format?: TableFormat;
  labels?: string[];
  present?: true;
  force?: true;
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
    .action(async (file: string, flags: ExportFlags) => {
      const { output, format, labels: only, present, force } = flags;
      const options = { ...plainOptions(flags), output, format, only, present, force };
      const document = await working((work) => exportTable(file, options, work));
      print(flags.json ? JSON.stringify(document, null, 2) : `${tableText(document)}, written to ${output}`);
    });
}

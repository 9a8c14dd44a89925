// `auspex data`: imports, lists, shows, splits and exports benchmark tables.
import { Command, Option } from 'commander';
import { exportTable, listTables, showTable } from '../app/data/data.js';
import { FORMATS, type TableFormat } from '../store/table-file.js';
import { names, print, wholeNumber, withForce } from './command.js';
import { importCommand } from './data-import.js';
import { ioCommand } from './data-io.js';
import { JSON_HELP, type PlainFlags, plainOptions, withPlain, working } from './data-options.js';
import { splitCommand } from './data-split.js';
import { listText, showText, tableText } from './text/data.js';

export function dataCommand(): Command {
  return new Command('data')
    .description('Imports, lists, shows, splits and exports benchmark tables.')
    .addHelpText('after', '\nExample:\n  auspex data show nasbench201.csv.gz')
    .addCommand(importCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(splitCommand())
    .addCommand(exportCommand())
    .addCommand(ioCommand());
}

function listCommand(): Command {
  return new Command('list')
    .summary('list the tables in a folder')
    .description('Lists the tables in a folder with their spaces, rows and labels.')
    .argument('[folder]', 'folder to search', '.')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  auspex data list benchmarks/\n\n${JSON_HELP}`)
    .action(async (folder: string, flags: { json?: true }) => {
      const document = await working((work) => listTables(folder, work));
      print(flags.json ? JSON.stringify(document, null, 2) : listText(document));
    });
}

function showCommand(): Command {
  return withPlain(new Command('show'))
    .summary('show space, labels, statistics and first rows of a table')
    .description(
      'Shows the space, the labels with their units and provenance, statistics and\nthe first rows of a table.',
    )
    .argument('<file>', 'a table, or a published benchmark')
    .option('--rows <n>', 'number of rows to show', wholeNumber, 3)
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
    .summary('write a table as CSV or JSON Lines')
    .description('Writes a table as CSV or JSON Lines, with all labels or only some.')
    .argument('<file>', 'a table')
    .requiredOption('-o, --output <file>', 'file to write; compressed if it ends with .gz')
    .addOption(
      new Option('--format <format>', 'file format (default: from the file name)').choices([...FORMATS]),
    )
    .option('--labels <labels>', 'labels to write: a,b (default: all)', names)
    .option('--present', 'write only rows that have all labels')
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

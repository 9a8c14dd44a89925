// `auspex data split`: splits a table into training, validation and test rows.
import { Command, Option } from 'commander';
import { type SplitOptions, splitTable } from '../app/data/split.js';
import { SPLIT_WAYS } from '../app/data/split-rows.js';
import { names, print, wholeNumber, withForce } from './command.js';
import { JSON_HELP, type PlainFlags, plainOptions, withPlain, working } from './data-options.js';
import { splitText } from './text/data-written.js';
import { withTogether } from './train-options.js';

type SplitFlags = PlainFlags & Omit<SplitOptions, 'labels'>;

export function splitCommand(): Command {
  return withForce(withTogether(withPlain(new Command('split'))))
    .summary('split a table into training, validation and test rows')
    .description(
      'Splits a table into training, validation and test rows, written as\nPREFIX.train.csv.gz and so on, and writes the split as PREFIX.split.json.\nEqual architectures always stay in the same part.',
    )
    .argument('<file>', 'a table')
    .requiredOption('-o, --output <prefix>', 'prefix of the files to write')
    .addOption(new Option('--by <way>', 'how to choose rows').choices([...SPLIT_WAYS]).default('random'))
    .option('--train <n>', 'number of training rows', wholeNumber)
    .option('--validation <n>', 'number of validation rows (0)', wholeNumber)
    .option('--test <n>', 'number of test rows (default: all remaining)', wholeNumber)
    .option('--test-on-all', 'test on all rows, as many papers do')
    .option('--seed <n>', 'random seed', wholeNumber, 0)
    .option('--present <labels>', 'only rows that have these labels: a,b', names)
    .option('--family <regexp>', 'with --by family: regular expression; its first group is the family')
    .option('--leave <family>', 'with --by family: the family to test on')
    .option('--folds <k>', 'with --by fold: number of folds', wholeNumber)
    .option('--fold <i>', 'with --by fold: the fold to test on, from 1', wholeNumber)
    .addHelpText(
      'after',
      `
Examples:
  auspex data split nb201.csv.gz --train 781 --validation 200 --seed 1 -o run
  auspex data split nb101.csv.gz --by first --train 424 --test-on-all -o run
  auspex data split nb101.csv.gz --by size --train 1000 -o run
  auspex data split nb101.csv.gz --by family --family '^(\\d+):' --leave 7 -o run
  auspex data split nb201.csv.gz --by fold --folds 5 --fold 1 -o run
  auspex data split phones.csv.gz --group family --train 500 -o run

--by size samples every size of architecture (vertices, layers) in proportion.
Groups are never split, so a part may have fewer rows than requested.
${JSON_HELP}`,
    )
    .action(async (file: string, flags: SplitFlags) => {
      const document = await working((work) => splitTable(file, { ...flags, ...plainOptions(flags) }, work));
      print(flags.json ? JSON.stringify(document) : splitText(document));
    });
}

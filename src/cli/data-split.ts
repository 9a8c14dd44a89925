// `auspex data split`: rows for training, validation and test.
import { Command, Option } from 'commander';
import { EQUALITIES } from '../app/arch-keys.js';
import { type SplitOptions, splitTable } from '../app/data/split.js';
import { SPLIT_WAYS } from '../app/data/split-rows.js';
import { names, print, wholeNumber, withForce } from './command.js';
import { JSON_HELP, type PlainFlags, plainOptions, withPlain, working } from './data-options.js';
import { splitText } from './text/data-written.js';

type SplitFlags = PlainFlags & Omit<SplitOptions, 'labels'>;

export function splitCommand(): Command {
  return withForce(withPlain(new Command('split')))
    .summary('rows for training, validation and test')
    .description(
      'Writes the rows for training, validation and test as PREFIX.train.csv.gz and\nso on, and the split itself as PREFIX.split.json. Equal architectures are never\nin two sets.',
    )
    .argument('<file>', 'a table')
    .requiredOption('-o, --output <prefix>', 'beginning of the names of the files to write')
    .addOption(new Option('--by <way>', 'how rows are chosen').choices([...SPLIT_WAYS]).default('random'))
    .option('--train <n>', 'rows for training', wholeNumber)
    .option('--validation <n>', 'rows for validation (none)', wholeNumber)
    .option('--test <n>', 'rows for test (all that are left)', wholeNumber)
    .option('--test-on-all', 'test on all rows, as many papers do')
    .option('--seed <n>', 'seed of the random numbers', wholeNumber, 0)
    .option('--present <labels>', 'only rows that have these labels: a,b', names)
    .addOption(
      new Option('--equal <what>', 'architectures that stay together: those of one text or function')
        .choices([...EQUALITIES])
        .default('text'),
    )
    .option('--group <column>', 'rows with one value of this column stay together')
    .option('--family <regexp>', 'with --by family: the first group of the match is the family')
    .option('--leave <family>', 'with --by family: the family that is tested')
    .option('--folds <k>', 'with --by fold: how many folds', wholeNumber)
    .option('--fold <i>', 'with --by fold: the fold that is tested, from 1', wholeNumber)
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

By size, every size of architecture (vertices, layers) gets its share of rows.
Groups are taken whole, so sets may have fewer rows than asked for.
${JSON_HELP}`,
    )
    .action(async (file: string, flags: SplitFlags) => {
      const document = await working((work) => splitTable(file, { ...flags, ...plainOptions(flags) }, work));
      print(flags.json ? JSON.stringify(document) : splitText(document));
    });
}

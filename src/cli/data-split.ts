// `auspex data split`: rows for training, validation and test.
import { Command, Option } from 'commander';
import { sizesOf } from '../datasets/sizes.js';
import {
  familySplit,
  firstSplit,
  foldSplits,
  randomSplit,
  type Split,
  sizeSplit,
} from '../datasets/splits.js';
import type { Table } from '../datasets/table.js';
import { checkOutputs, type PlannedOutput } from '../store/outputs.js';
import { writeTableFile } from '../store/table-file.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { print, wholeNumber, withForce } from './command.js';
import { JSON_HELP, jsonText, names, open, type PlainFlags, withPlain } from './data-options.js';
import { formatExact } from './format.js';

interface SplitFlags extends PlainFlags {
  output: string;
  by: (typeof WAYS)[number];
  train?: number;
  validation?: number;
  test?: number;
  testOnAll?: true;
  seed: number;
  present?: string[];
  family?: string;
  leave?: string;
  folds?: number;
  fold?: number;
}

const WAYS = ['random', 'first', 'size', 'family', 'fold'] as const;
const PARTS = ['train', 'validation', 'test'] as const;

export function splitCommand(): Command {
  return withForce(withPlain(new Command('split')))
    .summary('rows for training, validation and test')
    .description(
      'Writes the rows for training, validation and test as PREFIX.train.csv.gz and\nso on, and the split itself as PREFIX.split.json.',
    )
    .argument('<file>', 'a table')
    .requiredOption('-o, --output <prefix>', 'beginning of the names of the files to write')
    .addOption(new Option('--by <way>', 'how rows are chosen').choices([...WAYS]).default('random'))
    .option('--train <n>', 'rows for training', wholeNumber)
    .option('--validation <n>', 'rows for validation (none)', wholeNumber)
    .option('--test <n>', 'rows for test (all that are left)', wholeNumber)
    .option('--test-on-all', 'test on all rows, as many papers do')
    .option('--seed <n>', 'seed of the random numbers', wholeNumber, 0)
    .option('--present <labels>', 'only rows that have these labels: a,b', names)
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

By size, every size of architecture (vertices, layers) gets its share of rows.
${JSON_HELP}`,
    )
    .action(async (file: string, flags: SplitFlags) => {
      checkOutputs({ outputs: outputsOf(flags.output), inputs: [file], force: flags.force });
      const table = await open(file, flags);
      const rows = table.rowsWith(flags.present ?? []);
      const split = splitOf(table.take(rows), flags);
      // Indices of rows of the file, whatever was left out.
      const indices = Object.fromEntries(
        PARTS.map((part) => [part, Array.from(split[part], (row) => rows[row]!)] as const),
      );
      const files: Record<string, string> = {};
      for (const part of PARTS) {
        if (split[part].length === 0) continue;
        files[part] = partPath(flags.output, part);
        await writeTableFile(files[part]!, table.take(indices[part]!));
      }
      const description = {
        file,
        space: table.space,
        by: split.by,
        seed: split.seed ?? null,
        testOnAll: split.testOnAll,
      };
      const record = jsonText('split', { ...description, files, rows: indices });
      await writeOutput(splitPath(flags.output), `${record}\n`);
      const counts = Object.fromEntries(PARTS.map((part) => [part, split[part].length]));
      if (flags.json) return print(jsonText('split', { ...description, files, counts }));
      const seed = split.seed === undefined ? '' : `, seed ${split.seed}`;
      print(`${table.space} by ${split.by}${seed}`);
      for (const part of PARTS) {
        print(
          `  ${part.padEnd(10)} ${formatExact(split[part].length).padStart(9)} rows  ${files[part] ?? ''}`.trimEnd(),
        );
      }
    });
}

const partPath = (prefix: string, part: (typeof PARTS)[number]): string => `${prefix}.${part}.csv.gz`;
const splitPath = (prefix: string): string => `${prefix}.split.json`;

function outputsOf(prefix: string): PlannedOutput[] {
  const parts = PARTS.map((part) => ({ path: partPath(prefix, part), kind: 'table' as const }));
  return [...parts, { path: splitPath(prefix), kind: 'split' }];
}

function splitOf(table: Table, flags: SplitFlags): Split {
  const { by, seed, validation, test, testOnAll } = flags;
  if (by === 'family') return byFamily(table, flags);
  if (by === 'fold') return byFold(table, flags);
  const train = needed(flags.train, '--train');
  const sizes = { train, validation, test, testOnAll, seed };
  if (by === 'first') return firstSplit(table.rows, sizes);
  if (by === 'random') return randomSplit(table.rows, sizes);
  return sizeSplit(sizesOf(table.space, table.architectures), sizes);
}

function byFamily(table: Table, { family, leave, seed, train, validation }: SplitFlags): Split {
  const source = needed(family, '--family');
  let pattern: RegExp;
  try {
    pattern = new RegExp(source);
  } catch (error) {
    throw new AuspexError(
      'BAD_OPTION',
      `--family ${source} is no regular expression: ${(error as Error).message}`,
    );
  }
  const families = Array.from(table.architectures, (text) => {
    const match = pattern.exec(text);
    return match?.[1] ?? match?.[0] ?? '';
  });
  return familySplit(families, needed(leave, '--leave'), { seed, train, validation });
}

function byFold(table: Table, { folds, fold, seed, validation }: SplitFlags): Split {
  const count = needed(folds, '--folds');
  const which = needed(fold, '--fold');
  const split = foldSplits(table.rows, count, { seed, validation })[which - 1];
  if (split) return split;
  throw new AuspexError('BAD_OPTION', `there is no fold ${which} of ${count}`, {
    hint: 'folds are counted from 1',
  });
}

function needed<T>(value: T | undefined, flag: string): T {
  if (value !== undefined) return value;
  throw new AuspexError('BAD_OPTION', `${flag} is needed`, { hint: 'see: auspex data split --help' });
}

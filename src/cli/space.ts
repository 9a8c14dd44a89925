// `auspex space`: lists search spaces; samples, describes and exports their architectures.
import { Command } from 'commander';
import { spaceDescriptionOf, spaceListOf } from '../app/documents/space.js';
import { linesOf } from '../app/lines.js';
import { describeLines, exportNetwork, openSpace } from '../app/space.js';
import { SPACES } from '../spaces/index.js';
import { sampleSpace } from '../spaces/sample.js';
import { AuspexError } from '../util/errors.js';
import { print, wholeNumber, withForce } from './command.js';
import { type SizeFlags, sizesFrom, withSizes } from './size-options.js';
import { wrapLines } from './text/format.js';
import { descriptionText, listText, spaceText } from './text/space.js';

interface JsonFlag {
  json?: true;
}

const JSON_HELP = 'The JSON is described in docs/json/space.md.';
const SPACE_ARGUMENT = 'name of a space, or onnx:FILE';

const printJson = (document: object, indent?: number): void => print(JSON.stringify(document, null, indent));

export function spaceCommand(): Command {
  return new Command('space')
    .summary('sample, describe and export networks of search spaces')
    .description('Sample, describe and export networks of search spaces.')
    .addHelpText('after', '\nExample:\n  auspex space sample nasbench201 -n 5 --seed 1')
    .addCommand(listCommand())
    .addCommand(sampleCommand())
    .addCommand(describeCommand())
    .addCommand(exportCommand());
}

function listCommand(): Command {
  return new Command('list')
    .summary('list the spaces, or show one')
    .description('Lists the search spaces. For one space, shows how its architectures are written.')
    .argument('[space]', SPACE_ARGUMENT)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nExamples:\n  auspex space list\n  auspex space list nasbench201\n  auspex space list onnx:net.onnx\n\n${JSON_HELP}`,
    )
    .action((name: string | undefined, flags: JsonFlag) => {
      const spaces = name === undefined ? SPACES : [openSpace(name)];
      if (flags.json) printJson(spaceListOf(spaces), 2);
      else if (name === undefined) print(`${listText(spaces)}\nonnx:FILE  the neighbourhood of an ONNX file`);
      else print(spaceText(spaces[0]!));
    });
}

function sampleCommand(): Command {
  return new Command('sample')
    .summary('draw random architectures, one per line')
    .description('Draws random architectures, one per line. The same seed draws the same ones.')
    .argument('<space>', SPACE_ARGUMENT)
    .option('-n, --count <number>', 'number of architectures', wholeNumber, 1)
    .option('--seed <number>', 'random seed', wholeNumber, 0)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  auspex space sample nasbench201 -n 5 --seed 1\n\n${JSON_HELP}`)
    .action((name: string, { count, seed, json }: { count: number; seed: number } & JsonFlag) => {
      const space = openSpace(name);
      const architectures = sampleSpace(space, count, seed);
      if (json) printJson({ schema: 'auspex.space.sample/1', space: space.name, seed, architectures }, 2);
      else for (const arch of architectures) print(arch);
    });
}

type DescribeFlags = SizeFlags & JsonFlag & { input?: string };

function describeCommand(): Command {
  const command = new Command('describe')
    .summary('parameters, MACs, FLOPs, hash and depth of architectures')
    .description('Parameters, MACs, FLOPs, hash and depth of architectures.')
    .argument('<space>', SPACE_ARGUMENT)
    .argument('[arch...]', 'architectures')
    .option('--input <file>', 'architectures, one per line; - for standard input')
    .option('--json', 'print JSON, one object per line');
  return withSizes(command)
    .addHelpText(
      'after',
      `
Examples:
  auspex space sample nasbench201 -n 100 > archs.txt
  auspex space describe nasbench201 --input archs.txt --json
  auspex space describe nats-size 8:16:24:32:40 --resolution 64

Depth is the number of convolutions and matrix products on the longest path.
Architectures with the same hash are the same network. Invalid lines are
reported, the others are described, and the exit code is 2.
${JSON_HELP}`,
    )
    .action(async (name: string, archs: string[], flags: DescribeFlags) => {
      const space = openSpace(name);
      if (archs.length > 0 === (flags.input !== undefined)) {
        throw new AuspexError('BAD_OPTION', 'give architectures, or a file of them with --input', {
          hint: "auspex space describe <space> '<arch>'",
        });
      }
      const lines = flags.input === undefined ? archs : linesOf(flags.input);
      let isFirst = true;
      for await (const { line, result } of describeLines(space, lines, sizesFrom(flags), flags.input)) {
        if (flags.json) printJson(spaceDescriptionOf(result, line));
        if (result instanceof AuspexError) {
          process.stderr.write(`${wrapLines(result.describe())}\n`);
          process.exitCode = 2;
        } else if (!flags.json) {
          print(`${isFirst ? '' : '\n'}${descriptionText(result)}`);
          isFirst = false;
        }
      }
    });
}

type ExportFlags = SizeFlags & JsonFlag & { output: string; seed: number; force?: true };

function exportCommand(): Command {
  const command = new Command('export')
    .summary('write an architecture as an ONNX network with random weights')
    .description('Writes an architecture as an ONNX network with random weights.')
    .argument('<space>', SPACE_ARGUMENT)
    .argument('<arch>', 'the architecture')
    .requiredOption('-o, --output <file>', 'the ONNX file to write')
    .option('--seed <number>', 'random seed for the weights', wholeNumber, 0)
    .option('--json', 'print JSON');
  return withForce(withSizes(command))
    .addHelpText(
      'after',
      `\nExample:\n  auspex space export nats-size 8:16:24:32:40 -o net.onnx\n\n${JSON_HELP}`,
    )
    .action((name: string, text: string, flags: ExportFlags) => {
      const { output: file, seed, force = false } = flags;
      const { space, ...described } = exportNetwork(name, text, {
        sizes: sizesFrom(flags),
        seed,
        file,
        force,
      });
      if (flags.json) printJson({ schema: 'auspex.space.export/1', space, ...described, seed, file }, 2);
      else print(`${descriptionText(described)}\n  written to ${file}, seed ${seed}`);
    });
}

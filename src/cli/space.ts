// `auspex space`: lists search spaces; samples, describes and exports their architectures.
import { Command } from 'commander';
import { spaceListOf } from '../app/documents/space.js';
import { exportNetwork, openSpace } from '../app/space.js';
import { SPACES } from '../spaces/index.js';
import { sampleSpace } from '../spaces/sample.js';
import { print, wholeNumber, withForce } from './command.js';
import { type SizeFlags, sizesFrom, withSizes } from './size-options.js';
import { describeCommand } from './space-describe.js';
import { descriptionText, listText, spaceText } from './text/space.js';

interface JsonFlag {
  json?: true;
}

const JSON_HELP = 'The JSON is described in docs/json/space.md.';
const SPACE_ARGUMENT = 'name of a space, or onnx:FILE';

const printJson = (document: object): void => print(JSON.stringify(document, null, 2));

export function spaceCommand(): Command {
  return new Command('space')
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
      if (flags.json) printJson(spaceListOf(spaces));
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
      if (json) printJson({ schema: 'auspex.space.sample/1', space: space.name, seed, architectures });
      else for (const arch of architectures) print(arch);
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
      if (flags.json) printJson({ schema: 'auspex.space.export/1', space, ...described, seed, file });
      else print(`${descriptionText(described)}\n  written to ${file}, seed ${seed}`);
    });
}

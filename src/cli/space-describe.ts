// `auspex space describe`: what architectures cost.
import { Command } from 'commander';
import { spaceDescriptionOf } from '../app/documents/space.js';
import { linesOf } from '../app/lines.js';
import { describeLines, openSpace } from '../app/space.js';
import { AuspexError } from '../util/errors.js';
import { print } from './command.js';
import { type SizeFlags, sizesFrom, withSizes } from './size-options.js';
import { wrapLines } from './text/format.js';
import { descriptionText } from './text/space.js';

type DescribeFlags = SizeFlags & { input?: string; json?: true };

export function describeCommand(): Command {
  const command = new Command('describe')
    .summary('parameters, MACs, FLOPs, hash and depth of architectures')
    .description('Parameters, MACs, FLOPs, hash and depth of architectures.')
    .argument('<space>', 'name of a space, or onnx:FILE')
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
The JSON is described in docs/json/space.md.`,
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
        if (flags.json) print(JSON.stringify(spaceDescriptionOf(result, line)));
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

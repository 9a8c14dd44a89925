// `auspex space`: the search spaces, their architectures, and the networks these stand for.

import { Command, InvalidArgumentError } from 'commander';
import { linesOf } from '../app/lines.js';
import { readModel, writeModel } from '../onnx/file.js';
import { type Description, describeArchitecture } from '../spaces/describe.js';
import { onnxSpace, SPACES, spaceNamed } from '../spaces/index.js';
import { ARCH_KEY } from '../spaces/network.js';
import type { AnySpace, NetworkOptions } from '../spaces/space.js';
import { checkOutputs } from '../store/outputs.js';
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';
import { print, wholeNumber, withForce } from './command.js';
import { broken, formatCount, formatExact, table, wrap, wrapLines } from './format.js';

interface SizeFlags {
  resolution?: number;
  width?: number;
  classes?: number;
  batch?: number;
}

interface SampleFlags {
  count: number;
  seed: number;
  json?: true;
}

interface DescribeFlags extends SizeFlags {
  input?: string;
  json?: true;
}

interface ExportFlags extends SizeFlags {
  output: string;
  force?: true;
  seed: number;
  json?: true;
}

const JSON_HELP = 'The JSON is described in docs/space-json.md.';

export function spaceCommand(): Command {
  const command = new Command('space')
    .summary('search spaces: sample, describe and export their networks')
    .description('Search spaces: sample, describe and export their networks.')
    .addHelpText('after', '\nExample:\n  auspex space sample nasbench201 -n 5 --seed 1')
    .addCommand(listCommand())
    .addCommand(sampleCommand())
    .addCommand(describeCommand())
    .addCommand(exportCommand());
  return command;
}

const OF_FILE = 'onnx:';

/** The space of a name; `onnx:net.onnx` is the neighbourhood of a file. */
function openSpace(name: string): AnySpace {
  if (!name.startsWith(OF_FILE)) return spaceNamed(name);
  const path = name.slice(OF_FILE.length);
  return onnxSpace(path, readModel(path));
}

function listCommand(): Command {
  return new Command('list')
    .summary('the spaces, or what is known of one')
    .description('Lists the search spaces; of one that is named, how its architectures\nare written.')
    .argument('[space]', `name of a space, or ${OF_FILE}FILE`)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nExamples:\n  auspex space list\n  auspex space list nasbench201\n  auspex space list onnx:net.onnx\n\n${JSON_HELP}`,
    )
    .action((name: string | undefined, flags: { json?: true }) => {
      const spaces = name === undefined ? SPACES : [openSpace(name)];
      if (flags.json) print(jsonText('list', { spaces: spaces.map(spaceJson) }, 2));
      else if (name === undefined) print(`${listText(spaces)}\n${OF_FILE}FILE${OF_FILE_NOTE}`);
      else print(spaceText(spaces[0]!));
    });
}

const OF_FILE_NOTE = '  the neighbourhood of an ONNX file';

function spaceJson(space: AnySpace): object {
  const { name, title, paper, notation, example, size, defaults } = space;
  return { name, title, paper, notation, example, size: size === undefined ? null : String(size), defaults };
}

function listText(spaces: readonly AnySpace[]): string {
  const rows = spaces.map(({ name, title, size, defaults }) => [
    name,
    title,
    sizeText(size),
    defaults.input === 'image' ? `${defaults.resolution}²` : `${defaults.resolution} tokens`,
  ]);
  const columns = [
    { title: 'space' },
    { title: 'title', flexible: 'start' as const },
    { title: 'architectures', align: 'right' as const },
    { title: 'input', align: 'right' as const },
  ];
  return table(columns, rows, 0).join('\n');
}

/** Exact up to a million, then as a power of ten. */
function sizeText(size: bigint | undefined): string {
  if (size === undefined) return 'unlimited';
  if (size < 1_000_000n) return formatExact(Number(size));
  const digits = String(size);
  return `${digits[0]}.${digits[1]}e${digits.length - 1}`;
}

/** Where the second column begins. */
const FIELD = 17;

function spaceText(space: AnySpace): string {
  const { title, paper, notation, example, size, defaults } = space;
  const input =
    defaults.input === 'image'
      ? `images of ${defaults.resolution}x${defaults.resolution}, ${defaults.classes} classes`
      : `${defaults.resolution} tokens, a vocabulary of ${formatExact(defaults.classes)}`;
  const field = (label: string, text: string, lines = wrap): string[] =>
    lines(text, FIELD).map((line, i) => (i === 0 ? `  ${label}`.padEnd(FIELD) + line.slice(FIELD) : line));
  return [
    title,
    ...field('paper', paper),
    ...field('architectures', size === undefined || size >= 10n ** 18n ? sizeText(size) : formatBig(size)),
    ...field('input', input),
    ...field('notation', notation),
    ...field('example', example, broken),
  ].join('\n');
}

function formatBig(size: bigint): string {
  return String(size).replace(/\B(?=(\d{3})+$)/g, ',');
}

function sampleCommand(): Command {
  return new Command('sample')
    .summary('random architectures, one a line')
    .description('Draws random architectures, one a line. The same seed draws the same ones.')
    .argument('<space>', `name of a space, or ${OF_FILE}FILE`)
    .option('-n, --count <number>', 'how many', wholeNumber, 1)
    .option('--seed <number>', 'seed of the random numbers', wholeNumber, 0)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  auspex space sample nasbench201 -n 5 --seed 1\n\n${JSON_HELP}`)
    .action((name: string, { count, seed, json }: SampleFlags) => {
      const space = openSpace(name);
      const random = Random.seeded(seed);
      const archs = Array.from({ length: count }, () => space.format(space.sample(random)));
      if (json) print(jsonText('sample', { space: space.name, seed, architectures: archs }, 2));
      else for (const arch of archs) print(arch);
    });
}

function describeCommand(): Command {
  const command = new Command('describe')
    .summary('parameters, MACs, FLOPs, hash and depth of architectures')
    .description('Parameters, MACs, FLOPs, hash and depth of architectures.')
    .argument('<space>', `name of a space, or ${OF_FILE}FILE`)
    .argument('[arch...]', 'architectures')
    .option('--input <file>', "architectures from a file, one a line; '-' is standard input")
    .option('--json', 'print JSON, one object a line');
  return withSizes(command)
    .addHelpText(
      'after',
      `
Examples:
  auspex space sample nasbench201 -n 100 > archs.txt
  auspex space describe nasbench201 --input archs.txt --json
  auspex space describe nats-size 8:16:24:32:40 --resolution 64

Depth counts convolutions and matrix products on the longest way through.
Architectures with one hash are the same network. A line that is no
architecture is reported; the others are described, and the exit code is 2.
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
      await describeAll(space, lines, flags);
    });
}

/** JSON with the name and version of its schema. */
function jsonText(command: string, fields: object, indent?: number): string {
  return JSON.stringify({ schema: `auspex.space.${command}/1`, ...fields }, null, indent);
}

async function describeAll(
  space: AnySpace,
  lines: Iterable<string> | AsyncIterable<string>,
  flags: DescribeFlags,
): Promise<void> {
  let line = 0;
  let isFirst = true;
  for await (const text of lines) {
    line++;
    if (text.trim() === '') continue;
    const result = attemptLine(space, text, line, flags);
    if (flags.json)
      print(jsonText('describe', result instanceof AuspexError ? errorJson(result, line) : result));
    if (result instanceof AuspexError) {
      process.stderr.write(`${wrapLines(result.describe())}\n`);
      process.exitCode = 2;
    } else if (!flags.json) {
      print(`${isFirst ? '' : '\n'}${descriptionText(result)}`);
      isFirst = false;
    }
  }
}

/** Each line is judged by itself: one that is wrong does not take the others with it. */
function attemptLine(
  space: AnySpace,
  text: string,
  line: number,
  flags: DescribeFlags,
): Description | AuspexError {
  try {
    return describeArchitecture(space, space.parse(text.trim()), sizes(flags));
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return error.within({
      ...(flags.input === undefined ? {} : { file: flags.input }),
      path: `line ${line}`,
    });
  }
}

function errorJson({ code, message, hint }: AuspexError, line: number): object {
  return { error: { code, message, line, hint } };
}

function descriptionText({ arch, hash, parameters, macs, flops, depth, nodes }: Description): string {
  const numbers = [
    `parameters ${formatExact(parameters)}`,
    `MACs ${formatCount(macs)}`,
    `FLOPs ${formatCount(flops)}`,
    `depth ${depth}`,
  ];
  return [...broken(arch), `  ${numbers.join('   ')}`, `  hash ${hash}   nodes ${nodes}`].join('\n');
}

function exportCommand(): Command {
  const command = withForce(new Command('export'))
    .summary('an architecture as an ONNX network with random weights')
    .description('Writes an architecture as an ONNX network with random weights.')
    .argument('<space>', `name of a space, or ${OF_FILE}FILE`)
    .argument('<arch>', 'the architecture')
    .requiredOption('-o, --output <file>', 'where to write')
    .option('--seed <number>', 'seed of the weights', wholeNumber, 0)
    .option('--json', 'print JSON');
  return withSizes(command)
    .addHelpText(
      'after',
      `\nExample:\n  auspex space export nats-size 8:16:24:32:40 -o net.onnx\n\n${JSON_HELP}`,
    )
    .action((name: string, text: string, flags: ExportFlags) => {
      const { output, seed, force } = flags;
      const inputs = name.startsWith(OF_FILE) ? [name.slice(OF_FILE.length)] : [];
      checkOutputs({ outputs: [{ path: output, kind: 'network' }], inputs, force });
      const space = openSpace(name);
      const arch = space.parse(text);
      const model = space.network(arch, { ...sizes(flags), seed });
      const metadata = new Map([...(model.metadata ?? []), [ARCH_KEY, space.format(arch)]]);
      metadata.set('auspex.seed', String(seed));
      writeModel({ ...model, metadata }, output);
      const described = describeArchitecture(space, arch, sizes(flags));
      if (flags.json) print(jsonText('export', { space: space.name, ...described, seed, file: output }, 2));
      else print(`${descriptionText(described)}\n  written to ${output}, weights of seed ${seed}`);
    });
}

function withSizes(command: Command): Command {
  return command
    .option('--resolution <n>', 'side of the images, or number of tokens', positiveInteger)
    .option('--width <factor>', 'widths of hidden layers, times the paper’s', positiveNumber)
    .option('--classes <n>', 'classes, or size of the vocabulary', positiveInteger)
    .option('--batch <n>', 'images or texts at once', positiveInteger);
}

function sizes({ resolution, width, classes, batch }: SizeFlags): NetworkOptions {
  return {
    ...(resolution === undefined ? {} : { resolution }),
    ...(width === undefined ? {} : { width }),
    ...(classes === undefined ? {} : { classes }),
    ...(batch === undefined ? {} : { batch }),
  };
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 65_536) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 to 65536.');
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && value > 0 && value <= 64) return value;
  throw new InvalidArgumentError('It must be a number above 0, up to 64.');
}

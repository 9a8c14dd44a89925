// `auspex inspect`: what is in networks, and what running them costs.
import { Command, Option } from 'commander';
import type { SortKey } from '../analysis/inspect.js';
import { inspectDocumentOf } from '../app/documents/inspect.js';
import { type InspectedNetwork, inspectNetworks } from '../app/inspect.js';
import { openReferences } from '../app/resolve.js';
import { AuspexError } from '../util/errors.js';
import { print } from './command.js';
import { type SizeFlags, sizesFrom, withSizes } from './size-options.js';
import { wrapLines } from './text/format.js';
import { inspectionText, sideBySide } from './text/inspect.js';

interface InspectFlags extends SizeFlags {
  nodes?: true;
  tree?: true;
  sort?: SortKey;
  space?: string;
  input?: string;
  json?: true;
}

const EXAMPLES = `
Examples:
  auspex inspect resnet50.onnx
  auspex inspect bert.onnx --dim batch=1 --dim sequence=128 --tree
  auspex inspect yolo.onnx --shape images=1x3x640x640 --nodes --sort memory
  auspex inspect a.onnx b.onnx models/
  auspex inspect net.onnx --json | jq .totals.macs

A MAC is one multiply-accumulate; FLOPs = 2 x MACs + all other arithmetic.
Parameters are trained weights; running statistics of BatchNormalization, shapes
and other constants do not count. Several networks are compared side by side;
with --json each is one line. See docs/json/inspect.md (JSON) and
docs/reference/operators.md (how each operator is counted).`;

export function inspectCommand(): Command {
  const command = new Command('inspect')
    .description(
      'Shows shapes, parameters, MACs, FLOPs and memory of networks, per operator,\nnode and block. Weights are not loaded.',
    )
    .argument('[networks...]', 'ONNX files, folders, patterns, or architectures of a space')
    .option('--nodes', 'list every node')
    .option('--tree', 'list blocks, from the hierarchy in node names')
    .addOption(new Option('--sort <key>', 'sort by, largest first').choices(['macs', 'parameters', 'memory']))
    .option('--input <file>', 'networks, one per line; - for standard input')
    .option('--space <name>', 'search space, where the architecture fits several')
    .option('--json', 'print JSON');
  return withSizes(command, 'batch size, if the model does not fix it')
    .addHelpText('after', EXAMPLES)
    .action(inspect);
}

async function inspect(refs: string[], flags: InspectFlags): Promise<void> {
  const { input, space, sort, json, nodes = false, tree = false } = flags;
  const networks = await openReferences(refs, { input, space, sizes: sizesFrom(flags) });
  const inspected = inspectNetworks(networks);
  if (networks.count === 1) {
    const { name: file, result } = inspected.next().value as InspectedNetwork;
    if (result instanceof AuspexError) throw result;
    print(
      json
        ? JSON.stringify(inspectDocumentOf(result, { file, sort, tree }), null, 2)
        : inspectionText(result, { file, sort, nodes, tree }),
    );
    return;
  }
  const compared: InspectedNetwork[] = [];
  for (const one of inspected) {
    const { name: file, result } = one;
    if (result instanceof AuspexError) {
      process.stderr.write(`${wrapLines(result.within({ file }).describe())}\n`);
      process.exitCode = 2;
    }
    if (json) print(JSON.stringify(lineOf(one, sort, tree)));
    else if (!(result instanceof AuspexError)) compared.push(one);
  }
  if (!json && compared.length > 0) print(sideBySide(compared, sort));
}

function lineOf({ name: file, result }: InspectedNetwork, sort: SortKey | undefined, tree: boolean): object {
  if (!(result instanceof AuspexError)) return inspectDocumentOf(result, { file, sort, tree });
  const { code, message, where, hint } = result;
  return { file, error: { code, message, where, hint } };
}

// `auspex inspect`: what is in an ONNX file, and what running it costs.
import { Command, Option } from 'commander';
import { inspect, type SortKey } from '../analysis/inspect.js';
import { readModel } from '../onnx/file.js';
import { AuspexError } from '../util/errors.js';
import { inspectionJson } from './inspect-json.js';
import { inspectionText } from './inspect-text.js';
import { parseDimension, parseShape } from './size-options.js';

type Shapes = Record<string, (number | string)[]>;
type Dimensions = Record<string, number>;

interface Flags {
  shape?: Shapes;
  dim?: Dimensions;
  nodes?: true;
  tree?: true;
  sort?: SortKey;
  json?: true;
}

const EXAMPLES = `
Examples:
  auspex inspect resnet50.onnx
  auspex inspect bert.onnx --dim batch=1 --dim sequence=128 --tree
  auspex inspect yolo.onnx --shape images=1x3x640x640 --nodes --sort memory
  auspex inspect net.onnx --json | jq .totals.macs

A MAC is one multiply-accumulate; FLOPs = 2 x MACs + all other arithmetic.
Parameters are what is trained: neither BatchNormalization's running
statistics nor shapes and other constants. The JSON is described in
docs/inspect-json.md, the count of every operator in docs/operators.md.`;

export function inspectCommand(): Command {
  return new Command('inspect')
    .summary('shapes, parameters, MACs, FLOPs and memory of an ONNX model')
    .description(
      'Shapes, parameters, MACs, FLOPs and memory of an ONNX model, per operator,\nper node and per block. Weights are not loaded.',
    )
    .argument('<model>', 'path of an .onnx file')
    .option('--shape <input=dims>', 'fix the shape of an input: x=1x3x224x224 (repeatable)', parseShape)
    .option('--dim <name=size>', 'fix a symbolic dimension: batch=8 (repeatable)', parseDimension)
    .option('--nodes', 'list every node')
    .option('--tree', 'list the blocks that the names of the nodes tell')
    .addOption(new Option('--sort <key>', 'largest first').choices(['macs', 'parameters', 'memory']))
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((file: string, flags: Flags) => {
      const model = readModel(file);
      const result = withFile(file, () =>
        inspect(model, { shapes: flags.shape ?? {}, dims: flags.dim ?? {} }),
      );
      const text = flags.json
        ? JSON.stringify(
            inspectionJson(model, result, { file, sort: flags.sort, tree: flags.tree ?? false }),
            null,
            2,
          )
        : inspectionText(model, result, {
            file,
            sort: flags.sort,
            nodes: flags.nodes ?? false,
            tree: flags.tree ?? false,
          });
      process.stdout.write(`${text}\n`);
    });
}

function withFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file }) : error;
  }
}

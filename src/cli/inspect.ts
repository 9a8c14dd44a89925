// `auspex inspect`: what is in an ONNX file, and what running it costs.
import { Command, Option } from 'commander';
import { inspect, type SortKey } from '../analysis/inspect.js';
import { readModel } from '../onnx/file.js';
import { AuspexError } from '../util/errors.js';
import { inspectionJson } from './inspect-json.js';
import { inspectionText } from './inspect-text.js';

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

/** `input=1x3x224x224` or `input=batch,3,224,224`; `input=` is a scalar. */
export function parseShape(text: string, shapes: Shapes | undefined): Shapes {
  const [name, dims] = splitAssignment(text, '--shape', 'input=1x3x224x224');
  const parts = /^\d+(x\d+)*$/.test(dims) ? dims.split('x') : dims === '' ? [] : dims.split(',');
  return {
    ...shapes,
    [name]: parts.map((part) => {
      const trimmed = part.trim();
      if (/^\d+$/.test(trimmed)) return size(trimmed, `--shape ${text}`);
      if (/^[A-Za-z_][\w.]*$/.test(trimmed)) return trimmed;
      throw new AuspexError('BAD_SHAPE', `'${part}' in --shape ${text} is neither a size nor a name`, {
        hint: 'write sizes with x between them, as in --shape input=1x3x224x224',
      });
    }),
  };
}

export function parseDimension(text: string, dims: Dimensions | undefined): Dimensions {
  const [name, value] = splitAssignment(text, '--dim', 'batch=8');
  if (!/^\d+$/.test(value)) {
    throw new AuspexError('BAD_DIM', `'${value}' in --dim ${text} is not a whole number`, {
      hint: 'write it as in --dim batch=8',
    });
  }
  return { ...dims, [name]: size(value, `--dim ${text}`) };
}

function size(digits: string, where: string): number {
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  throw new AuspexError('BAD_DIM', `${digits} in ${where} is too large for a size`);
}

/** At the last `=`: names of inputs may contain one. */
function splitAssignment(text: string, flag: string, example: string): [name: string, value: string] {
  const at = text.lastIndexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new AuspexError('BAD_OPTION', `${flag} ${text} has no '='`, {
    hint: `write it as in ${flag} ${example}`,
  });
}

// `auspex convert`: the same network in another form.
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Converted, convert } from '../app/convert/convert.js';
import { convertDocumentOf } from '../app/documents/convert.js';
import { AuspexError } from '../util/errors.js';
import { print, withForce } from './command.js';
import { atLeastOne, parseDimension, parseShape } from './size-options.js';
import { conversionText } from './text/convert.js';

interface ConvertFlags {
  output?: string;
  opset?: number;
  batch?: number | 'dynamic';
  shape?: Record<string, (number | string)[]>;
  dim?: Record<string, number>;
  float?: true | 'rounded' | 'plain';
  fp16?: true;
  cut?: true;
  simplify?: true;
  externalData?: true;
  verify: boolean;
  dryRun?: true;
  force?: true;
  json?: true;
}

const EXAMPLES = `
Examples:
  auspex convert net.onnx -o new.onnx --opset 21
  auspex convert net.onnx -o old.onnx --opset 13
  auspex convert net.onnx --opset 17 --dry-run
  auspex convert net.onnx -o any.onnx --batch dynamic --simplify
  auspex convert int8.onnx -o float.onnx --float
  auspex convert large.onnx -o split.onnx --external-data

Both files are run in ONNX Runtime on random inputs. If outputs differ by more
than rounding, the command fails and nothing is written.
See docs/guides/convert.md and docs/json/convert.md (JSON).`;

export function convertCommand(): Command {
  const command = new Command('convert')
    .description(
      'Converts a network to another opset, batch, size or type, or simplifies it, and\nverifies the result by running both files in ONNX Runtime.',
    )
    .argument('<network>', 'an ONNX file')
    .option('-o, --output <file>', 'ONNX file to write')
    .option('--opset <version>', 'target opset; lowering is possible down to 13', opset)
    .option('--batch <n>', "samples at once, or 'dynamic' for any number", batch)
    .option('--dim <name=size>', 'fix a symbolic dimension: seq=128 (repeatable)', parseDimension)
    .option('--shape <input=dims>', 'fix the shape of an input: x=1x3x224x224 (repeatable)', parseShape)
    .addOption(
      new Option('--float [rounding]', 'quantised and float16 numbers as float32, rounded as before or plain')
        .choices(['rounded', 'plain'])
        .preset('rounded'),
    )
    .option('--fp16', 'compute in float16; inputs and outputs stay as they are')
    .option('--cut', 'keep the differentiable part: no pre- and post-processing')
    .option('--simplify', 'fold constants and remove nodes without effect')
    .option('--external-data', 'store weights in a file beside the model')
    .option('--no-verify', 'skip the verification')
    .option('--dry-run', 'print the changes and write nothing')
    .option('--json', 'print JSON');
  return withForce(command).addHelpText('after', EXAMPLES).action(run);
}

async function run(input: string, flags: ConvertFlags): Promise<void> {
  const {
    output,
    opset,
    batch,
    shape,
    dim,
    float,
    fp16,
    cut,
    simplify,
    externalData = false,
    verify,
    dryRun,
    force,
    json,
  } = flags;
  const sizes = shape || dim ? { ...(shape && { shapes: shape }), ...(dim && { dims: dim }) } : undefined;
  if (output === undefined && !dryRun) {
    throw new AuspexError('NO_OUTPUT', 'no output file was given', {
      hint: 'give -o FILE, or print only the changes with --dry-run',
    });
  }
  const converted: Converted = await convert({
    input,
    output: dryRun ? undefined : output,
    options: { opset, sizes, batch, float: float === true ? 'rounded' : float, fp16, cut, simplify },
    externalData,
    isVerified: verify,
    force,
  });
  print(json ? JSON.stringify(convertDocumentOf(converted), null, 2) : conversionText(converted));
}

function opset(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1) return value;
  throw new InvalidArgumentError('It must be a whole number, such as 17.');
}

function batch(text: string): number | 'dynamic' {
  return text === 'dynamic' ? text : atLeastOne(text);
}

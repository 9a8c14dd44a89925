// `auspex convert`: the same network in another form.
import { Command, InvalidArgumentError } from 'commander';
import { type Converted, convert } from '../app/convert/convert.js';
import { convertDocumentOf } from '../app/documents/convert.js';
import { AuspexError } from '../util/errors.js';
import { print, withForce } from './command.js';
import { conversionText } from './text/convert.js';

interface ConvertFlags {
  output?: string;
  opset?: number;
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
  auspex convert large.onnx -o split.onnx --external-data

Both files are run in ONNX Runtime on drawn inputs. Outputs that differ by more
than rounding are an error, and nothing is written. See docs/guides/convert.md
and docs/json/convert.md (JSON).`;

export function convertCommand(): Command {
  const command = new Command('convert')
    .summary('another opset or another layout of weights, verified by running both')
    .description(
      'Write a network in another form that computes the same, verified by\nrunning both files in ONNX Runtime.',
    )
    .argument('<network>', 'an ONNX file')
    .option('-o, --output <file>', 'ONNX file to write')
    .option('--opset <version>', 'version of the ONNX operators; 13 or more if it is lower', opset)
    .option('--external-data', 'put weights into a file beside the model')
    .option('--no-verify', 'do not run the files')
    .option('--dry-run', 'print the changes and write nothing')
    .option('--json', 'print JSON');
  return withForce(command).addHelpText('after', EXAMPLES).action(run);
}

async function run(input: string, flags: ConvertFlags): Promise<void> {
  const { output, opset, externalData = false, verify, dryRun, force, json } = flags;
  if (output === undefined && !dryRun) {
    throw new AuspexError('NO_OUTPUT', 'there is no file to write to', {
      hint: 'name one with -o, or print the changes only with --dry-run',
    });
  }
  const converted: Converted = await convert({
    input,
    output: dryRun ? undefined : output,
    options: { opset },
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

// `auspex predict`: cost, accuracy and latency of networks.
import { Command } from 'commander';
import { bundledEntries } from '../app/bundled.js';
import { predictListOf } from '../app/documents/predict.js';
import { predictInputs } from '../app/predict-request.js';
import { names, print, threadCount } from './command.js';
import { printAll } from './predict-output.js';
import { untilStopped } from './signals.js';
import { type SizeFlags, sizesFrom, withSizes } from './size-options.js';
import { bundledText } from './text/predict.js';

interface PredictFlags extends SizeFlags {
  input?: string;
  data?: string;
  space?: string;
  label?: string[];
  recipe?: string;
  known?: string;
  device?: string[];
  db?: string;
  cost?: true;
  list?: true;
  threads?: number;
  json?: true;
}

export function predictCommand(): Command {
  return withSizes(
    new Command('predict')
      .description(
        `Predicts accuracy and latency of networks, with prediction intervals, beside
their cost. Networks are ONNX files, folders of ONNX files, or architectures of
a search space. If no predictor is given, the bundled ones are used.`,
      )
      .argument('[inputs...]', '[predictor.onnx] followed by architectures or ONNX files')
      .option('--input <file>', 'networks, one per line; - for standard input')
      .option('--data <file>', 'predict the networks of a table')
      .option('--space <name>', 'search space, where the architecture fits several')
      .option('--label <names>', 'labels to predict: a,b (default: all)', names)
      .option('--recipe <name>', 'how it will be trained: in1k, distilled, in22k …; all')
      .option('--known <table>', 'published accuracies of known networks (CSV of timm)')
      .option('--device <names>', 'latency on these devices only: a,my.device.json', names)
      .option('--db <file>', 'where measurements are looked up (AUSPEX_DB)')
      .option('--cost', 'with --input or --data: also count parameters and MACs')
      .option('--list', 'list the bundled predictors, their labels and spaces')
      .option('--threads <n>', 'number of threads (default: all)', threadCount)
      .option('--json', 'print JSON, one document per network'),
  )
    .addHelpText(
      'after',
      `
Examples:
  auspex predict net.onnx
  auspex predict a.onnx b.onnx c.onnx --recipe distilled
  auspex predict \\
    "|nor_conv_3x3~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|none~2|"
  auspex predict models/ nasbench201:"|none~0|+…" --json
  auspex space sample nasbench201 -n 1000 | auspex predict p.onnx --input -
  auspex predict net.onnx --device i7-12700h,rtx4090
  auspex predict --list

auspex device list shows the devices. A network that was measured on a device
is answered from the database.
Several networks are printed as one table, best first; a pipe gets tab-separated
values with a header. A network that cannot be read is reported, the others are
predicted, and the exit code is 2.
See docs/guides/accuracy.md (what it means), docs/json/predict.md (JSON)
and docs/reference/predictors.md (methods).`,
    )
    .action(predict);
}

async function predict(inputs: string[], flags: PredictFlags): Promise<void> {
  if (flags.list) {
    const entries = bundledEntries();
    print(flags.json ? JSON.stringify(predictListOf(entries), null, 2) : bundledText(entries));
    return;
  }
  await predictInputs(inputs, { ...flags, sizes: sizesFrom(flags) }, (found, named) =>
    untilStopped((signal) => printAll(found(signal), flags, named)),
  );
}

// `auspex predict`: cost, accuracy and latency of networks.
import { Command } from 'commander';
import { BundledPredictors, bundledEntries } from '../app/bundled.js';
import { askedDevices, NO_PREDICTORS, usualDevices } from '../app/device/asked.js';
import { predictListOf } from '../app/documents/predict.js';
import { familyOf } from '../app/families.js';
import { readKnown } from '../app/known-table.js';
import {
  expectLabels,
  expectRecipe,
  labelNames,
  type NamedNetwork,
  type NamedPredictor,
  predictNetworks,
  recipeNames,
} from '../app/predict.js';
import { sortedInputs } from '../app/predict-inputs.js';
import type { OpenedReferences } from '../app/resolve.js';
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
  const { devices, close } = await askedDevices(flags);
  const threads = flags.threads === undefined ? {} : { threads: flags.threads };
  const bundled = flags.device === undefined ? new BundledPredictors(threads) : NO_PREDICTORS;
  const { predictors, networks } = await sortedInputs(inputs, {
    ...threads,
    input: flags.input,
    table: flags.data,
    space: flags.space,
    sizes: sizesFrom(flags),
  });
  try {
    expectLabels(flags.label, predictors.length > 0 ? labelNames(predictors) : bundled.labels());
    expectRecipe(flags.recipe, predictors.length > 0 ? recipeNames(predictors) : bundled.recipes());
    const published = flags.known === undefined ? undefined : readKnown(flags.known);
    const isList = flags.input !== undefined || flags.data !== undefined;
    await untilStopped((signal) =>
      printAll(
        predictNetworks(named(networks), {
          predictors,
          bundled,
          devices:
            devices ?? (isPlainFile(flags, predictors, networks) ? usualDevices(networks.at(0)) : undefined),
          familyOf,
          ...(flags.label ? { labels: flags.label } : {}),
          recipe: flags.recipe,
          published,
          withCost: !isList || flags.cost === true,
          signal,
        }),
        flags,
        isList ? 'list' : networks.count === 1 ? 'one' : 'several',
      ),
    );
  } finally {
    await close();
    await bundled.dispose();
    for (const { predictor } of predictors) await predictor.dispose();
  }
}

/** One file, and nothing that says what is wanted of it. */
function isPlainFile(
  { label, input, data }: PredictFlags,
  predictors: readonly NamedPredictor[],
  networks: OpenedReferences,
): boolean {
  const isAsked = predictors.length > 0 || [label, input, data].some((flag) => flag !== undefined);
  return !isAsked && networks.count === 1 && networks.kinds().hasFiles;
}

function* named(networks: OpenedReferences): Generator<NamedNetwork> {
  for (let row = 0; row < networks.count; row++) {
    const line = networks.place(row)?.line ?? row + 1;
    yield { ref: networks.name(row), line, open: () => networks.at(row) };
  }
}

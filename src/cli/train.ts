// `auspex train`: trains a predictor on a table of networks with labels.
import { Command, Option } from 'commander';
import { trainDocumentOf } from '../app/documents/train.js';
import type { TrainRequest } from '../app/train/request.js';
import { trainPredictor } from '../app/train/train.js';
import type { LabelRequest } from '../datasets/label-options.js';
import { KINDS } from '../predictors/kinds/index.js';
import { print, wholeNumber, withForce } from './command.js';
import { labelRequests } from './data-options.js';
import { type ProgressLine, progressLine } from './progress.js';
import { untilStopped } from './signals.js';
import { formatExact, wrapLines } from './text/format.js';
import { progressNote, skippedText, trainedText } from './text/train.js';
import { LATENCY, trainDevice } from './train-latency.js';
import { changesOf, jsonObject, type StepFlags, withSteps, withTogether } from './train-options.js';

interface TrainFlags extends StepFlags, Omit<TrainRequest, 'kind' | 'labels' | 'changes' | keyof StepFlags> {
  label?: LabelRequest[];
  model?: Record<string, unknown>;
  scratch?: true;
}

export function trainCommand(): Command {
  const command = withForce(new Command('train'))
    .description(
      'Trains a predictor on a table of architectures or ONNX files with labels, and\nwrites it as one ONNX file.',
    )
    .argument('<predictor>', 'kind of predictor, see below')
    .requiredOption('--data <file>', 'the table')
    .option('--label <names>', 'columns to predict: acc, or lat:ms:lower:log,acc', labelRequests)
    .requiredOption('-o, --output <file>', 'the ONNX file to write')
    .option('--space <name>', 'search space of a plain CSV file; onnx if it lists ONNX files')
    .option('--arch <column>', 'column of a plain file with the architectures (arch)')
    .option('--train <n>', 'rows to train on (default: all that are not held out)', wholeNumber)
    .option(
      '--validation <n>',
      'rows to hold out for prediction intervals (a fifth, at most 200)',
      wholeNumber,
    )
    .option('--split <file>', 'use the rows of this split (from `auspex data split`)')
    .option('--unlabelled <table>', 'for accuracy-model: networks without labels (default: rows not drawn)')
    .option('--io <file>', 'for io-model: output features of networks (from `auspex data io`)')
    .option('--images <folder>', 'with --io: the images that they are of')
    .option('--skip-bad', 'skip invalid rows and list them')
    .addOption(
      new Option('--scale <scale>', 'train on labels or on their logarithms').choices(['linear', 'log']),
    )
    .option('--from <file>', 'start from a trained predictor: a new label from few rows')
    .option('--model <json>', 'model options, as {"width":160,"layers":12}', jsonObject)
    .option('--scratch', 'start from random weights (no pretraining)')
    .option('--curves <file>', 'write loss and validation score per step as JSON');
  return withSteps(withTogether(command), 'random seed for the split, weights and row order')
    .addHelpText('after', help)
    .action(train);
}

/** Kinds may be registered after the command is made. */
function help(): string {
  const width = Math.max(...[...KINDS.keys()].map((name) => name.length));
  const kinds = [...KINDS].map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `
Predictors:
${kinds.join('\n')}
  ${LATENCY.padEnd(width)}  latency on a device, from 5 or more measured networks

Examples:
  auspex train nn-former --data nasbench201.csv.gz --label cifar10_valid \\
    --train 156 --seed 0 -o accuracy.onnx
  auspex train nnlp-network --data files.csv --space onnx --arch path \\
    --label latency_ms -o mine.onnx
  auspex train nn-former --data mine.csv --space nasbench201 --label board_ms \\
    --train 50 --from latency.onnx -o board.onnx
  auspex train latency --data measured.csv --from bundled -o board.device.json

Unit, direction and scale of a label are inferred from its name (ms, latency,
accuracy, loss …); --label NAME:lower:log overrides them. Embeddings (arch2vec,
io-model, contrastive) are learned from the networks alone, without --label.
An interrupted training leaves checkpoints beside its output; --resume with the
same options continues it and gives the same result.
See docs/json/predict.md (JSON) and docs/reference/predictors.md (methods).`;
}

async function train(kind: string, flags: TrainFlags): Promise<void> {
  if (kind === LATENCY) return trainDevice(flags);
  let line: ProgressLine | undefined;
  try {
    const trained = await untilStopped((signal) =>
      trainPredictor(requestOf(kind, flags), {
        signal,
        onNotes: (notes, rows) => {
          for (const note of notes) process.stderr.write(`${wrapLines(note)}\n`);
          line = progressLine(`Training on ${formatExact(rows)} rows`);
        },
        onTraining: (progress, members) => line?.report(progress.part, progressNote(progress, members)),
      }),
    );
    line?.end();
    if (trained.skipped.length > 0) process.stderr.write(`${skippedText(trained.skipped)}\n`);
    print(flags.json ? JSON.stringify(trainDocumentOf(trained), null, 2) : trainedText(trained));
    await trained.predictor.dispose();
  } finally {
    line?.end();
  }
}

function requestOf(kind: string, flags: TrainFlags): TrainRequest {
  const { label: labels = [], steps, members, batch, rate, model, scratch, json: _, ...rest } = flags;
  return {
    ...rest,
    kind,
    labels,
    changes: {
      ...changesOf(flags),
      ...(model ? { model } : {}),
      ...(scratch ? { isFromScratch: true } : {}),
    },
  };
}

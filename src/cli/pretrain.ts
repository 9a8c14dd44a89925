// `auspex pretrain`: a predictor trained without labels, to start from.
import { Command, InvalidArgumentError } from 'commander';
import { pretrainableKinds, pretrainPredictor } from '../app/train/pretrain.js';
import type { PredictorKind } from '../predictors/kind.js';
import { PRETRAINING } from '../predictors/kinds/graph-kind.js';
import { kindNamed } from '../predictors/kinds/index.js';
import { print, wholeNumber, withForce } from './command.js';
import { duration, progressLine } from './progress.js';
import { untilStopped } from './signals.js';
import { formatExact } from './text/format.js';
import { changesOf, type StepFlags, withSteps } from './train-options.js';

interface PretrainFlags extends StepFlags {
  space: string;
  output: string;
  rows: number;
  steps: number;
  rate: number;
  force?: true;
}

export function pretrainCommand(): Command {
  const kinds = pretrainableKinds();
  const command = withForce(new Command('pretrain'))
    .description(
      `Pretrains a predictor on unlabelled architectures of a space: parameters, MACs,
depth, and the flow through cells of random operations. Training that starts
from it (auspex train --from) needs far fewer labels.`,
    )
    .argument('<predictor>', `one of ${kinds.join(', ')}`, kindOf)
    .requiredOption('--space <name>', 'search space with cells')
    .requiredOption('-o, --output <file>', 'the ONNX file to write')
    .option('--rows <n>', 'number of architectures to draw', wholeNumber, PRETRAINING.rows);
  return withSteps(command, 'random seed', PRETRAINING)
    .addHelpText(
      'after',
      `
Example:
  auspex pretrain nn-former --space darts --steps 6000 -o darts.onnx
  auspex train nn-former --data darts.csv --label accuracy --from darts.onnx \\
    -o accuracy.onnx

The JSON is described in docs/json/predict.md.`,
    )
    .action(pretrain);
}

function kindOf(text: string): PredictorKind {
  const kinds = pretrainableKinds();
  if (kinds.includes(text)) return kindNamed(text);
  throw new InvalidArgumentError(`It must be one of ${kinds.join(', ')}.`);
}

async function pretrain(kind: PredictorKind, flags: PretrainFlags): Promise<void> {
  const { space, output, rows, steps, rate, seed, threads, resume, force } = flags;
  const changes = { ...changesOf(flags), steps, rate };
  const request = { kind, space, output, rows, changes, seed, threads, resume, force };
  const line = progressLine(`Pretraining for ${space}`);
  try {
    const { predictor, seconds } = await untilStopped((signal) =>
      pretrainPredictor(request, {
        signal,
        onTraining: ({ part, loss }) => line.report(part, `loss ${loss?.toPrecision(3) ?? '–'}`),
      }),
    );
    line.end();
    const labels = predictor.info.labels.map(({ name }) => name);
    const document = {
      schema: 'auspex.pretrain/1',
      output,
      kind: kind.name,
      space,
      rows,
      steps,
      seed,
      seconds,
      labels,
    };
    print(
      flags.json
        ? JSON.stringify(document, null, 2)
        : `${output}: ${kind.title} for ${space}\n  ${formatExact(rows)} architectures, ${labels.length} free labels, ${formatExact(steps)} steps, seed ${seed}, ${duration(seconds)}`,
    );
    await predictor.dispose();
  } finally {
    line.end();
  }
}

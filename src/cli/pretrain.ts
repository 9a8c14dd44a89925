// `auspex pretrain`: what a predictor can learn of a space without any label.
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { CELL_MODELS, type CellModelName, PRETRAINING } from '../predictors/cell-models.js';
import { pretrainCells } from '../predictors/cell-predictor.js';
import { fingerprintOf, recipeSettings } from '../store/fingerprint.js';
import { checkOutputs } from '../store/outputs.js';
import { TrainingCheckpoints } from '../store/training-checkpoints.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { positive, print, wholeNumber, withForce } from './command.js';
import { formatExact } from './format.js';
import { duration, progressLine } from './progress.js';
import { untilStopped } from './signals.js';

interface PretrainFlags {
  space: string;
  output: string;
  rows: number;
  steps: number;
  rate: number;
  batch?: number;
  members?: number;
  seed: number;
  threads: number;
  resume?: true;
  force?: true;
  json?: true;
}

export function pretrainCommand(): Command {
  return withForce(new Command('pretrain'))
    .summary('learn what a space is like, before any label')
    .description(
      `Learns what can be told of a space's architectures for nothing: parameters,
MACs, depth, and what flows through them when operations are random. Training
that begins with it (auspex train --from) needs far fewer labels.`,
    )
    .argument('<predictor>', `one of ${Object.keys(CELL_MODELS).join(', ')}`, kindOf)
    .requiredOption('--space <name>', 'the space, which must have cells')
    .requiredOption('-o, --output <file>', 'the ONNX file to write')
    .option('--rows <n>', 'architectures to draw', wholeNumber, PRETRAINING.rows)
    .option('--steps <n>', 'steps of the optimiser', wholeNumber, PRETRAINING.steps)
    .option('--rate <number>', 'learning rate', positive, PRETRAINING.rate)
    .option('--batch <n>', 'rows of a step', wholeNumber)
    .option('--members <n>', 'how many are trained', wholeNumber)
    .option('--seed <n>', 'seed of architectures, weights and order', wholeNumber, 0)
    .option('--threads <n>', 'threads', wholeNumber, Math.min(availableParallelism(), 8))
    .option('--resume', 'go on from the checkpoints of one that was stopped')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Example:
  auspex pretrain nn-former --space darts --steps 6000 -o darts.onnx
  auspex train nn-former --data darts.csv --label accuracy --from darts.onnx \\
    -o accuracy.onnx

The JSON is described in docs/predict-json.md.`,
    )
    .action(pretrain);
}

function kindOf(text: string): CellModelName {
  if (Object.hasOwn(CELL_MODELS, text)) return text as CellModelName;
  throw new InvalidArgumentError(`It must be one of ${Object.keys(CELL_MODELS).join(', ')}.`);
}

async function pretrain(kind: CellModelName, flags: PretrainFlags): Promise<void> {
  const { space, output, rows, steps, rate, batch, members, seed, threads } = flags;
  checkOutputs({ outputs: [{ path: output, kind: 'predictor' }], inputs: [], force: flags.force });
  const recipe = {
    ...CELL_MODELS[kind].recipe(rows, 'linear'),
    ...(batch === undefined ? {} : { batch }),
    ...(members === undefined ? {} : { members }),
  };
  const checkpoints = TrainingCheckpoints.open(output, flags);
  const line = progressLine(`Pretraining for ${space}`);
  const start = performance.now();
  try {
    checkpoints.expect(
      fingerprintOf({
        ...recipeSettings(kind, { ...recipe, steps, rate }),
        '--space': space,
        '--rows': rows,
        '--seed': seed,
      }),
    );
    const predictor = await untilStopped((signal) =>
      pretrainCells(
        space,
        { rows, steps, rate },
        {
          kind,
          seed,
          threads,
          recipe,
          checkpoint: (name) => checkpoints.store(name),
          onProgress: ({ part, loss }) => line.report(part, `loss ${loss.toPrecision(3)}`),
          signal,
        },
      ),
    );
    line.end();
    await writeOutput(output, predictor.toOnnx());
    checkpoints.remove();
    const seconds = (performance.now() - start) / 1000;
    const labels = predictor.info.labels.map(({ name }) => name);
    print(
      flags.json
        ? JSON.stringify(
            { schema: 'auspex.pretrain/1', output, kind, space, rows, steps, seed, seconds, labels },
            null,
            2,
          )
        : `${output}: ${CELL_MODELS[kind].title} for ${space}\n  ${formatExact(rows)} architectures, ${labels.length} free labels, ${formatExact(steps)} steps, seed ${seed}, ${duration(seconds)}`,
    );
    await predictor.dispose();
  } catch (error) {
    throw error instanceof AuspexError && error.code === 'TRAINING_STOPPED' ? checkpoints.stopped() : error;
  } finally {
    line.end();
    checkpoints.close();
  }
}

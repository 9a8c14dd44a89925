// `auspex pretrain`: what a predictor can learn of a space without any label.
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { drawnNetworks, PRETRAINING } from '../predictors/kinds/graph-kind.js';
import { KINDS, type PredictorKind } from '../predictors/kinds/index.js';
import { spaceNamed } from '../spaces/index.js';
import { checkpointFile } from '../store/checkpoint-file.js';
import { writeBeside } from '../store/table-file.js';
import { checkpointPath, removeCheckpoints, requireFresh } from './checkpoints.js';
import { positive, print, wholeNumber } from './command.js';
import { formatExact } from './format.js';
import { duration, progressLine, untilStopped } from './progress.js';

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
  json?: true;
}

export function pretrainCommand(): Command {
  return new Command('pretrain')
    .summary('learn what a space is like, before any label')
    .description(
      `Learns what can be told of a space's architectures for nothing: parameters,
MACs, depth, and what flows through them when operations are random. Training
that begins with it (auspex train --from) needs far fewer labels.`,
    )
    .argument('<predictor>', `one of ${PRETRAINED.join(', ')}`, kindOf)
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

/** Kinds that can learn without labels. */
const PRETRAINED = [...KINDS.values()].flatMap(({ name, pretrain: can }) => (can ? [name] : []));

function kindOf(text: string): PredictorKind {
  if (PRETRAINED.includes(text)) return KINDS.get(text)!;
  throw new InvalidArgumentError(`It must be one of ${PRETRAINED.join(', ')}.`);
}

async function pretrain(kind: PredictorKind, flags: PretrainFlags): Promise<void> {
  const { space, output, rows, steps, rate, batch, members, seed, threads } = flags;
  if (!flags.resume) requireFresh(output);
  const line = progressLine(`Pretraining for ${space}`);
  const start = performance.now();
  try {
    const { predictor } = await untilStopped((signal) =>
      kind.pretrain!(
        drawnNetworks(spaceNamed(space), rows, seed),
        {
          steps,
          rate,
          ...(batch === undefined ? {} : { batch }),
          ...(members === undefined ? {} : { members }),
        },
        {
          seed,
          threads,
          checkpoint: (name) => checkpointFile(checkpointPath(output, name)),
          onProgress: ({ part, loss }) => line.report(part, `loss ${loss?.toPrecision(3) ?? '–'}`),
          signal,
        },
      ),
    );
    line.end();
    await writeBeside(output, [predictor.toOnnx()]);
    removeCheckpoints(output);
    const seconds = (performance.now() - start) / 1000;
    const labels = predictor.info.labels.map(({ name }) => name);
    print(
      flags.json
        ? JSON.stringify(
            {
              schema: 'auspex.pretrain/1',
              output,
              kind: kind.name,
              space,
              rows,
              steps,
              seed,
              seconds,
              labels,
            },
            null,
            2,
          )
        : `${output}: ${kind.title} for ${space}\n  ${formatExact(rows)} architectures, ${labels.length} free labels, ${formatExact(steps)} steps, seed ${seed}, ${duration(seconds)}`,
    );
    await predictor.dispose();
  } catch (error) {
    line.end();
    throw error;
  }
}

// `auspex train`: a predictor from a table of architectures with labels.
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { randomSplit } from '../datasets/splits.js';
import { ONNX, Resolver } from '../networks/resolver.js';
import { readModel } from '../onnx/file.js';
import type { ErrorScale } from '../predictors/conformal.js';
import {
  hasSizes,
  KINDS,
  kindNamed,
  type PredictorKind,
  type RecipeChanges,
} from '../predictors/kinds/index.js';
import { labelledRows } from '../predictors/labelled-rows.js';
import type { LabelInfo, Predictor, PredictorInfo } from '../predictors/predictor.js';
import type { TrainedMember, TrainingProgress } from '../predictors/train.js';
import { spaceNamed } from '../spaces/index.js';
import { checkpointFile } from '../store/checkpoint-file.js';
import { readTableFile, writeBeside } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';
import { checkpointPath, removeCheckpoints, requireFresh } from './checkpoints.js';
import { positive, print, wholeNumber } from './command.js';
import { names } from './data-options.js';
import { formatExact, table } from './format.js';
import { loadPredictor, shippedTrunk } from './predictors.js';
import { duration, progressLine, untilStopped } from './progress.js';

interface TrainFlags {
  data: string;
  space?: string;
  arch?: string;
  label: string[];
  output: string;
  train?: number;
  validation: number;
  seed: number;
  scale?: 'linear' | 'log';
  from?: string;
  steps?: number;
  members?: number;
  batch?: number;
  rate?: number;
  model?: Record<string, unknown>;
  threads: number;
  curves?: string;
  scratch?: true;
  resume?: true;
  json?: true;
}

export const PREDICT_JSON_HELP =
  'The JSON is described in docs/predict-json.md, methods in docs/predictors.md.';

export function trainCommand(): Command {
  return new Command('train')
    .summary('train a predictor on a table of architectures')
    .description(
      `Trains a predictor on a table of architectures with labels, and writes it as
one ONNX file.`,
    )
    .argument('<predictor>', 'which predictor, see below')
    .requiredOption('--data <file>', 'the table')
    .requiredOption('--label <names>', 'what to predict: a column, or several as a,b,c', names)
    .requiredOption('-o, --output <file>', 'the ONNX file to write')
    .option('--space <name>', 'the space, where the file does not say')
    .option('--arch <column>', 'of a plain file: the column with the architectures')
    .option('--train <n>', 'rows to train on (all that are not held out)', wholeNumber)
    .option('--validation <n>', 'rows held out for intervals and to choose weights', wholeNumber, 200)
    .option('--seed <n>', 'seed of the split, the weights and the order of rows', wholeNumber, 0)
    .addOption(
      new Option('--scale <scale>', 'learn labels as they are or as logarithms').choices(['linear', 'log']),
    )
    .option('--from <file>', 'a predictor to begin with: a new label from few rows')
    .option('--members <n>', 'how many are trained, the prediction being their mean', wholeNumber)
    .option('--steps <n>', 'steps of the optimiser', wholeNumber)
    .option('--batch <n>', 'rows of a step', wholeNumber)
    .option('--rate <number>', 'learning rate', positive)
    .option('--model <json>', 'changes the model\'s options, as {"width":160,"layers":12}', jsonObject)
    .option('--threads <n>', 'threads', wholeNumber, Math.min(availableParallelism(), 8))
    .option('--curves <file>', 'write loss and validation over the steps, as JSON')
    .option('--scratch', 'learn nothing of the space before the labels')
    .option('--resume', 'go on from the checkpoints of a training that was stopped')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
${kindList()}

Examples:
  auspex train nn-former --data nasbench201.csv.gz --label cifar10_valid \\
    --train 156 --seed 0 -o accuracy.onnx
  auspex train nn-former --data latency.csv.gz --label pixel2,raspi4 \\
    --train 900 -o latency.onnx
  auspex train nn-former --data mine.csv --space nasbench201 --label board_ms \\
    --train 50 --validation 0 --from latency.onnx -o board.onnx

Labels for which lower is better are learned as logarithms unless told.
A training that is stopped leaves checkpoints beside its output; --resume with
the same options goes on from there, to the same result.
With --space onnx the architectures of a table are paths of ONNX files, from
the current folder; those are for predictors of whole networks or of features.
${PREDICT_JSON_HELP}`,
    )
    .action(train);
}

/** A predictor to begin with: the one that was named, or what comes with the package for a model of the same sizes. */
async function startOf(
  name: string,
  space: string,
  scale: ErrorScale,
  flags: TrainFlags,
): Promise<Predictor | undefined> {
  if (flags.from !== undefined) return loadPredictor(flags.from);
  if (scale === 'log' || flags.scratch) return undefined;
  const trunk = await shippedTrunk(name, space);
  if (trunk === undefined || hasSizes(trunk.info, flags.model)) return trunk;
  await trunk.dispose();
  return undefined;
}

async function train(name: string, flags: TrainFlags): Promise<void> {
  const { data, label, output, seed, validation, threads } = flags;
  const kind = kindNamed(name);
  expectApplicable(name, kind, flags);
  const source = await readTableFile(data, { plain: plainOf(flags) });
  const present = source.withPresent(label);
  const size = flags.train ?? present.rows - validation;
  const split = randomSplit(present.rows, { train: size, validation, seed });
  const scale = flags.scale ?? (label.every((each) => !source.label(each).higherIsBetter) ? 'log' : 'linear');
  const from = await startOf(name, source.space, scale, flags);
  const changes = changesOf(flags);
  const steps = kind.recipe?.(size, changes, from, scale);
  if (!flags.resume) requireFresh(output);
  const line = progressLine(`Training on ${formatExact(size)} rows`);
  const start = performance.now();
  const resolver = new Resolver({ open: readModel });
  const of = (rows: Uint32Array) => labelledRows(present, rows, label, { transform: scale, resolver });
  try {
    const { predictor, members, excluded } = await untilStopped((signal) =>
      kind.fit(
        {
          ...of(split.train),
          split: { seed, train: size, validation, of: present.rows },
          ...(validation > 0 ? { validation: of(split.validation) } : {}),
          ...(from ? { from } : {}),
        },
        changes,
        {
          seed,
          threads,
          checkpoint: (part) => checkpointFile(checkpointPath(output, part)),
          onProgress: (progress) => line.report(progress.part, note(progress, steps?.members ?? 1)),
          signal,
        },
      ),
    );
    line.end();
    const seconds = (performance.now() - start) / 1000;
    await writeBeside(output, [predictor.toOnnx()]);
    if (flags.curves !== undefined) await writeCurves(flags.curves, members);
    removeCheckpoints(output);
    const trained: Trained = {
      kind,
      predictor,
      members,
      excluded,
      seconds,
      output,
      steps: steps?.steps,
    };
    print(flags.json ? trainedJson(trained) : trainedText(trained));
    await predictor.dispose();
    await from?.dispose();
  } catch (error) {
    line.end();
    // Texts of a space that has no cells need not be looked at.
    if (error instanceof AuspexError && error.code === 'ARCH_TEXT') expectCells(kind, source.space);
    throw error;
  }
}

/** The predictors, one a line. */
function kindList(): string {
  const width = Math.max(...[...KINDS.keys()].map((name) => name.length));
  const lines = [...KINDS].map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return ['Predictors:', ...lines].join('\n');
}

/** Options of a training in steps. */
const OF_STEPS = ['from', 'members', 'steps', 'batch', 'rate', 'curves', 'resume'] as const;

function expectApplicable(name: string, kind: PredictorKind, flags: TrainFlags): void {
  const wrong = kind.recipe ? undefined : OF_STEPS.find((option) => flags[option] !== undefined);
  if (wrong === undefined) return;
  throw new AuspexError(
    'BAD_OPTION',
    `--${wrong} is for predictors that are trained in steps; ${name} is not`,
    {
      hint: 'leave it out',
    },
  );
}

/** Throws where a kind sees cells and a space has none. */
function expectCells({ title, views }: PredictorKind, space: string): void {
  if (!views.includes('cell') || space === ONNX || spaceNamed(space).cell) return;
  throw new AuspexError(
    'SPACE_WITHOUT_CELLS',
    `${title} predicts cells, and networks of ${spaceNamed(space).title} have none`,
    { hint: 'train a whole-network predictor: nn-former-network, nnlp-network, forest' },
  );
}

function changesOf({ steps, members, batch, rate, model, scratch }: TrainFlags): RecipeChanges {
  return {
    ...(scratch ? { isFromScratch: true } : {}),
    ...(steps === undefined ? {} : { steps }),
    ...(members === undefined ? {} : { members }),
    ...(batch === undefined ? {} : { batch }),
    ...(rate === undefined ? {} : { rate }),
    ...(model === undefined ? {} : { model }),
  };
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}

function plainOf({ space, arch = 'arch', label, data, scale }: TrainFlags) {
  if (space === undefined) return undefined;
  const labels = label.map((name) => ({
    name,
    unit: '',
    // A plain file does not say; what is learned as its logarithm is a latency or another cost.
    higherIsBetter: scale !== 'log',
    provenance: `from ${data}`,
  }));
  return { space, arch, labels };
}

function note({ loss, score, member = 0 }: TrainingProgress, members: number): string {
  if (loss === undefined) return '';
  const of = members > 1 ? `member ${member + 1} of ${members}, ` : '';
  const validated = score === undefined ? '' : `, validation ${score.toFixed(3)}`;
  return `${of}loss ${loss.toPrecision(3)}${validated}`;
}

async function writeCurves(path: string, members: readonly TrainedMember[]): Promise<void> {
  const text = JSON.stringify({
    schema: 'auspex.curves/1',
    members: members.map(({ curves, ended }) => ({ ended, ...curves })),
  });
  await writeBeside(path, [new TextEncoder().encode(`${text}\n`)]);
}

/** What came of a training. */
interface Trained {
  readonly kind: PredictorKind;
  readonly predictor: Predictor;
  readonly members: readonly TrainedMember[];
  /** Held-out rows that are networks of the training too. */
  readonly excluded: number;
  readonly seconds: number;
  readonly output: string;
  /** Of the optimiser, where there are any. */
  readonly steps: number | undefined;
}

/** The best validation of every member. */
function bestOf(members: readonly TrainedMember[]): (number | null)[] {
  return members.map(({ curves }) => {
    const scores = curves.validation.map(({ score }) => score);
    return scores.length === 0 ? null : Math.max(...scores);
  });
}

function trainedJson({ predictor, members, excluded, seconds, output }: Trained): string {
  const about = { schema: 'auspex.train/1', output, seconds, best: bestOf(members), excluded };
  return JSON.stringify({ ...about, ...infoDocument(predictor.info) }, null, 2);
}

/** What a predictor says of itself, in the words of docs/predict-json.md. */
function infoDocument({ version, kind, entries, labels, seen, recipe: all }: PredictorInfo): object {
  const { scales, ...recipe } = all as { scales?: unknown; steps?: number; model?: unknown };
  const { view, state } = entries[0]!;
  const { nodes, names } = state as { nodes?: number; names?: readonly string[] };
  return {
    version,
    kind,
    input: view === 'nnlqp' ? 'network' : view,
    ...(nodes === undefined ? {} : { nodes }),
    ...(names === undefined ? {} : { features: names }),
    space: seen.spaces.join(', '),
    labels: labels.map(({ transform, ...label }: LabelInfo) => ({ ...label, scale: transform })),
    rows: seen.rows,
    seed: seen.seed,
    ...(seen.split ? { split: seen.split } : {}),
    ...(recipe.steps === undefined ? { options: recipe.model } : { recipe, scales }),
  };
}

function trainedText(trained: Trained): string {
  const { kind, predictor, members, excluded, seconds, output, steps } = trained;
  const { info } = predictor;
  const best = bestOf(members).filter((score) => score !== null);
  const score = info.labels[0]!.transform === 'log' ? 'mean error of logarithms, scaled' : 'mean tau-b';
  const rows = info.labels.map(({ name, unit, transform, interval }) => {
    const widths = interval?.groups.map(({ halfWidth }) => halfWidth) ?? [];
    return [name, unit, transform, widths.length === 0 ? 'none' : widthText(widths, transform)];
  });
  const columns = [
    { title: 'label', flexible: 'start' as const },
    { title: 'unit' },
    { title: 'learned' },
    { title: '90% interval' },
  ];
  const work = steps === undefined ? '' : `${members.length} x ${formatExact(steps)} steps, `;
  return [
    `${output}: ${kind.title} for ${info.seen.spaces.join(', ')}`,
    `  ${formatExact(info.seen.rows)} rows, seed ${info.seen.seed}, ${work}${duration(seconds)}`,
    ...(best.length > 0
      ? [`  validation (${score}): ${best.map((b) => Math.abs(b).toFixed(4)).join(', ')}`]
      : []),
    ...(excluded > 0
      ? [`  intervals without ${formatExact(excluded)} held-out rows that were trained on, too`]
      : []),
    '',
    ...table(columns, rows, 2),
  ].join('\n');
}

function widthText(widths: readonly number[], scale: string): string {
  const text = (w: number): string =>
    scale === 'log' ? `x/÷ ${Math.exp(w).toFixed(3)}` : `± ${w.toPrecision(3)}`;
  const [least, most] = [Math.min(...widths), Math.max(...widths)];
  return least === most ? text(least) : `${text(least)} to ${text(most)}`;
}

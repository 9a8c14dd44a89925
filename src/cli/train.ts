// `auspex train`: a predictor from a table of architectures with labels.
import { existsSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { randomSplit } from '../datasets/splits.js';
import type { Table } from '../datasets/table.js';
import { CELL_MODELS, type CellModelName, type CellRecipe } from '../predictors/cell-models.js';
import { CellPredictor, fitCells, type LabelledRows } from '../predictors/cell-predictor.js';
import type { GraphProgress, TrainedMember } from '../predictors/fit-graphs.js';
import { checkpointFile } from '../store/checkpoint-file.js';
import { readTableFile, writeBeside } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';
import { print, wholeNumber } from './command.js';
import { names } from './data-options.js';
import { formatExact, table } from './format.js';
import { loadPredictor } from './predictors.js';
import { duration, progressLine, stopSignal } from './progress.js';

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
  resume?: true;
  json?: true;
}

export const PREDICT_JSON_HELP =
  'The JSON is described in docs/predict-json.md, the methods in docs/predictors.md.';

export function trainCommand(): Command {
  return new Command('train')
    .summary('train a predictor on a table of architectures')
    .description(
      `Trains a predictor on a table of architectures with labels, and writes it as
one ONNX file. Predictors: ${Object.keys(CELL_MODELS).join(', ')}.`,
    )
    .argument('<predictor>', 'which predictor', kindOf)
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
    .option('--resume', 'go on from the checkpoints of a training that was stopped')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
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
${PREDICT_JSON_HELP}`,
    )
    .action(train);
}

async function train(kind: CellModelName, flags: TrainFlags): Promise<void> {
  const { data, label, output, seed, validation, threads } = flags;
  const source = await readTableFile(data, { plain: plainOf(flags) });
  const present = source.withPresent(label);
  const size = flags.train ?? present.rows - validation;
  const split = randomSplit(present.rows, { train: size, validation, seed });
  const from = flags.from === undefined ? undefined : await startFrom(flags.from, kind);
  const scale = flags.scale ?? (label.every((name) => !source.label(name).higherIsBetter) ? 'log' : 'linear');
  const recipe = recipeOf(kind, size, flags, from);
  const checkpoints = Array.from({ length: recipe.members }, (_, i) => `${output}.member${i}.checkpoint`);
  if (!flags.resume && checkpoints.some((path) => existsSync(path))) {
    throw new AuspexError('CHECKPOINT_EXISTS', 'an earlier training of this file was stopped', {
      where: { file: checkpoints.find((path) => existsSync(path))! },
      hint: 'go on with --resume, or delete its checkpoints to begin anew',
    });
  }
  const line = progressLine(`Training on ${formatExact(size)} rows`);
  const start = performance.now();
  try {
    const { predictor, members } = await fitCells(labelled(present, split.train, label), {
      space: source.space,
      kind,
      recipe,
      scale,
      seed,
      threads,
      split: { seed, train: size, validation, of: present.rows },
      ...(validation > 0 ? { validation: labelled(present, split.validation, label) } : {}),
      ...(from ? { from } : {}),
      checkpoint: (member) => checkpointFile(checkpoints[member]!),
      onProgress: (progress) => line.report(progress.part, note(progress, recipe)),
      signal: stopSignal(),
    });
    line.end();
    const seconds = (performance.now() - start) / 1000;
    await writeBeside(output, [predictor.toOnnx()]);
    if (flags.curves !== undefined) await writeCurves(flags.curves, members);
    for (const path of checkpoints) rmSync(path, { force: true });
    print(
      flags.json
        ? trainedJson(predictor, members, seconds, output)
        : trainedText(predictor, members, seconds, output),
    );
    await predictor.dispose();
  } catch (error) {
    line.end();
    throw error;
  }
}

function kindOf(text: string): CellModelName {
  if (Object.hasOwn(CELL_MODELS, text)) return text as CellModelName;
  throw new InvalidArgumentError(`It must be one of ${Object.keys(CELL_MODELS).join(', ')}.`);
}

function positive(text: string): number {
  const value = Number(text);
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
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

function plainOf({ space, arch = 'arch', label, data }: TrainFlags) {
  if (space === undefined) return undefined;
  const labels = label.map((name) => ({ name, unit: '', higherIsBetter: true, provenance: `from ${data}` }));
  return { space, arch, labels };
}

async function startFrom(path: string, kind: CellModelName): Promise<CellPredictor> {
  const found = await loadPredictor(path);
  if (found instanceof CellPredictor && found.info.kind === kind) return found;
  throw new AuspexError('PREDICTOR_KIND', `${found.info.kind} cannot be trained further as ${kind}`, {
    where: { file: path },
  });
}

function recipeOf(kind: CellModelName, rows: number, flags: TrainFlags, from?: CellPredictor): CellRecipe {
  const base = CELL_MODELS[kind].recipe(rows);
  const options = from?.info.recipe.model ?? base.model;
  for (const name of Object.keys(flags.model ?? {})) {
    if (Object.hasOwn(options, name)) continue;
    throw new AuspexError('MODEL_OPTION', `${kind} has no option '${name}'`, {
      hint: `it has ${Object.keys(options).join(', ')}`,
    });
  }
  const { steps = base.steps, members = base.members, batch = base.batch, rate = base.rate } = flags;
  if (Math.min(steps, members, batch) < 1) {
    throw new AuspexError('BAD_OPTION', '--steps, --members and --batch must be at least 1');
  }
  return { ...base, steps, members, batch, rate, model: { ...options, ...flags.model } };
}

function labelled(table: Table, rows: Uint32Array, label: readonly string[]): LabelledRows {
  const part = table.take(rows);
  const columns = label.map((name) => part.column(name));
  const values = new Float64Array(part.rows * label.length);
  columns.forEach((column, i) => {
    column.forEach((y, row) => {
      values[row * label.length + i] = y;
    });
  });
  return {
    architectures: Array.from({ length: part.rows }, (_, row) => part.arch(row)),
    labels: { names: label, units: label.map((name) => table.label(name).unit), values },
  };
}

function note({ loss, score, member }: GraphProgress, { members }: CellRecipe): string {
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

function trainedJson(
  predictor: CellPredictor,
  members: readonly TrainedMember[],
  seconds: number,
  output: string,
): string {
  const { vocabulary: _, ...info } = predictor.info;
  const scores = members.map(({ curves }) => curves.validation.map(({ score }) => score));
  const best = scores.map((list) => (list.length === 0 ? null : Math.max(...list)));
  return JSON.stringify({ schema: 'auspex.train/1', output, seconds, best, ...info }, null, 2);
}

function trainedText(
  { info }: CellPredictor,
  members: readonly TrainedMember[],
  seconds: number,
  output: string,
): string {
  const best = members.flatMap(({ curves }) => {
    const scores = curves.validation.map(({ score }) => score);
    return scores.length === 0 ? [] : [Math.max(...scores)];
  });
  const score = info.labels[0]!.scale === 'log' ? 'mean error of logarithms, scaled' : 'mean tau-b';
  const rows = info.labels.map(({ name, unit, scale, interval }) => {
    const widths = interval?.groups.map(({ halfWidth }) => halfWidth) ?? [];
    return [name, unit, scale, widths.length === 0 ? 'none' : widthText(widths, scale)];
  });
  const columns = [
    { title: 'label', flexible: 'start' as const },
    { title: 'unit' },
    { title: 'learned' },
    { title: '90% interval' },
  ];
  const recipe = info.recipe;
  return [
    `${output}: ${CELL_MODELS[info.kind].title} for ${info.space}`,
    `  ${formatExact(info.rows)} rows, seed ${info.seed}, ${members.length} x ${formatExact(recipe.steps)} steps, ${duration(seconds)}`,
    ...(best.length > 0
      ? [`  validation (${score}): ${best.map((b) => Math.abs(b).toFixed(4)).join(', ')}`]
      : []),
    '',
    ...table(columns, rows, 2),
  ].join('\n');
}

function widthText(widths: readonly number[], scale: 'linear' | 'log'): string {
  const text = (w: number): string =>
    scale === 'log' ? `x/÷ ${Math.exp(w).toFixed(3)}` : `± ${w.toPrecision(3)}`;
  const [least, most] = [Math.min(...widths), Math.max(...widths)];
  return least === most ? text(least) : `${text(least)} to ${text(most)}`;
}

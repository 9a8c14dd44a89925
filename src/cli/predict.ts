// `auspex predict`: what a predictor says of architectures, beside what they cost.

import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { listOf } from '../networks/networks.js';
import { ONNX, Resolver } from '../networks/resolver.js';
import { readModel } from '../onnx/file.js';
import { INFO_KEY } from '../predictors/file.js';
import { type Prediction, predictionsOf } from '../predictors/predictions.js';
import type { LabelInfo, Predictor, PredictorInfo } from '../predictors/predictor.js';
import type { NetworkDescription } from '../spaces/describe.js';
import { spaceNamed } from '../spaces/index.js';
import { ARCH_KEY, SPACE_KEY } from '../spaces/network.js';
import { AuspexError } from '../util/errors.js';
import { print, wholeNumber } from './command.js';
import { names } from './data-options.js';
import { broken, formatCount, formatExact, table } from './format.js';
import { linesOf } from './lines.js';
import { loadPredictor, loadShipped, shippedPredictors } from './predictors.js';
import { PREDICT_JSON_HELP } from './train.js';

interface PredictFlags {
  input?: string;
  space?: string;
  label?: string[];
  cost?: true;
  threads?: number;
  json?: true;
}

/** An architecture that is asked for, and where it came from. */
interface Subject {
  readonly text: string;
  /** The space that a network's file names. */
  readonly space?: string;
  readonly file?: string;
}

/** Architectures of a file at once. */
const CHUNK = 4096;

export function predictCommand(): Command {
  return new Command('predict')
    .summary('accuracy or latency of architectures, with intervals')
    .description(
      `Predicts labels of architectures, with intervals. Architectures are texts of a
space, ONNX files that \`auspex space export\` wrote, or the lines of a file.
Without a predictor, those that come with auspex are asked.`,
    )
    .argument('[inputs...]', 'a predictor.onnx, if not one of ours, and architectures')
    .option('--input <file>', 'architectures, one a line; - is standard input')
    .option('--space <name>', 'the space of the architectures, where texts do not tell')
    .option('--label <names>', 'only these labels: a,b', names)
    .option('--cost', 'with --input: parameters and MACs too')
    .option('--threads <n>', 'threads (all)', wholeNumber)
    .option('--json', 'print JSON, with --input one line each')
    .addHelpText(
      'after',
      `
Examples:
  auspex predict \\
    "|nor_conv_3x3~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|none~2|"
  auspex predict p.onnx net.onnx --json
  auspex space sample nasbench201 -n 1000 | auspex predict p.onnx --input -

${PREDICT_JSON_HELP}`,
    )
    .action(predict);
}

async function predict(inputs: string[], flags: PredictFlags): Promise<void> {
  const { files, subjects } = sorted(inputs);
  if (subjects.length === 0 && flags.input === undefined) {
    throw new AuspexError('NOTHING_TO_PREDICT', 'no architecture was given', {
      hint: 'give texts of a space, an ONNX file, or --input FILE',
    });
  }
  const options = flags.threads === undefined ? {} : { threads: flags.threads };
  let predictors = await Promise.all(files.map((path) => loadPredictor(path, options)));
  const ours = async (first: Subject): Promise<Predictor[]> => {
    expectArchitecture(first);
    const space = flags.space ?? first.space ?? guessedSpace(first.text);
    const found = shippedPredictors().filter((p) => p.space === space);
    if (found.length > 0) return Promise.all(found.map((p) => loadShipped(p, options)));
    throw new AuspexError('NO_PREDICTOR', `auspex has no predictor of its own for ${space}`, {
      hint: 'train one with `auspex train`, and give its file first',
    });
  };
  if (subjects.length > 0) {
    if (predictors.length === 0) predictors = await ours(subjects[0]!);
    await answer(subjects, predictors, flags, true);
  }
  if (flags.input === undefined) return;
  let chunk: Subject[] = [];
  const flush = async (): Promise<void> => {
    if (chunk.length === 0) return;
    if (predictors.length === 0) predictors = await ours(chunk[0]!);
    await answer(chunk, predictors, flags, flags.cost === true);
    chunk = [];
  };
  for await (const line of linesOf(flags.input)) {
    if (line.trim() !== '') chunk.push({ text: line.trim() });
    if (chunk.length === CHUNK) await flush();
  }
  await flush();
}

/** Which of the arguments are predictors. */
function sorted(inputs: readonly string[]): { files: string[]; subjects: Subject[] } {
  const files: string[] = [];
  const subjects: Subject[] = [];
  for (const input of inputs) {
    if (!input.endsWith('.onnx') && !existsSync(input)) {
      subjects.push({ text: input });
      continue;
    }
    const { metadata } = readModel(input);
    if (metadata?.has(INFO_KEY)) {
      files.push(input);
      continue;
    }
    const [space, text] = [metadata?.get(SPACE_KEY), metadata?.get(ARCH_KEY)];
    const isKnown = space !== undefined && text !== undefined;
    subjects.push(isKnown ? { text, space, file: input } : { text: input, file: input });
  }
  return { files, subjects };
}

/** Throws for a network of which only its file is known, where an architecture of a space is needed. */
function expectArchitecture({ file, space }: Subject): void {
  if (file === undefined || space !== undefined) return;
  throw new AuspexError('NETWORK_WITHOUT_SPACE', 'the network does not say which architecture it is', {
    where: { file },
    hint: 'give a network that `auspex space export` wrote, or a predictor that was trained with --space onnx',
  });
}

/** The space, of those with predictors of ours, in whose language a text is. */
function guessedSpace(text: string): string {
  const spaces = [...new Set(shippedPredictors().map(({ space }) => space))];
  const fitting = spaces.filter((name) => {
    try {
      spaceNamed(name).parse(text);
      return true;
    } catch (error) {
      if (error instanceof AuspexError) return false;
      throw error;
    }
  });
  if (fitting.length === 1) return fitting[0]!;
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  throw fitting.length === 0
    ? new AuspexError('ARCH_TEXT', `'${shown}' is no architecture of ${spaces.join(', ')}`, {
        hint: '`auspex space list NAME` tells how they are written',
      })
    : new AuspexError('ARCH_AMBIGUOUS', `'${shown}' may be of ${fitting.join(' or ')}`, {
        hint: `say which with --space`,
      });
}

interface Answer {
  readonly label: LabelInfo;
  readonly prediction: Prediction;
}

async function answer(
  subjects: readonly Subject[],
  predictors: readonly Predictor[],
  flags: PredictFlags,
  isCosted: boolean,
): Promise<void> {
  const { spaces } = predictors[0]!.info.seen;
  const isFiles = spaces.includes(ONNX);
  const resolver = new Resolver({ open: readModel, isFile: existsSync });
  for (const { info } of predictors) expectSpace(info, flags.space);
  // A text that does not say so is taken to be of the space that the predictor knows.
  const space = flags.space ?? (isFiles || spaces.length !== 1 ? undefined : spaces[0]);
  const networks = subjects.map(({ file, text, space: own }) => {
    const named = own ?? space;
    return resolver.network(file ?? text, named === undefined || file !== undefined ? {} : { space: named });
  });
  const texts = networks.map(({ arch, ref }, i) =>
    isFiles || !arch ? ref : subjects[i]!.file ? arch.text : subjects[i]!.text,
  );
  const answers: Answer[][] = texts.map(() => []);
  const all = await Promise.all(predictors.map((p) => predictionsOf(p, listOf(networks))));
  for (const predictions of all) {
    const chosen = chosenLabels(predictions.labels, flags.label, predictors);
    answers.forEach((list, row) => {
      for (const place of chosen) {
        list.push({ label: predictions.labels[place]!, prediction: predictions.at(row, place) });
      }
    });
  }
  networks.forEach((network, row) => {
    const text = texts[row]!;
    const described = isCosted ? network.settled().counts() : undefined;
    const of = isFiles ? undefined : network.arch?.space;
    print(
      flags.json
        ? answerJson(text, of?.name ?? ONNX, answers[row]!, described, flags.input !== undefined)
        : isCosted
          ? `${row === 0 ? '' : '\n'}${answerText(text, of?.title ?? 'ONNX file', answers[row]!, described)}`
          : answerLine(text, answers[row]!),
    );
  });
}

/** Of cells only those of one space can be predicted. */
function expectSpace({ entries }: PredictorInfo, space: string | undefined): void {
  const { space: known } = entries[0]!.state as { space?: string | null };
  if (!known || space === undefined || known === space) return;
  throw new AuspexError('OTHER_SPACE', `the predictor is for ${known}, the architecture is of ${space}`, {
    hint: 'give a predictor of the same space',
  });
}

function chosenLabels(
  labels: readonly LabelInfo[],
  wanted: readonly string[] | undefined,
  predictors: readonly Predictor[],
): number[] {
  if (wanted === undefined) return labels.map((_, i) => i);
  const known = predictors.flatMap(({ info }) => info.labels.map(({ name }) => name));
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new AuspexError('LABEL_UNKNOWN', `no label '${unknown}' is predicted`, {
      hint: `there are ${known.join(', ')}`,
    });
  }
  return labels.flatMap(({ name }, i) => (wanted.includes(name) ? [i] : []));
}

function answerJson(
  arch: string,
  space: string,
  answers: readonly Answer[],
  described: NetworkDescription | undefined,
  isLine: boolean,
): string {
  const predictions = answers.map(({ label: { name, unit, interval }, prediction }) => ({
    label: name,
    unit,
    ...prediction,
    ...(interval ? { coverage: interval.coverage } : {}),
  }));
  const { parameters, macs, flops } = described ?? {};
  const cost = described ? { cost: { parameters, macs, flops } } : {};
  return JSON.stringify(
    { schema: 'auspex.predict/1', space, arch, predictions, ...cost },
    null,
    isLine ? undefined : 2,
  );
}

function answerText(
  arch: string,
  title: string,
  answers: readonly Answer[],
  described: NetworkDescription | undefined,
): string {
  const coverage = answers.find(({ label }) => label.interval)?.label.interval?.coverage;
  const rows = answers.map(({ label, prediction: { value, low, high } }) => [
    label.name,
    number(value),
    label.unit,
    low === undefined ? '' : `${number(low)} to ${number(high!)}`,
  ]);
  const columns = [
    { title: 'predicted', flexible: 'start' as const },
    { title: '', align: 'right' as const },
    { title: '' },
    { title: coverage === undefined ? '' : `${Math.round(coverage * 100)}% interval` },
  ];
  const cost = described
    ? [
        `  parameters ${formatExact(described.parameters)}   MACs ${formatCount(described.macs)}   FLOPs ${formatCount(described.flops)}`,
      ]
    : [];
  return [title, ...broken(arch, 2), ...cost, '', ...table(columns, rows, 2)].join('\n');
}

function answerLine(arch: string, answers: readonly Answer[]): string {
  const numbers = answers.map(({ prediction: { value, low, high } }) =>
    low === undefined ? number(value) : `${number(value)} [${number(low)}, ${number(high!)}]`,
  );
  return `${numbers.join('  ')}  ${arch}`;
}

function number(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toPrecision(4);
}

// Training predictors on tables in memory.
import * as z from 'zod';
import { EQUALITIES, type Equality } from '../app/arch-keys.js';
import { expectApplicable, expectCells, expectLabels, trunkFor } from '../app/train/applicable.js';
import { chooseRows, dataOf, withMeanings } from '../app/train/choose-rows.js';
import { type LabelRequest, parseLabel } from '../datasets/label-options.js';
import type { Split } from '../datasets/splits/splits.js';
import { Table } from '../datasets/table.js';
import type { ErrorScale } from '../predictors/intervals.js';
import type { Fitted, PredictorKind, RecipeChanges } from '../predictors/kind.js';
import { drawnNetworks, PRETRAINING } from '../predictors/kinds/graph-kind.js';
import { KINDS, kindNamed } from '../predictors/kinds/index.js';
import type { OnBad, Predictor } from '../predictors/predictor.js';
import type { Checkpoints, TrainingProgress } from '../predictors/train.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { here } from './environment.js';
import { callback, checkedOptions, count, expectText, given, having, signal, whole } from './options.js';
import { anySpace } from './spaces.js';

/** What all trainings take. */
interface RunOptions extends Pick<RecipeChanges, 'steps' | 'members' | 'batch' | 'rate' | 'model'> {
  /** Default 0. */
  readonly seed?: number;
  readonly threads?: number;
  /** Where checkpoints are kept, by name; `checkpointFile` of `auspex/files` keeps one in a file. */
  readonly checkpoint?: Checkpoints;
  readonly onProgress?: (progress: TrainingProgress) => void;
  readonly signal?: AbortSignal;
}

export interface TrainOptions extends RunOptions {
  /** Columns to predict: `accuracy`, `latency:ms:lower:log`. Default: all labels of the table; none for kinds that learn from networks alone. */
  readonly labels?: readonly (string | LabelRequest)[];
  /** Rows to train on; by default all that are not held out. */
  readonly train?: number;
  /** Rows to hold out for prediction intervals; a fifth by default, at most 200. */
  readonly validation?: number;
  /** A column whose rows of one value stay together. */
  readonly group?: string;
  /** What equal architectures are, which are never both trained on and held out: `text` (default) or `function`. */
  readonly equal?: Equality;
  /** Rows to train on and to hold out, as `split` gives them, in the place of `train` and `validation`. */
  readonly split?: Pick<Split, 'train' | 'validation'>;
  /** How labels are learned; by default as each label says. */
  readonly scale?: ErrorScale;
  /** A predictor of the same kind to start from. */
  readonly from?: Predictor;
  /** Starts from random weights, without pretraining. */
  readonly isFromScratch?: boolean;
  /** Rows that cannot be used are left out and given here; without it, the first one is thrown. */
  readonly onBad?: OnBad;
}

export interface TrainedPredictor extends Fitted {
  /** What was decided about labels and rows, a sentence each. */
  readonly notes: readonly string[];
}

const positive = z.number().positive();
const RUN = {
  steps: count.optional(),
  members: count.optional(),
  batch: count.optional(),
  rate: positive.optional(),
  model: z.record(z.string(), z.unknown()).optional(),
  seed: whole.optional(),
  threads: count.optional(),
  checkpoint: callback.optional(),
  onProgress: callback.optional(),
  signal: signal.optional(),
};

const TRAIN = {
  ...RUN,
  labels: z
    .array(z.union([z.string(), z.looseObject({ name: z.string() })]))
    .min(1)
    .optional(),
  train: count.optional(),
  validation: whole.optional(),
  group: z.string().optional(),
  equal: z.enum(EQUALITIES).optional(),
  split: z
    .looseObject({ train: z.instanceof(Uint32Array), validation: z.instanceof(Uint32Array) })
    .optional(),
  scale: z.enum(['linear', 'log']).optional(),
  from: having<Predictor>('a predictor', 'info', 'toOnnx').optional(),
  isFromScratch: z.boolean().optional(),
  onBad: callback.optional(),
};

/**
 * Trains a predictor on a table of networks with labels. Rows are held out for prediction intervals; equal architectures
 * are never both trained on and held out. `predictor.toOnnx()` is the file to keep.
 *
 * @param kind see `predictorKinds`
 * @throws AuspexError PREDICTOR_UNKNOWN, BAD_OPTION, MODEL_OPTION, LABEL_…, SPLIT_…, TRAINING_…
 * @example
 * const table = await readTable('cells.csv');
 * const { predictor } = await train('forest', table, { labels: ['accuracy'], train: 60, seed: 1 });
 * const [first] = await predict(table, { predictors: [predictor] });
 * first.labels.accuracy; // { value: …, low: …, high: …, … }
 * predictor.toOnnx() instanceof Uint8Array; // true
 */
export async function train(kind: string, data: Table, options?: TrainOptions): Promise<TrainedPredictor> {
  expectText('train', 'the name of a kind', kind);
  if (!(data instanceof Table))
    throw new AuspexError('BAD_OPTION', 'train takes a Table; readTable reads one');
  const found = kindNamed(kind);
  const usual = found.learns === 'networks' ? [] : data.labels.map(({ name }) => name);
  const { labels = usual, ...rest } = checkedOptions<TrainOptions>('train', TRAIN, options);
  const { steps, members, batch, rate, model, isFromScratch, from, seed = 0 } = rest;
  const changes: RecipeChanges = given({ steps, members, batch, rate, model, isFromScratch });
  expectLabels(found, labels);
  expectApplicable(found, { changes, from });
  expectOneChoice(rest);
  const requests = labels.map((label) => (typeof label === 'string' ? parseLabel(label) : label));
  const notes: string[] = [];
  const table = withMeanings(data, requests, notes);
  const { train: size, validation, group, equal, split, scale, onProgress, checkpoint, onBad } = rest;
  const request = {
    names: requests.map(({ name }) => name),
    train: size,
    validation,
    group,
    equal,
    split,
    scale,
    seed,
  };
  const rows = await chooseRows(table, request, here().equalRows, { signal: rest.signal }, notes);
  expectCells(found, table.space);
  const trunk = from ?? (await trunkFor(found, changes, rows, here().trunk));
  try {
    const run = { seed, threads: rest.threads ?? here().threads() };
    const more = given({ onProgress, checkpoint, onBad, signal: rest.signal });
    const fitted = await found.fit(dataOf(rows, here().resolver(), trunk), changes, { ...run, ...more });
    return { ...fitted, notes };
  } finally {
    if (trunk !== from) await trunk?.dispose();
  }
}

function expectOneChoice({ split, ...others }: TrainOptions): void {
  const other = (['train', 'validation', 'group', 'equal'] as const).find(
    (name) => others[name] !== undefined,
  );
  if (split === undefined || other === undefined) return;
  throw new AuspexError('BAD_OPTION', `split says which rows to train on; ${other} does too`, {
    hint: 'leave one of them out',
  });
}

export interface PretrainOptions extends RunOptions {
  /** Architectures to draw. Default 4000. */
  readonly rows?: number;
}

/**
 * Pretrains a predictor on unlabelled architectures of a search space. A training that starts from it (`from`) needs fewer
 * labels.
 *
 * @throws AuspexError PREDICTOR_UNKNOWN, BAD_OPTION, SPACE_UNKNOWN, TRAINING_…
 * @example
 * const start = await pretrain('nn-former', 'nasbench201', { rows: 40, steps: 2, model: { width: 32, layers: 1 } });
 * start.info.seen.spaces; // ['nasbench201']
 * await start.dispose();
 */
export async function pretrain(
  kind: string,
  space: string | AnySpace,
  options?: PretrainOptions,
): Promise<Predictor> {
  expectText('pretrain', 'the name of a kind', kind);
  const checked = checkedOptions<PretrainOptions>('pretrain', { ...RUN, rows: count.optional() }, options);
  const { rows = PRETRAINING.rows, steps = PRETRAINING.steps, rate = PRETRAINING.rate, seed = 0 } = checked;
  const { members, batch, model, threads = here().threads(), onProgress, checkpoint } = checked;
  const found = kindNamed(kind);
  if (found.pretrain === undefined) {
    throw new AuspexError('BAD_OPTION', `${found.title} cannot be pretrained`, {
      hint: `these can: ${predictorKinds()
        .flatMap(({ name, pretrain }) => (pretrain ? [name] : []))
        .join(', ')}`,
    });
  }
  const changes = { steps, rate, ...given({ members, batch, model }) };
  const run = { seed, threads, ...given({ onProgress, checkpoint, signal: checked.signal }) };
  return (await found.pretrain(drawnNetworks(anySpace(space), rows, seed), changes, run)).predictor;
}

/**
 * All kinds of predictors that can be trained, those of plugins last.
 *
 * @example
 * predictorKinds().map(({ name }) => name).slice(0, 2); // ['nn-former', 'nar-former-v2']
 */
export function predictorKinds(): readonly PredictorKind[] {
  return [...KINDS.values()];
}

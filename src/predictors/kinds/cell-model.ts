// What the Accuracy model and the IO model have in common (Kadlecová et al. 2023): options, a recipe, and training on labelled
// and unlabelled cells in turn. Both are arch2vec with a head.
import * as z from 'zod';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Batch, Weights } from '../../nn/trainer.js';
import type { Value } from '../../ops/build.js';
import { AuspexError } from '../../util/errors.js';
import { type EntryGraph, weightsWithin } from '../entries.js';
import {
  changedOptions,
  expectCounts,
  expectKind,
  type PredictorKind,
  type RecipeChanges,
  type StepsRecipe,
} from '../kind.js';
import { type Arch2vecOptions, cellsOf, encodeCells } from '../models/arch2vec.js';
import { cellLoss, flatLatent } from '../models/cell-heads.js';
import type { Predictor } from '../predictor.js';
import { type Examples, epochSizes, type SemiSupervisedTraining } from '../semi-supervised.js';
import { cellView } from '../views/cell.js';
import type { GraphSet } from '../views/view.js';
import { ARCH2VEC_OPTIONS } from './arch2vec.js';
import { width } from './options.js';

export const TARGET = 'target';
const BATCH = 32;
const RATE = 1e-3;
const CLIP_NORM = 5;

/** Options of arch2vec, and those of heads. */
export const CELL_MODEL_OPTIONS = {
  ...ARCH2VEC_OPTIONS,
  /** `mean` of the nodes' latents (model 1), or the narrow layer that heads read them through (`flat`, model 2). */
  embedding: z.enum(['mean', 'flat']).default('flat'),
  flat: width(16),
  headWidth: width(512),
};

export type CellModelOptions = Omit<Arch2vecOptions, 'operations'> & {
  readonly embedding: 'mean' | 'flat';
  readonly flat: number;
};

/** Epochs of the paper. */
const EPOCHS = 10;

/**
 * How it is trained: 10 passes over all batches, unless told.
 *
 * @throws AuspexError BAD_OPTION, MODEL_OPTION
 */
export function cellModelRecipe<O>(
  kind: Pick<PredictorKind<O>, 'name' | 'title' | 'options'>,
  { labelled, networks, unlabelled }: Readonly<Record<'labelled' | 'networks' | 'unlabelled', number>>,
  changes: RecipeChanges,
  from: Predictor | undefined,
): StepsRecipe & { readonly model: O } {
  const { batch = BATCH, rate = RATE, members = 1 } = changes;
  const sizes = epochSizes({
    labelled: { count: labelled },
    unlabelled: { count: unlabelled },
    networks,
    batch,
  });
  const { steps = EPOCHS * (sizes.labelled + sizes.unlabelled) } = changes;
  expectCounts({ steps, members, batch });
  if (members !== 1) {
    throw new AuspexError('BAD_OPTION', `the ${kind.title} has one member`, { hint: 'leave out --members' });
  }
  expectKind(kind.name, from);
  const base = from ? (from.info.recipe as unknown as { model: O }).model : kind.options.parse({});
  const model = changedOptions(kind, base, changes.model);
  if (from) expectShapes(kind, base, model);
  return { steps, batch, rate, members, model };
}

/** Refuses other sizes for weights that are there already. */
function expectShapes<O>({ title }: Pick<PredictorKind<O>, 'title'>, before: O, after: O): void {
  const [old, now] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const changed = SHAPES.find((name) => old[name] !== now[name]);
  if (changed === undefined) return;
  throw new AuspexError(
    'MODEL_OPTION',
    `the ${title} that is trained further has "${changed}": ${old[changed]}`,
    {
      hint: `leave out "${changed}" in --model, or --from`,
    },
  );
}

/** Options that decide how large weights are. */
const SHAPES = ['layers', 'width', 'latent', 'flat', 'headWidth', 'headLayers'];

/** What a predictor that is trained further begins with: its encoder and head, but for the outputs; the decoder begins anew. */
export function beginning(from: Predictor | undefined, outputs: string): { readonly weights?: Weights } {
  if (from === undefined) return {};
  const known = [...weightsWithin(from.model, '')].filter(
    ([name]) => /^(encoder|head)\./.test(name) && !name.startsWith(outputs),
  );
  return { weights: new Map(known) };
}

/** Labelled examples: which cells, and what else a batch has. */
export interface LabelledExamples {
  readonly count: number;
  /** Different networks among them. */
  readonly networks: number;
  /** Cells of examples, `target`, and other inputs of the head. */
  batch(rows: readonly number[]): Batch;
  /** (B, n, latent) → what is compared with the target. */
  head(s: Scope, latents: Value, inputs: Inputs): Value;
}

export function trainingOf(
  cells: GraphSet,
  labelled: LabelledExamples,
  options: Arch2vecOptions,
  { steps, batch, rate }: StepsRecipe,
): SemiSupervisedTraining {
  const predict = (s: Scope, given: Inputs): Value => encodeCells(s, cellsOf(given), options).mean;
  const all = cells.merged?.(batch) ?? cells;
  const unlabelled: Examples = {
    count: all.count,
    batch: (rows) => all.batch(rows),
    objective: { predict, loss: (s, given) => cellLoss(s, cellsOf(given), options) },
  };
  return {
    unlabelled,
    labelled: {
      count: labelled.count,
      batch: (rows) => labelled.batch(rows),
      objective: {
        predict,
        loss: (s, given) =>
          cellLoss(s, cellsOf(given), options, {
            predict: (scope, latents) => labelled.head(scope, latents, given),
            target: given[TARGET]!,
          }),
      },
    },
    networks: labelled.networks,
    steps,
    batch,
    rate,
    clipNorm: CLIP_NORM,
  };
}

/** The embedding of a cell. */
export function embeddingEntry(
  state: Parameters<typeof cellView.inputs>[0],
  options: Arch2vecOptions,
  { embedding, flat }: CellModelOptions,
): EntryGraph {
  return {
    gives: 'latent',
    inputs: cellView.inputs(state),
    write: (s, given) => {
      const { mean } = encodeCells(s, cellsOf(given), options);
      return embedding === 'mean'
        ? mean.mean([1])
        : flatLatent(s, mean, { flat, width: 1, depth: 0, dropout: 0 });
    },
  };
}

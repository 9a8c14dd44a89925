// arch2vec: an embedding of the cells of a space, learned without labels.
import * as z from 'zod';
import { tensorNumbers } from '../../graph/tensor.js';
import { adam } from '../../nn/optimiser.js';
import { constantRate } from '../../nn/schedules.js';
import type { Scope } from '../../nn/scope.js';
import type { Weights } from '../../nn/trainer.js';
import { AuspexError } from '../../util/errors.js';
import type { CellDecoder } from '../cell-decoder.js';
import { rememberingFirst } from '../encode.js';
import { type EntryGraph, entriesModel } from '../entries.js';
import {
  changedOptions,
  expectCounts,
  expectKind,
  type FitRun,
  type PredictorKind,
  type RecipeChanges,
  registerKind,
  type StepsRecipe,
  type TrainingData,
} from '../kind.js';
import { KIND_TITLES } from '../kind-titles.js';
import {
  ARCH2VEC,
  type Arch2vecOptions,
  arch2vecLoss,
  cellsOf,
  encodeCells,
  RELEASED,
  sampled,
} from '../models/arch2vec.js';
import { OnnxPredictor } from '../onnx-predictor.js';
import type { Json, Predictor } from '../predictor.js';
import { Runner } from '../runner.js';
import { type Stage, trainStages } from '../train.js';
import { cellView } from '../views/cell.js';
import type { GraphSet } from '../views/view.js';
import { embeddingInfo, encodedCells } from './cell-embedding.js';
import { decoderOf } from './decoder.js';
import { dropout, layers, width } from './options.js';

/** Of arch2vec, and of models that are arch2vec with a head. */
export const ARCH2VEC_OPTIONS = {
  layers: layers(ARCH2VEC.layers),
  width: width(ARCH2VEC.width),
  latent: z.int().min(1).max(256).default(ARCH2VEC.latent),
  dropout: dropout(ARCH2VEC.dropout),
  /** As the released code has them; see models/arch2vec.ts. With the divergence of the method, latents collapse. */
  decoder: z.enum(['softmax', 'sigmoid']).default(RELEASED.decoder),
  deviation: z.enum(['log-variance', 'log-deviation']).default(RELEASED.deviation),
  divergence: z.enum(['mean', 'per-batch']).default(RELEASED.divergence),
};
const OPTIONS = z.strictObject({
  ...ARCH2VEC_OPTIONS,
  mode: z.enum(['training', 'evaluation-from-epoch-2']).default('evaluation-from-epoch-2'),
});
type Options = z.infer<typeof OPTIONS>;

const EPOCHS = 8;
const BATCH = 32;
const RATE = 1e-3;
const CLIP_NORM = 5;

type Recipe = StepsRecipe & { readonly model: Options; readonly decoder?: CellDecoder };

export const arch2vec: PredictorKind<Options> = registerKind({
  name: 'arch2vec',
  title: KIND_TITLES.arch2vec,
  paper: 'Yan et al., NeurIPS 2020',
  summary: 'cells: embeddings, without labels',
  views: [cellView.name],
  learns: 'networks',
  options: OPTIONS,
  recipe: recipeOf,
  fit,
});

function recipeOf(rows: number, changes: RecipeChanges = {}, from?: Predictor): Recipe {
  expectKind('arch2vec', from);
  const { batch = BATCH, rate = RATE, members = 1 } = changes;
  const { steps = EPOCHS * Math.max(1, Math.floor(rows / batch)) } = changes;
  expectCounts({ steps, members, batch });
  if (members !== 1) {
    throw new AuspexError('BAD_OPTION', 'arch2vec has one member: embeddings of several cannot be averaged', {
      hint: 'leave out --members',
    });
  }
  const base = from ? (from.info.recipe as unknown as Recipe).model : OPTIONS.parse({});
  const model = changedOptions({ name: 'arch2vec', options: OPTIONS }, base, changes.model);
  return { steps, batch, rate, members: 1, model };
}

async function fit(data: TrainingData, changes: RecipeChanges, run: FitRun) {
  const recipe = recipeOf(data.networks.count, changes, data.from);
  const networks = rememberingFirst(data.networks);
  const prior = data.from?.info.entries[0]?.state;
  const state = await cellView.prepare(
    networks,
    { form: 'whole', sizes: 'fixed' },
    prior as Awaited<ReturnType<typeof cellView.prepare>>,
  );
  const encoded = await encodedCells(networks, state, arch2vec, run);
  const { set } = encoded;
  const options: Arch2vecOptions = { ...recipe.model, operations: state.vocabulary.length };
  const [first, ...others] = stagesOf(set, recipe, options);
  const begun = data.from && { start: () => [weightsOf(data.from!)] };
  const [member] = await trainStages([{ ...first!, ...begun }, ...others], 1, run);
  const { weights } = member!;
  const decoder = await decoderOf(weights, set, state, options, run.threads);
  const embedding: EntryGraph = {
    gives: 'latent',
    inputs: cellView.inputs(state),
    write: (s, given) => encodeCells(s, cellsOf(given), options).mean.mean([1]),
  };
  const model = entriesModel([embedding], weights);
  const kept = { ...recipe, decoder } as unknown as Json;
  const info = embeddingInfo(arch2vec, state, encoded, data, run.seed, kept);
  return {
    predictor: new OnnxPredictor(info, new Runner(model, { threads: run.threads })),
    members: [member!],
    excluded: 0,
  };
}

/** All steps in training mode; or, as released, only those of the first epoch. */
function stagesOf(set: GraphSet, recipe: Recipe, options: Arch2vecOptions): Stage[] {
  const { steps, batch, rate, model } = recipe;
  const epoch = Math.max(1, Math.floor(set.count / batch));
  const stage = (name: string, count: number, inMode: (s: Scope) => Scope): Stage => ({
    name,
    graphs: set.merged?.(batch) ?? set,
    objective: {
      loss: (scope, given) => {
        const s = inMode(scope);
        const cells = cellsOf(given);
        const latents = encodeCells(s, cells, options);
        return arch2vecLoss(s, cells, latents, sampled(s, latents), options);
      },
      predict: (s, given) => encodeCells(s, cellsOf(given), options).mean.mean([1]),
    },
    steps: count,
    batch,
    optimiser: adam(),
    schedule: constantRate(rate),
    clipNorm: CLIP_NORM,
  });
  if (model.mode === 'training' || steps <= epoch) return [stage('member', steps, (s) => s)];
  return [stage('first-epoch', epoch, (s) => s), stage('member', steps - epoch, (s) => s.evaluating())];
}

/** Of a predictor to begin with: the encoder is its graph, the decoder is kept beside it. */
function weightsOf({ model, info }: Predictor): Weights {
  const { decoder } = info.recipe as unknown as Required<Recipe>;
  return new Map([
    ...[...model.graph.initializers]
      .filter(([name]) => name.startsWith('encoder.'))
      .map(([name, tensor]) => [name, Float32Array.from(tensorNumbers(tensor))] as const),
    ['decoder.weight', Float32Array.from(decoder.weight)],
    ['decoder.bias', Float32Array.from(decoder.bias)],
  ]);
}

// The IO model (Kadlecová et al. 2023): arch2vec that also learns what trained networks compute for images. It embeds cells.
import * as z from 'zod';
import type { Batch } from '../../nn/trainer.js';
import { AuspexError } from '../../util/errors.js';
import { rememberingFirst } from '../encode.js';
import { entriesModel } from '../entries.js';
import {
  type FitRun,
  type IoTraining,
  type PredictorKind,
  type RecipeChanges,
  registerKind,
  type TrainingData,
} from '../kind.js';
import { KIND_TITLES } from '../kind-titles.js';
import type { Arch2vecOptions } from '../models/arch2vec.js';
import { IO_HEAD, type IoHeadOptions, ioHead } from '../models/cell-heads.js';
import { OnnxPredictor } from '../onnx-predictor.js';
import type { Json, Predictor } from '../predictor.js';
import { Runner } from '../runner.js';
import { trainSemiSupervised } from '../semi-supervised.js';
import { cellView } from '../views/cell.js';
import type { GraphSet } from '../views/view.js';
import { embeddingInfo, encodedCells } from './cell-embedding.js';
import {
  CELL_MODEL_OPTIONS,
  cellModelRecipe,
  embeddingEntry,
  type LabelledExamples,
  TARGET,
  trainingOf,
} from './cell-model.js';
import { decoderOf } from './decoder.js';
import { ioTests } from './io-tests.js';
import { dropout, layers } from './options.js';

const IMAGE = 'image';

const OPTIONS = z.strictObject({
  ...CELL_MODEL_OPTIONS,
  headLayers: layers(IO_HEAD.depth),
  headDropout: dropout(IO_HEAD.dropout),
  /** Of the image branch's convolutions; strides are 1, then 1 and 2 in turn. */
  channels: z
    .array(z.int().min(1).max(4096))
    .min(1)
    .max(16)
    .default([...IO_HEAD.channels]),
});
type Options = z.infer<typeof OPTIONS>;

export const ioModel: PredictorKind<Options> = registerKind({
  name: 'io-model',
  title: KIND_TITLES['io-model'],
  paper: 'Kadlecová et al. 2023',
  summary: 'cells: embeddings, from features of trained networks',
  views: [cellView.name],
  learns: 'networks',
  options: OPTIONS,
  recipe: (rows, changes = {}, from) => {
    expectNew(from);
    return cellModelRecipe(ioModel, { labelled: rows, networks: rows, unlabelled: rows }, changes, undefined);
  },
  fit,
});

/** Its file embeds; what it has learned of images is not in it. */
function expectNew(from: Predictor | undefined): void {
  if (from === undefined) return;
  throw new AuspexError('BAD_OPTION', 'the IO model cannot be trained further', { hint: 'leave out --from' });
}

async function fit(data: TrainingData, changes: RecipeChanges, run: FitRun) {
  expectNew(data.from);
  const { io } = data;
  if (io === undefined || io.networks.count === 0 || io.images.count === 0) {
    throw new AuspexError('IO_DATA_MISSING', 'the IO model needs output features of networks for images', {
      hint: 'give --io io.npz and --images DIR; `auspex data io` makes the file',
    });
  }
  const labelled = io.networks.count * io.images.count;
  const counts = { labelled, networks: io.networks.count, unlabelled: data.networks.count };
  const recipe = cellModelRecipe(ioModel, counts, changes, data.from);
  const networks = rememberingFirst(data.networks);
  const state = await cellView.prepare(networks, { form: 'whole', sizes: 'fixed' });
  const encoded = await encodedCells(networks, state, ioModel, run);
  const { set: known } = await encodedCells(io.networks, state, ioModel, run);
  const options: Arch2vecOptions = { ...recipe.model, operations: state.vocabulary.length };
  const training = trainingOf(encoded.set, examplesOf(known, io, recipe.model), options, recipe);
  const member = await trainSemiSupervised(training, run);
  const decoder = await decoderOf(member.weights, encoded.set, state, options, run.threads);
  const head = headOf(recipe.model, io.width);
  const tests = await ioTests(io, member.weights, { state, options, head, kind: ioModel }, run);
  const kept = { ...recipe, decoder, ...(tests.length > 0 ? { tests } : {}) } as unknown as Json;
  const info = embeddingInfo(ioModel, state, encoded, data, run.seed, kept);
  const model = entriesModel([embeddingEntry(state, options, recipe.model)], member.weights);
  return {
    predictor: new OnnxPredictor(info, new Runner(model, { threads: run.threads })),
    members: [member],
    excluded: 0,
  };
}

function headOf(model: Options, outputs: number): IoHeadOptions {
  const { flat, headWidth, headLayers, headDropout, channels } = model;
  return { flat, width: headWidth, depth: headLayers, dropout: headDropout, channels, outputs };
}

/** An example is a network with an image; those of one network follow each other. */
function examplesOf(set: GraphSet, io: IoTraining, model: Options): LabelledExamples {
  const { images, width } = io;
  const cells = set.merged?.(set.count) ?? set;
  const size = 3 * images.side ** 2;
  return {
    count: set.count * images.count,
    networks: set.count,
    head: (s, latents, inputs) => ioHead(s, latents, inputs[IMAGE]!, headOf(model, width)),
    batch: (rows): Batch => {
      const target = new Float32Array(rows.length * width);
      const pixels = new Float32Array(rows.length * size);
      const networks = rows.map((row) => Math.floor(row / images.count));
      rows.forEach((row, i) => {
        const image = row % images.count;
        io.read(networks[i]!, image, target, i * width);
        pixels.set(images.pixels.subarray(image * size, (image + 1) * size), i * size);
      });
      return {
        ...cells.batch(networks),
        [TARGET]: { type: 'float32', dims: [rows.length, width], data: target },
        [IMAGE]: { type: 'float32', dims: [rows.length, 3, images.side, images.side], data: pixels },
      };
    },
  };
}

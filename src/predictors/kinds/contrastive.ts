// The contrastive encoder of GENNAPE: embeddings of any network, learned without labels. Other predictors begin with it.
import * as z from 'zod';
import { tensorNumbers } from '../../graph/tensor.js';
import type { Weights } from '../../nn/trainer.js';
import { AuspexError } from '../../util/errors.js';
import { encodeRows, rememberingFirst } from '../encode.js';
import { entriesModel } from '../entries.js';
import {
  changedOptions,
  expectCounts,
  expectKind,
  type FitRun,
  type PredictorKind,
  type RecipeChanges,
  registerKind,
  type TrainingData,
} from '../kind.js';
import { KIND_TITLES } from '../kind-titles.js';
import {
  BLOCK_ROWS,
  contrastiveEncoder,
  ENCODER,
  type EncoderInputs,
  type EncoderOptions,
} from '../models/contrastive-encoder.js';
import { OnnxPredictor } from '../onnx-predictor.js';
import type { Json, Predictor, PredictorInfo } from '../predictor.js';
import { type ContrastiveRecipe, contrastiveStage, spectraOf } from '../pretraining/contrastive-stage.js';
import { expectGoing } from '../stopped.js';
import { trainStages } from '../train.js';
import type { PackedSet } from '../views/computation-graph/graph-set.js';
import { VOCABULARIES, VOCABULARY_NAMES } from '../views/computation-graph/vocabulary.js';
import { viewNamed } from '../views/view.js';
import { dropout, layers, width } from './options.js';

const OPTIONS = z.strictObject({
  width: width(ENCODER.width),
  layers: layers(ENCODER.layers),
  heads: z.int().min(1).max(16).default(ENCODER.heads),
  feedForward: width(ENCODER.feedForward),
  dropout: dropout(ENCODER.dropout),
  vocabulary: z.enum(VOCABULARY_NAMES).default('gennape'),
  sizes: z.enum(['linear', 'log']).default('linear'),
  temperature: z.number().min(0.001).max(10).default(0.05),
  alpha: z.enum(['similar', 'printed']).default('similar'),
  alphaTemperature: z.number().min(0.0001).max(10).default(0.05),
  projection: width(64),
  flopsWeight: z.number().min(0).max(100).default(1),
});
type Options = z.infer<typeof OPTIONS>;

/** Options that say what the encoder is and sees, and not how it learns. */
const OF_ENCODER = ['width', 'layers', 'heads', 'feedForward', 'vocabulary', 'sizes'] as const;
/** Parameters of the encoder. Those of the heads are of a training alone: FLOPs are standardised over its rows. */
const ENCODER_WEIGHTS = /^(node|gnn|transformer)\./;

const VIEW = 'computation-graph';
/** Passes over all rows, where there are enough; no fewer steps than few rows need. */
const EPOCHS = 10;
const LEAST_STEPS = 500;

type Recipe = ContrastiveRecipe & { readonly model: Options };

function recipeOf(rows: number, changes: RecipeChanges = {}, from?: Predictor): Recipe {
  expectKind(contrastiveKind.name, from);
  const base = from ? (from.info.recipe as unknown as Recipe).model : OPTIONS.parse({});
  const model = changedOptions(contrastiveKind, base, changes.model);
  const other = from && OF_ENCODER.find((name) => model[name] !== base[name]);
  if (other !== undefined) {
    throw new AuspexError(
      'MODEL_OPTION',
      `option '${other}' cannot be ${JSON.stringify(model[other])}: the predictor to begin with has ${JSON.stringify(base[other])}`,
      { hint: `leave out ${other}, or train without --from` },
    );
  }
  if (model.width % model.heads !== 0) {
    throw new AuspexError(
      'MODEL_OPTION',
      `a width of ${model.width} cannot be divided equally among ${model.heads} heads`,
      { hint: 'give a width that the number of heads divides' },
    );
  }
  const { batch = 128, rate = 1e-3, members = 1 } = changes;
  const { steps = Math.max(LEAST_STEPS, Math.ceil((EPOCHS * rows) / batch)) } = changes;
  expectCounts({ steps, members, batch });
  if (members !== 1) {
    throw new AuspexError(
      'BAD_OPTION',
      'an encoder has one member: embeddings of several cannot be averaged',
      {
        hint: 'leave out --members',
      },
    );
  }
  if (batch < 2) {
    throw new AuspexError('BAD_OPTION', '--batch cannot be 1: networks of a batch are compared', {
      hint: 'give 2 or more; 128 is usual',
    });
  }
  const { temperature, alpha, alphaTemperature, projection, flopsWeight } = model;
  const loss = { temperature, alpha, alphaTemperature, projection, flopsWeight };
  return { model, steps, batch, rate, members, weightDecay: 0.01, loss };
}

function encoderOptions({ vocabulary, ...model }: Options): EncoderOptions {
  return { ...model, labels: VOCABULARIES[vocabulary].labels.length };
}

/** Logarithms, standardised; all alike are 0. */
function standardised(flops: readonly number[]): Float64Array {
  const logs = Float64Array.from(flops, (count) => Math.log1p(count));
  const mean = logs.reduce((sum, x) => sum + x, 0) / logs.length;
  const deviation = Math.sqrt(logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / logs.length);
  return logs.map((x) => (deviation > 0 ? (x - mean) / deviation : 0));
}

/** Of a predictor to begin with; its heads are not kept, and begin anew. */
function weightsOf({ model }: Predictor): Weights {
  return new Map(
    [...model.graph.initializers]
      .filter(([name]) => ENCODER_WEIGHTS.test(name))
      .map(([name, tensor]) => [name, Float32Array.from(tensorNumbers(tensor))] as const),
  );
}

async function encoded(data: TrainingData, { vocabulary, sizes }: Options, run: FitRun) {
  const view = viewNamed(VIEW);
  const networks = rememberingFirst(data.networks);
  const prior = data.from?.info.entries[0]?.state;
  const state = await view.prepare(networks, { vocabulary, sizes, blocks: BLOCK_ROWS }, prior);
  const spaces = new Set<string>();
  const flops: number[] = [];
  const { set, rows } = await encodeRows(networks, (some, options) => view.encode(some, state, options), {
    subject: contrastiveKind.title,
    visit: (row, network) => {
      spaces.add(network.arch?.space.name ?? 'onnx');
      flops[row] = network.settled().counts().flops;
    },
    ...(run.onBad ? { onBad: run.onBad } : {}),
    ...(run.signal ? { signal: run.signal } : {}),
  }).catch((error) => {
    expectGoing(run.signal);
    throw error;
  });
  return { state, set: set as PackedSet, spaces, flops: rows.map((row) => flops[row]!) };
}

export const contrastiveKind: PredictorKind<Options> = registerKind({
  name: 'contrastive',
  title: KIND_TITLES.contrastive,
  paper: 'Mills et al., AAAI 2023',
  summary: 'any network: embeddings, without labels (GENNAPE)',
  views: [VIEW],
  learns: 'networks',
  options: OPTIONS,
  recipe: recipeOf,
  async fit(data, changes, run) {
    const recipe = recipeOf(data.networks.count, changes, data.from);
    const { state, set, spaces, flops } = await encoded(data, recipe.model, run);
    expectGoing(run.signal);
    const spectra = await spectraOf(set, run.signal).catch((error) => {
      expectGoing(run.signal);
      throw error;
    });
    const encoder = encoderOptions(recipe.model);
    const stage = contrastiveStage({ set, spectra, flops: standardised(flops) }, recipe, encoder);
    const begun = data.from && { start: () => [weightsOf(data.from!)] };
    const members = await trainStages([{ ...stage, ...begun }], 1, run);
    const model = entriesModel(
      [
        {
          gives: 'latent',
          inputs: viewNamed(VIEW).inputs(state),
          write: (s, inputs) => contrastiveEncoder(s, inputs as unknown as EncoderInputs, encoder)[0]!,
        },
      ],
      new Map([...members[0]!.weights].filter(([name]) => ENCODER_WEIGHTS.test(name))),
    );
    const { split, digests } = data;
    const info: PredictorInfo = {
      version: 2,
      kind: contrastiveKind.name,
      entries: [{ view: VIEW, state, gives: 'latent' }],
      labels: [],
      seen: {
        spaces: [...spaces].sort(),
        rows: set.count,
        seed: run.seed,
        ...(split ? { split } : {}),
        ...(digests === undefined ? {} : { digests }),
      },
      recipe: recipe as unknown as Json,
    };
    return { predictor: OnnxPredictor.of(model, info, { threads: run.threads }), members, excluded: 0 };
  },
});

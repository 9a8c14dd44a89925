// Labels from embeddings of cells: a random forest (Kadlecová et al. 2023) and a Gaussian process (Yan et al. 2020) on what a
// predictor that embeds says of networks. The embedding stays as it is, and is part of the file.
import * as z from 'zod';
import { makeGraph, makeModel } from '../../graph/graph.js';
import { Trace } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import { shuffled } from '../batches.js';
import { meanLatentsModel } from '../cell-autoencoder.js';
import { entryModel, OUTPUTS, outputOf } from '../entries.js';
import { OPSETS } from '../feature-model.js';
import { fitLabels } from '../fit.js';
import { fittedScales, groupDistances, processWeights } from '../gaussian-process.js';
import { type Encoder, embedded, encoded, encoder } from '../gennape/encoder.js';
import { changedOptions, type PredictorKind, registerKind } from '../kind.js';
import { KIND_TITLES } from '../kind-titles.js';
import { type LabelScale, unlearned } from '../labels.js';
import type { Json, Predictor } from '../predictor.js';
import { cellView } from '../views/cell.js';
import { FeatureRows } from '../views/feature-rows.js';
import { viewNamed } from '../views/view.js';
import { fittedByLabel } from './each-label.js';
import { FOREST_OPTIONS, fittedForest } from './forest.js';
import { processValues, standardised, standardOf } from './gaussian-process.js';

/** What is fitted, as a graph: (batch, width) → (batch, 1). */
type Fitted = (x: Value) => Value;

interface Regressor<O> extends Pick<PredictorKind<O>, 'name' | 'title' | 'paper' | 'summary' | 'options'> {
  fit(rows: FeatureRows, targets: Float64Array, options: O, seed: number): Generator<number, Fitted>;
}

/** `embedding`: what the predictor gives. `nodes`: the mean of the nodes' latents, of models of cells. */
const OF = z.enum(['embedding', 'nodes']).default('embedding');

/**
 * `value`: the label. `log-error`: the logarithm of what a share lacks of 1, or a percentage of 100. Few bad networks then weigh
 * less, and good ones are told apart.
 */
const LEARNS = z.enum(['value', 'log-error']).default('value');

const FOREST_ON = z.strictObject({
  ...FOREST_OPTIONS,
  trees: FOREST_OPTIONS.trees.default(200),
  /** Four of sixteen numbers. */
  maxFeatures: FOREST_OPTIONS.maxFeatures.default(0.25),
  of: OF,
  learns: LEARNS,
});
const PROCESS_ON = z.strictObject({
  steps: z.int().min(1).max(1000).default(60),
  /** More rows are drawn from: time is cubic in them. */
  rows: z.int().min(2).max(4000).default(1500),
  of: OF,
  learns: LEARNS,
});

onEmbedding({
  name: 'embedding-forest',
  title: KIND_TITLES['embedding-forest'],
  paper: 'Kadlecová et al. 2023',
  summary: 'cells: random forest on an embedding (--from)',
  options: FOREST_ON,
  fit: (rows, targets, options, seed) => fittedForest(rows, targets, options, seed),
});

onEmbedding({
  name: 'embedding-process',
  title: KIND_TITLES['embedding-process'],
  paper: 'Yan et al., NeurIPS 2020',
  summary: 'cells: Gaussian process on an embedding (--from)',
  options: PROCESS_ON,
  *fit({ names, data, count }, targets, { steps, rows: most }, seed) {
    const all = Array.from({ length: count }, (_, row) => row);
    const rows = shuffled(all, Random.seeded(seed, 5)).slice(0, most);
    const width = names.length;
    const standard = standardOf(data, width);
    const whole = standardised(data, standard);
    const points = new Float64Array(rows.length * width);
    rows.forEach((row, i) => void points.set(whole.subarray(row * width, (row + 1) * width), i * width));
    const values = Float64Array.from(rows, (row) => targets[row]!);
    // One length scale for all numbers: one for each was worse from 250 rows.
    const groups = [names.map((_, place) => place)];
    const distances = groupDistances(points, width, groups);
    const scales = yield* fittedScales(distances, values, { steps });
    const weights = processWeights(distances, values, scales);
    return (x) =>
      processValues(x, standard, groups, [{ points, scales, weights: [weights], means: [0] }]).outputs[0]!;
  },
});

interface EmbeddingOptions {
  readonly of: z.infer<typeof OF>;
  readonly learns: z.infer<typeof LEARNS>;
}

function onEmbedding<O extends EmbeddingOptions>(regressor: Regressor<O>): void {
  const { fit, ...about } = regressor;
  registerKind<O>({
    ...about,
    views: [cellView.name],
    learns: 'labels',
    isOnEmbedding: true,
    fit: async (data, changes, run) => {
      const model = changedOptions(about, about.options.parse({}), changes.model);
      const given = encoderFrom(about.name, data.from, model.of);
      const fitting = { kind: about, view: given.view, viewOptions: {}, prior: given.state };
      return fitLabels(fitting, data, run, async ({ set, labels, scales }) => {
        const latents = await embedded(given, set, run.threads);
        const parts = await fittedByLabel({ labels, scales }, run, (known, targets, scale) => {
          const rows = rowsOf(latents, given.width, known);
          const fitTo = (values: Float64Array) => fit(rows, values, model, run.seed);
          return model.learns === 'value' ? fitTo(targets) : logErrors(targets, scale, fitTo);
        });
        const recipe = { model, embedding: data.from!.info.kind } as unknown as Json;
        return { model: graphOf(given, parts, scales), recipe };
      });
    },
  });
}

/** Fits logarithms of errors, with mean 0 and deviation 1. @throws AuspexError MODEL_OPTION */
function* logErrors(
  targets: Float64Array,
  { scale, offset, factor }: LabelScale,
  fit: (targets: Float64Array) => Generator<number, Fitted>,
): Generator<number, Fitted> {
  const values = targets.map((t) => t * factor + offset);
  const most = values.reduce((a, b) => Math.max(a, b));
  const ceiling = most < 1 ? 1 : 100;
  if (scale === 'log' || most >= 100) {
    throw new AuspexError('MODEL_OPTION', `errors of labels up to ${most} are not known`, {
      hint: 'leave out "learns":"log-error": it is for shares below 1 and percentages below 100',
    });
  }
  const logs = values.map((y) => -Math.log(ceiling - y));
  const mean = logs.reduce((a, b) => a + b) / logs.length;
  const deviation = Math.sqrt(logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / logs.length);
  const fitted = yield* fit(logs.map((x) => (x - mean) / deviation));
  return (x) => {
    const error = fitted(x).mul(-deviation).sub(mean).exp();
    return error.neg().add(ceiling).sub(offset).div(factor);
  };
}

/** @throws AuspexError BAD_OPTION, PREDICTOR_KIND */
function encoderFrom(kind: string, from: Predictor | undefined, of: z.infer<typeof OF>): Encoder {
  if (from === undefined) {
    throw new AuspexError('BAD_OPTION', `${kind} needs a predictor that embeds cells`, {
      hint: 'give --from cells.onnx, which `auspex train arch2vec` writes',
    });
  }
  const { entries } = from.info;
  const entry = entries.find(
    ({ gives, name, view }) => gives === 'latent' && !name && view === cellView.name,
  );
  const nodes = entry && of === 'nodes' ? meanLatentsModel(from) : undefined;
  if (entry === undefined || (of === 'nodes' && nodes === undefined)) {
    throw new AuspexError('PREDICTOR_KIND', `${from.info.kind} does not embed cells as ${kind} needs them`, {
      hint: 'give a predictor of the kind arch2vec, accuracy-model or io-model',
    });
  }
  return encoder(nodes ?? entryModel(from.model, [outputOf(entry)]), entry.view, entry.state);
}

/** Some rows of (rows, width). */
function rowsOf(latents: Float64Array, width: number, rows: readonly number[]): FeatureRows {
  const some = new Float32Array(rows.length * width);
  rows.forEach((row, i) => void some.set(latents.subarray(row * width, (row + 1) * width), i * width));
  return new FeatureRows(
    Array.from({ length: width }, (_, i) => `latent ${i}`),
    some,
  );
}

/** Inputs of the view → `prediction` (batch, labels), in the labels' units. */
function graphOf(given: Encoder, parts: readonly Fitted[], scales: readonly LabelScale[]) {
  const { builder, scope } = new Trace(false, OPSETS);
  const shapes = Object.entries(viewNamed(given.view).inputs(given.state));
  const inputs = shapes
    .filter(([name]) => given.model.graph.inputs.some((input) => input.name === name))
    .map(([name, { type, dims }]) => [name, builder.input(name, type, dims)] as const);
  const latent = encoded(scope, given, Object.fromEntries(inputs));
  const found = parts.map((apply) => apply(latent));
  const values = unlearned(found.length === 1 ? found[0]! : builder.concat(found, 1), scales);
  const name = OUTPUTS.values;
  builder.add({
    ...{ name, opType: 'Identity', domain: '' },
    ...{ inputs: [values.name], outputs: [name], attributes: new Map() },
  });
  const { nodes, inputs: taken, initializers, opsets: opsetImports } = builder;
  const outputs = [{ name, type: builder.value(name).type }];
  return makeModel(makeGraph({ name, nodes, inputs: taken, outputs, initializers }), { opsetImports });
}

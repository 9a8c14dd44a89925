// Kinds that only tests know: they prove that the contract holds rankers, embeddings in stages, and several views.
import * as z from 'zod';
import { symbol } from '../graph/dim.js';
import { linear } from '../nn/linear.js';
import { binaryCrossEntropy, mse } from '../nn/losses.js';
import { adamW } from '../nn/optimiser.js';
import { constantRate } from '../nn/schedules.js';
import type { Scope } from '../nn/scope.js';
import type { Inputs } from '../nn/step.js';
import type { Weights } from '../nn/trainer.js';
import type { Value } from '../ops/build.js';
import { encodeRows, rememberingFirst } from './encode.js';
import { entriesModel, PAIR } from './entries.js';
import { changedOptions, type FitRun, type PredictorKind, registerKind, type TrainingData } from './kind.js';
import './kinds/index.js';
import { cellRecipe } from './kinds/cell-recipe.js';
import { graphKind } from './kinds/graph-kind.js';
import { column, labelScale } from './labels.js';
import { OnnxPredictor } from './onnx-predictor.js';
import type { Entry, Json, PredictorInfo } from './predictor.js';
import { type Stage, trainStages } from './train.js';
import { viewNamed } from './views/view.js';

const OPTIONS = z.strictObject({ width: z.int().min(1).max(64).default(8) });
const RECIPE = { steps: 40, batch: 16, rate: 1e-2, members: 1 };
const view = viewNamed('cell');

/** (B, n, codes), … → (B, width): a bag of operations. */
function bagOf(s: Scope, { operations, size }: Inputs, width: number): Value {
  const counts = s.builder.concat([operations!.sum([1]), size!.squeeze([1])], 1);
  return linear(s.at('trunk'), counts, width).tanh();
}

async function encoded(kind: PredictorKind, data: TrainingData, run: FitRun) {
  const networks = rememberingFirst(data.networks);
  const state = await view.prepare(networks, { form: 'whole', sizes: 'any' });
  const spaces = new Set<string>();
  const { set, rows } = await encodeRows(networks, (some, options) => view.encode(some, state, options), {
    subject: kind.title,
    visit: (_, { arch }) => spaces.add(arch?.space.name ?? 'onnx'),
    ...(run.onBad ? { onBad: run.onBad } : {}),
    ...(run.signal ? { signal: run.signal } : {}),
  });
  const info = (entries: readonly Entry[], width: number): PredictorInfo => ({
    version: 2,
    kind: kind.name,
    entries,
    labels: [],
    seen: { spaces: [...spaces], rows: set.count, seed: run.seed },
    recipe: { ...RECIPE, model: { width } },
  });
  return { state, set, rows, info };
}

const latentEntry = (state: Json): Entry => ({ view: 'cell', state, gives: 'latent' });

/** Which of two networks has more of the first label, learned from pairs. */
export const pairsKind: PredictorKind<z.infer<typeof OPTIONS>> = registerKind({
  name: 'test-pairs',
  title: 'Pairs of cells',
  paper: 'none',
  summary: 'learns a preference',
  views: ['cell'],
  learns: 'pairs',
  options: OPTIONS,
  recipe: () => RECIPE,
  async fit(data, changes, run) {
    const { width } = changedOptions(pairsKind, OPTIONS.parse({}), changes.model);
    labelScale(data.labels!, 0, 'linear');
    const { state, set, rows, info } = await encoded(pairsKind as PredictorKind, data, run);
    const all = column(data.labels!, 0);
    const truths = rows.map((row) => all[row]!);
    const compare = (s: Scope, a: Value, b: Value): Value =>
      linear(s.at('judge'), a.sub(b), 1, { bias: false });
    const stage: Stage = {
      ...RECIPE,
      graphs: set.merged!(RECIPE.batch),
      optimiser: adamW(),
      schedule: constantRate(RECIPE.rate),
      clipNorm: 1,
      extras: (chosen, random) => {
        const other = chosen.map(() => random.below(chosen.length));
        const better = chosen.map((row, i) => Number(truths[row]! > truths[chosen[other[i]!]!]!));
        return {
          other: { type: 'int64', dims: [chosen.length], data: BigInt64Array.from(other, BigInt) },
          better: { type: 'float32', dims: [chosen.length, 1], data: Float32Array.from(better) },
        };
      },
      objective: {
        predict: (s, inputs) => bagOf(s, inputs, width),
        loss: (s, { other, better, ...inputs }) => {
          const latent = bagOf(s, inputs, width);
          return binaryCrossEntropy(compare(s, latent, latent.gather(other!)), better!);
        },
      },
    };
    const members = await trainStages([stage], 1, run);
    const pair = { type: 'float32' as const, dims: [symbol('pairs'), width] };
    const [first, second] = PAIR;
    const model = entriesModel(
      [
        { gives: 'latent', inputs: view.inputs(state), write: (s, inputs) => bagOf(s, inputs, width) },
        {
          gives: 'preference',
          inputs: { [first]: pair, [second]: pair },
          write: (s, inputs) => compare(s, inputs[first]!, inputs[second]!),
        },
      ],
      members[0]!.weights,
    );
    const entries: Entry[] = [latentEntry(state), { view: 'latent', state: { width }, gives: 'preference' }];
    return {
      predictor: OnnxPredictor.of(model, info(entries, width), { threads: run.threads }),
      members,
      excluded: 0,
    };
  },
});

/** Stages of the latest fit, by their names: the weights each left. */
export const leftBy = new Map<string, Weights>();

/** Learns to tell operations, then the number of nodes from the same embedding, which stays as it is. */
export const embeddingKind: PredictorKind<z.infer<typeof OPTIONS>> = registerKind({
  name: 'test-embedding',
  title: 'Embedded cells',
  paper: 'none',
  summary: 'learns without labels',
  views: ['cell'],
  learns: 'networks',
  options: OPTIONS,
  recipe: () => RECIPE,
  async fit(data, changes, run) {
    const { width } = changedOptions(embeddingKind, OPTIONS.parse({}), changes.model);
    const { state, set, info } = await encoded(embeddingKind as PredictorKind, data, run);
    const stage = (name: string, head: string, target: (inputs: Inputs) => Value): Stage => ({
      ...RECIPE,
      name,
      steps: RECIPE.steps / 2,
      graphs: set.merged!(RECIPE.batch),
      optimiser: adamW(),
      schedule: constantRate(RECIPE.rate),
      objective: {
        predict: (s, inputs) => bagOf(s, inputs, width),
        loss: (s, inputs) => {
          const wanted = target(inputs);
          return mse(linear(s.at(head), bagOf(s, inputs, width), wanted.length(1)), wanted);
        },
      },
    });
    const members = await trainStages(
      [
        stage('operations', 'counts', ({ operations }) => operations!.sum([1])),
        {
          ...stage('sizes', 'sizes', ({ size }) => size!.squeeze([1])),
          frozen: ['trunk.'],
          start: ([before]) => {
            leftBy.set('operations', before!);
            return [new Map([...before!].filter(([name]) => name.startsWith('trunk.')))];
          },
        },
      ],
      1,
      run,
    );
    leftBy.set('sizes', members[0]!.weights);
    const model = entriesModel(
      [{ gives: 'latent', inputs: view.inputs(state), write: (s, inputs) => bagOf(s, inputs, width) }],
      members[0]!.weights,
    );
    return {
      predictor: OnnxPredictor.of(model, info([latentEntry(state)], width), { threads: run.threads }),
      members,
      excluded: 0,
    };
  },
});

/** Labels from a cell and from what the network costs, side by side. */
export const twoViewsKind = graphKind({
  name: 'test-two-views',
  title: 'Cells and costs',
  paper: 'none',
  summary: 'sees a cell and its costs',
  view: 'cell+features',
  viewOptions: () => [{ form: 'whole', sizes: 'any' }, { features: ['parameters', 'flops'] }],
  standard: { kind: 'standard', centre: 0 },
  options: OPTIONS,
  recipe: (rows, scale) => ({ ...cellRecipe(rows, scale), model: OPTIONS.parse({}) }),
  build: (s, inputs, { width }, outputs) => {
    const both = s.builder.concat([bagOf(s, inputs, width), inputs.features!.add(1).log()], 1);
    return linear(s.at('head'), both, outputs);
  },
});

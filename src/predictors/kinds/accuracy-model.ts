// The Accuracy model (Kadlecová et al. 2023): arch2vec that also learns labels of some cells. It predicts, and embeds cells.
import * as z from 'zod';
import type { Scope } from '../../nn/scope.js';
import type { Batch } from '../../nn/trainer.js';
import type { Value } from '../../ops/build.js';
import { entriesModel } from '../entries.js';
import { fitLabels, type Prepared } from '../fit.js';
import type { ErrorScale } from '../intervals.js';
import { changedOptions, type FitRun, type PredictorKind, registerKind, type TrainingData } from '../kind.js';
import { KIND_TITLES } from '../kind-titles.js';
import { column, type LabelScale, type Labels, learned, unlearned } from '../labels.js';
import { type Arch2vecOptions, cellsOf, encodeCells } from '../models/arch2vec.js';
import { ACCURACY_HEAD, accuracyHead } from '../models/cell-heads.js';
import type { Json, PredictorInfo } from '../predictor.js';
import { trainSemiSupervised } from '../semi-supervised.js';
import { type CellState, cellView } from '../views/cell.js';
import type { GraphSet } from '../views/view.js';
import { encodedCells } from './cell-embedding.js';
import {
  beginning,
  CELL_MODEL_OPTIONS,
  cellModelRecipe,
  embeddingEntry,
  type LabelledExamples,
  TARGET,
  trainingOf,
} from './cell-model.js';
import { decoderOf } from './decoder.js';
import { dropout, layers } from './options.js';

const OPTIONS = z.strictObject({
  ...CELL_MODEL_OPTIONS,
  /** Hidden layers of the head: one as released, two in the paper. */
  headLayers: layers(ACCURACY_HEAD.depth),
  headDropout: dropout(ACCURACY_HEAD.dropout),
  /** Passes over the labelled rows in an epoch. The IO data of the paper have 1,000 images of every network. */
  passes: z.int().min(1).max(10_000).default(1),
});
type Options = z.infer<typeof OPTIONS>;

export const accuracyModel: PredictorKind<Options> = registerKind({
  name: 'accuracy-model',
  title: KIND_TITLES['accuracy-model'],
  paper: 'Kadlecová et al. 2023',
  summary: 'cells: labels and embeddings, semi-supervised',
  views: [cellView.name],
  learns: 'labels',
  isSemiSupervised: true,
  options: OPTIONS,
  recipe: (rows, changes = {}, from) =>
    cellModelRecipe(accuracyModel, { labelled: rows, networks: rows, unlabelled: rows }, changes, from),
  fit: (data, changes, run) =>
    fitLabels(
      { kind: accuracyModel, view: cellView.name, viewOptions: { form: 'whole', sizes: 'fixed' } },
      data,
      run,
      async (prepared) => {
        const known = labelledRows(prepared.labels);
        const state = prepared.state as CellState;
        const cells = await unlabelledCells(data, prepared, state, run);
        const { passes } = changedOptions(accuracyModel, OPTIONS.parse({}), changes.model);
        const counts = {
          labelled: known.length * passes,
          networks: known.length,
          unlabelled: cells.count,
        };
        const recipe = cellModelRecipe(accuracyModel, counts, changes, data.from);
        const options: Arch2vecOptions = { ...recipe.model, operations: state.vocabulary.length };
        const scales = prepared.scales.map(({ scale }, i) => rangeScale(column(prepared.labels, i), scale));
        const head = (s: Scope, latents: Value): Value =>
          accuracyHead(s, latents, headOf(recipe.model), scales.length);
        const training = trainingOf(
          cells,
          examplesOf(prepared, known, passes, scales, head),
          options,
          recipe,
        );
        const begun = beginning(data.from, 'head.accuracy.');
        const member = await trainSemiSupervised({ ...training, ...begun }, run);
        const decoder = await decoderOf(member.weights, cells, state, options, run.threads);
        const values = {
          gives: 'values' as const,
          inputs: cellView.inputs(state),
          write: (s: Scope, given: Parameters<typeof cellsOf>[0]): Value =>
            unlearned(head(s, encodeCells(s, cellsOf(given), options).mean), scales),
        };
        const used = [values, embeddingEntry(state, options, recipe.model)];
        return {
          model: entriesModel(used, member.weights),
          members: [member],
          recipe: { ...recipe, scales, decoder } as unknown as Json,
          describe: (info: PredictorInfo): PredictorInfo => ({
            ...info,
            entries: [...info.entries, { view: cellView.name, state, gives: 'latent' }],
          }),
        };
      },
    ),
});

/** What is learned from without labels: the labelled networks themselves, where there are no others. */
async function unlabelledCells(
  { unlabelled }: TrainingData,
  { set }: Prepared,
  state: CellState,
  run: FitRun,
): Promise<GraphSet> {
  return unlabelled === undefined ? set : (await encodedCells(unlabelled, state, accuracyModel, run)).set;
}

function headOf({ flat, headWidth: width, headLayers: depth, headDropout }: Options) {
  return { flat, width, depth, dropout: headDropout };
}

/** Rows that have all labels. */
function labelledRows({ names, values }: Labels): number[] {
  const count = values.length / names.length;
  return Array.from({ length: count }, (_, row) => row).filter((row) =>
    names.every((_, i) => !Number.isNaN(values[row * names.length + i]!)),
  );
}

/** Parts of 1 are learned as they are, others as parts of their range with some room: the head's outputs are from 0 to 1. */
function rangeScale(labels: Float64Array, scale: ErrorScale): LabelScale {
  const values = labels.filter((y) => !Number.isNaN(y)).map((y) => (scale === 'log' ? Math.log(y) : y));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least >= 0 && most <= 1) return { scale, offset: 0, factor: 1 };
  const room = 0.05 * (most - least);
  return { scale, offset: least - room, factor: most - least + 2 * room };
}

function examplesOf(
  { set, labels }: Prepared,
  known: readonly number[],
  passes: number,
  scales: readonly LabelScale[],
  head: (s: Scope, latents: Value) => Value,
): LabelledExamples {
  const cells: GraphSet = set.merged?.(known.length) ?? set;
  const width = scales.length;
  return {
    count: known.length * passes,
    networks: known.length,
    head,
    batch: (places): Batch => {
      const rows = places.map((place) => known[place % known.length]!);
      const target = Float32Array.from(
        rows.flatMap((row) => scales.map((scale, i) => learned(labels.values[row * width + i]!, scale))),
      );
      return {
        ...cells.batch(rows),
        [TARGET]: { type: 'float32', dims: [rows.length, width], data: target },
      };
    },
  };
}

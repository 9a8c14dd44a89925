// What kinds that train a model of graphs have in common: a recipe that users may change, members of different seeds, a
// predictor to begin with, and pretraining on labels that cost nothing.
import type { ZodType } from 'zod';
import { ArchNetwork } from '../../networks/arch-network.js';
import type { CellForm } from '../../networks/network.js';
import type { Networks } from '../../networks/networks.js';
import { listOf } from '../../networks/networks.js';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { spaceNamed } from '../../spaces/index.js';
import type { AnySpace } from '../../spaces/space.js';
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import { membersModel } from '../entries.js';
import { fitLabels, type Prepared } from '../fit.js';
import type { ErrorScale } from '../intervals.js';
import {
  changedOptions,
  expectCounts,
  expectKind,
  type FitRun,
  type Fitted,
  type PredictorKind,
  type Pretraining,
  type RecipeChanges,
  registerKind,
  type TrainingData,
} from '../kind.js';
import { type LabelRecipe, labelStage } from '../label-stage.js';
import { commonScale, type Standard } from '../labels.js';
import { OnnxPredictor } from '../onnx-predictor.js';
import type { Json, Predictor } from '../predictor.js';
import { freeLabels } from '../pretraining/free-labels.js';
import { trainStages } from '../train.js';
import { startFrom } from '../transfer.js';
import { viewNamed } from '../views/view.js';

/** What a predictor learns of a space before it is told labels, where nobody has done it before. */
export const PRETRAINING: Pretraining = { rows: 4000, steps: 1500, rate: 2e-3 };

export type GraphRecipe<O> = LabelRecipe & {
  readonly model: O;
  /**
   * Of kinds that see cells: with all that is written, or without operations that have no part in the result. Those change
   * no accuracy, but take time when the network runs.
   */
  readonly cells?: CellForm;
  /** What is learned before, from labels that cost nothing; see `freeLabels`. */
  readonly pretraining?: Pretraining | undefined;
};

interface GraphKind<O> {
  readonly name: string;
  readonly title: string;
  readonly paper: string;
  readonly summary: string;
  readonly view: string;
  viewOptions(recipe: GraphRecipe<O>): Json;
  /** How labels become what it puts out. */
  readonly standard: Standard;
  readonly options: ZodType<O>;
  /**
   * @param rows that there are to train on
   * @param scale whether labels are learned as they are, to rank, or as logarithms, to be near
   */
  recipe(rows: number, scale: ErrorScale): GraphRecipe<O>;
  /** Dropout is the recipe's own, whatever the predictor to begin with had. */
  readonly hasOwnDropout?: boolean;
  /** (B, …) → (B, outputs), as labels are learned */
  build(s: Scope, inputs: Inputs, options: O, outputs: number): Value;
}

/** Of the random numbers that architectures to learn from for nothing are drawn with. */
const PRETRAINING_STREAM = 11;

/**
 * Makes and registers a kind of predictor that trains a model in steps on what a view gives.
 *
 * @example
 * import { linear } from 'auspex/nn';
 * import { z } from 'zod';
 * const kind = graphKind({
 *   name: 'line',
 *   title: 'A line through features',
 *   paper: 'none',
 *   summary: 'a line, trained in steps',
 *   view: 'features',
 *   viewOptions: () => ({ features: ['parameters', 'macs'] }),
 *   standard: { kind: 'standard', centre: 0 },
 *   options: z.strictObject({}),
 *   recipe: () => ({
 *     ...{ model: {}, steps: 20, batch: 16, rate: 0.05, members: 1, weightDecay: 0, emaDecay: 0.9 },
 *     loss: { error: 'squared', rank: 0, consistency: 0 },
 *   }),
 *   build: (scope, inputs, _, outputs) => linear(scope.at('head'), Object.values(inputs)[0]!, outputs),
 * });
 * kind.recipe?.(100).steps; // 20
 */
export function graphKind<O extends object>(kind: GraphKind<O>): PredictorKind<O> {
  const { name, title, paper, summary, view, options } = kind;
  const recipe = (
    rows: number,
    changes: RecipeChanges = {},
    from?: Predictor,
    scale: ErrorScale = 'linear',
  ): GraphRecipe<O> => {
    expectKind(name, from);
    return changedRecipe(kind, kind.recipe(rows, scale), changes, from);
  };
  return registerKind({
    name,
    title,
    paper,
    summary,
    views: [view],
    learns: 'labels',
    options,
    recipe,
    fit: async (data, changes, run) => {
      const scale = data.labels ? commonScale(data.labels) : 'linear';
      return fitGraphs(kind, recipe(data.networks.count, changes, data.from, scale), data, run);
    },
    ...(view === 'cell'
      ? {
          pretrain: (networks, { steps = PRETRAINING.steps, rate = PRETRAINING.rate, ...changes }, run) =>
            pretrained(kind, recipe(networks.count, { ...changes, steps, rate }), networks, run),
        }
      : {}),
  });
}

function changedRecipe<O extends object>(
  kind: GraphKind<O>,
  base: GraphRecipe<O>,
  changes: RecipeChanges,
  from: Predictor | undefined,
): GraphRecipe<O> {
  const { steps = base.steps, members = base.members, batch = base.batch, rate = base.rate } = changes;
  expectCounts({ steps, members, batch });
  const start = from && (from.info.recipe as { readonly model: O }).model;
  const { dropout } = base.model as { dropout?: number };
  // Of what it begins with, only the sizes must be the same.
  const first = start && kind.hasOwnDropout ? { ...start, dropout } : (start ?? base.model);
  const model = changedOptions(kind, first, changes.model);
  const { pretraining = base.pretraining } = changes;
  const found = { ...base, steps, members, batch, rate, model, pretraining };
  return changes.isFromScratch || from ? { ...found, pretraining: undefined } : found;
}

/** Trains by a recipe. */
function fitGraphs<O extends object>(
  kind: GraphKind<O>,
  { pretraining, ...recipe }: GraphRecipe<O>,
  data: TrainingData,
  run: FitRun,
  stageName?: string,
): Promise<Fitted> {
  const { view, standard } = kind;
  const { from } = data;
  if (from !== undefined && !(from instanceof OnnxPredictor)) throw new Error('it has no weights');
  return fitLabels(
    { kind, view, viewOptions: kind.viewOptions(recipe), standard },
    data,
    run,
    async (prepared) => {
      const share = pretraining && from === undefined ? pretrainingShare(recipe, pretraining) : 0;
      const part = (base: number, size: number): FitRun => ({
        ...run,
        onProgress: (progress) => run.onProgress?.({ ...progress, part: base + size * progress.part }),
      });
      const start = from ?? (await startOf(kind, recipe, pretraining, prepared, part(0, share)));
      const weights = start && (await startFrom(start, prepared, standard));
      if (start !== from) await start?.dispose();
      const { state, scales } = prepared;
      const build = (s: Scope, inputs: Inputs): Value => kind.build(s, inputs, recipe.model, scales.length);
      const stage = {
        ...labelStage(prepared, recipe, build),
        ...(weights ? { start: () => weights } : {}),
        ...(stageName ? { name: stageName } : {}),
      };
      const members = await trainStages([stage], recipe.members, part(share, 1 - share));
      const model = membersModel(
        members.map((member) => member.weights),
        viewNamed(view).inputs(state),
        build,
        scales,
      );
      const { form } = state as { form?: CellForm };
      const kept = { ...recipe, ...(form ? { cells: form } : {}), ...(pretraining ? { pretraining } : {}) };
      return { model, members, recipe: { ...kept, scales } as unknown as Json };
    },
  );
}

/** The part of all work that comes before the labels are learned; a pass of two costs twice as much. */
function pretrainingShare({ steps, loss }: LabelRecipe, pretraining: Pretraining): number {
  const own = steps * (loss.consistency === 0 ? 1 : 2);
  return pretraining.steps / (pretraining.steps + own);
}

/** What is learned of the space before the labels, if the recipe asks for it. */
async function startOf<O extends object>(
  kind: GraphKind<O>,
  recipe: GraphRecipe<O>,
  pretraining: Pretraining | undefined,
  { state }: Prepared,
  run: FitRun,
): Promise<OnnxPredictor | undefined> {
  if (pretraining === undefined) return undefined;
  const { steps, rate, rows } = pretraining;
  const networks = drawnNetworks(spaceNamed((state as { space: string }).space), rows, run.seed);
  const { onBad: _, ...others } = run;
  const { predictor } = await pretrained(kind, { ...recipe, steps, rate }, networks, others);
  return predictor as OnnxPredictor;
}

/** Architectures of a space to learn from for nothing. */
export function drawnNetworks(space: AnySpace, rows: number, seed: number): Networks {
  const random = Random.seeded(seed, PRETRAINING_STREAM);
  return listOf(Array.from({ length: rows }, () => new ArchNetwork(space, space.sample(random))));
}

/** A predictor of what can be told of cells for nothing; see `freeLabels`. */
async function pretrained<O extends object>(
  kind: GraphKind<O>,
  recipe: GraphRecipe<O>,
  networks: Networks,
  run: FitRun,
): Promise<Fitted> {
  const archs = Array.from({ length: networks.count }, (_, row) => networks.at(row).arch);
  const space = archs[0]?.space;
  if (space?.cell === undefined || archs.some((arch) => arch?.space !== space)) {
    throw new AuspexError(
      'SPACE_WITHOUT_CELLS',
      `${kind.title} is pretrained on the cells of one space; ${space?.title ?? 'these networks'} cannot be used`,
      { hint: 'give a space with cells, such as nasbench201' },
    );
  }
  const cellOf = (recipe.cells === 'pruned' ? space.prunedCell : undefined) ?? space.cell;
  const values = archs.map((arch) => arch!.value);
  const labels = freeLabels(space, values, cellOf, run.seed);
  const own: GraphRecipe<O> = {
    ...recipe,
    pretraining: undefined,
    loss: { error: 'absolute', rank: 0, consistency: 0 },
  };
  return fitGraphs(kind, own, { networks, labels }, run, 'pretraining');
}

// All kinds of predictors, by name: how each is trained, and how its file is loaded. Adding one is a line here.
import type { Model } from '../graph/graph.js';
import type { SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { CELL_MODELS, type CellModelName, type CellRecipe } from './cell-models.js';
import { CellPredictor, type CellPredictorInfo, fitCells } from './cell-predictor.js';
import type { ErrorScale } from './conformal.js';
import { FEATURE_MODELS, type FeatureModelName, type FeatureModelOptions } from './feature-models.js';
import { FeaturePredictor, type FeaturePredictorInfo, fitFeatures } from './feature-predictor.js';
import type { GraphTraining, TrainedMember, TrainingRecipe } from './fit-graphs.js';
import type { LabelledRows } from './labelled-rows.js';
import { NETWORK_MODELS, type NetworkModelName, type NetworkRecipe } from './network-models.js';
import { fitNetworks, NetworkPredictor, type NetworkPredictorInfo } from './network-predictor.js';
import type { ReadNetwork } from './network-source.js';
import type { Predictor, PredictorInfo, TrainingSplit } from './predictor.js';

/** What users may change of how a predictor is trained. */
export interface RecipeChanges {
  readonly steps?: number;
  readonly members?: number;
  readonly batch?: number;
  readonly rate?: number;
  /** Options of the model, by name. */
  readonly model?: Readonly<Record<string, unknown>>;
  /** Nothing is learned before the labels. */
  readonly isFromScratch?: boolean;
}

export interface KindFitOptions
  extends Pick<GraphTraining, 'checkpoint' | 'onProgress' | 'signal'>,
    Partial<Pick<GraphTraining, 'seed' | 'threads'>> {
  readonly space: string;
  readonly changes?: RecipeChanges;
  /** Whether labels are learned as they are or as logarithms. Default `linear`. */
  readonly scale?: ErrorScale;
  /** Rows that are not trained on: weights are chosen by them, and intervals are made with them. */
  readonly validation?: LabelledRows;
  readonly split?: TrainingSplit;
  /** A predictor to begin with. */
  readonly from?: Predictor;
  /** Where architectures are files. */
  readonly read?: ReadNetwork;
}

export interface FittedPredictor {
  readonly predictor: Predictor;
  /** How the training went, by member; none of what is not trained in steps. */
  readonly members: readonly TrainedMember[];
}

export interface LoadOptions extends SessionOptions {
  /** Where architectures are files. */
  readonly read?: ReadNetwork;
}

export interface PredictorKind {
  readonly title: string;
  /** What it looks at, in a few words. */
  readonly summary: string;
  /**
   * How it is trained on so many rows; there is none of what is not trained in steps, and has no members,
   * checkpoints or predictor to begin with.
   *
   * @throws AuspexError BAD_OPTION, MODEL_OPTION, PREDICTOR_KIND
   */
  recipe?(rows: number, changes?: RecipeChanges, from?: Predictor, scale?: ErrorScale): TrainingRecipe;
  fit(rows: LabelledRows, options: KindFitOptions): Promise<FittedPredictor>;
  load(model: Model, info: PredictorInfo, options?: LoadOptions): Promise<Predictor>;
}

function cellKind(name: CellModelName, summary: string): PredictorKind {
  const { title, recipe: given } = CELL_MODELS[name];
  const recipe: PredictorKind['recipe'] & object = (
    rows,
    changes = {},
    from,
    scale = 'linear',
  ): CellRecipe => {
    const own = given(rows, scale);
    const start = startOf(name, isCells, from)?.info.recipe.model;
    // Of what it begins with, only the sizes must be the same.
    const model = start && { ...start, dropout: own.model.dropout };
    const found = changed(name, own, changes, model);
    return changes.isFromScratch || from ? { ...found, pretraining: undefined } : found;
  };
  return {
    title,
    summary,
    recipe,
    fit: (rows, { changes, from, read: _, ...options }) => {
      const start = startOf(name, isCells, from);
      if (start !== undefined && start.info.space !== options.space) {
        throw new AuspexError(
          'OTHER_SPACE',
          `the predictor to begin with is for ${start.info.space}, the rows are of ${options.space}`,
          { hint: 'give one of the same space; predictors of whole networks may be of another' },
        );
      }
      return fitCells(rows, {
        ...options,
        kind: name,
        recipe: recipe(rows.architectures.length, changes, from, options.scale),
        ...(start ? { from: start } : {}),
      });
    },
    load: (model, info, { read: _, ...options } = {}) =>
      CellPredictor.create(model, info as CellPredictorInfo, options),
  };
}

function networkKind(name: NetworkModelName, summary: string): PredictorKind {
  const { title, recipe: given } = NETWORK_MODELS[name];
  const recipe = (rows: number, changes: RecipeChanges = {}, from?: Predictor): NetworkRecipe =>
    changed(name, given(rows), changes, startOf(name, isNetworks, from)?.info.recipe.model);
  return {
    title,
    summary,
    recipe,
    fit: (rows, { changes, from, ...options }) => {
      const start = startOf(name, isNetworks, from);
      return fitNetworks(rows, {
        ...options,
        kind: name,
        recipe: recipe(rows.architectures.length, changes, from),
        ...(start ? { from: start } : {}),
      });
    },
    load: (model, info, options) => NetworkPredictor.create(model, info as NetworkPredictorInfo, options),
  };
}

function featureKind(name: FeatureModelName, summary: string): PredictorKind {
  const { title, options: given } = FEATURE_MODELS[name];
  return {
    title,
    summary,
    fit: async (rows, { changes, ...options }) => {
      const settings = changedOptions<FeatureModelOptions>(name, given, changes?.model);
      return {
        predictor: await fitFeatures(rows, { ...options, kind: name, options: settings }),
        members: [],
      };
    },
    load: (model, info, options) => FeaturePredictor.create(model, info as FeaturePredictorInfo, options),
  };
}

/** Of all kinds, the ones for cells first. */
export const KINDS: ReadonlyMap<string, PredictorKind> = new Map([
  ['nn-former', cellKind('nn-former', 'cells: attention to neighbours and siblings')],
  ['nar-former-v2', cellKind('nar-former-v2', 'cells: linear attention to neighbours')],
  ['gcn', cellKind('gcn', 'cells: graph convolutions, as in BRP-NAS')],
  ['sage', cellKind('sage', 'cells: GraphSAGE, as in NNLP')],
  ['nn-former-network', networkKind('nn-former-network', 'whole networks: as nn-former')],
  ['nar-former-v2-network', networkKind('nar-former-v2-network', 'whole networks: as nar-former-v2')],
  ['nnlp-network', networkKind('nnlp-network', 'whole networks: GraphSAGE')],
  ['forest', featureKind('forest', 'a random forest on GRAF features, or on counts')],
  ['linear', featureKind('linear', 'linear in logarithms of parameters and FLOPs')],
  ['params', featureKind('params', 'linear in the logarithm of parameters')],
  ['flops', featureKind('flops', 'linear in the logarithm of FLOPs')],
]);

/**
 * The kind of a name.
 *
 * @throws AuspexError PREDICTOR_UNKNOWN
 */
export function kindNamed(name: string): PredictorKind {
  const kind = KINDS.get(name);
  if (kind !== undefined) return kind;
  throw new AuspexError('PREDICTOR_UNKNOWN', `there is no predictor called '${printableStart(name, 40)}'`, {
    hint: `there are ${[...KINDS.keys()].join(', ')}`,
  });
}

const isCells = (p: Predictor): p is CellPredictor => p instanceof CellPredictor;
const isNetworks = (p: Predictor): p is NetworkPredictor => p instanceof NetworkPredictor;

/** The predictor to begin with, which must be of the same kind. */
function startOf<P extends Predictor>(
  name: string,
  isKind: (predictor: Predictor) => predictor is P,
  from: Predictor | undefined,
): P | undefined {
  if (from === undefined) return undefined;
  if (isKind(from) && from.info.kind === name) return from;
  throw new AuspexError('PREDICTOR_KIND', `${from.info.kind} cannot be trained further as ${name}`);
}

function changed<M extends object, R extends TrainingRecipe & { readonly model: M }>(
  kind: string,
  base: R,
  { steps = base.steps, members = base.members, batch = base.batch, rate = base.rate, model }: RecipeChanges,
  first: M = base.model,
): R {
  if (![steps, members, batch].every((n) => Number.isInteger(n) && n >= 1)) {
    throw new AuspexError('BAD_OPTION', 'steps, members and the rows of a batch must be at least 1');
  }
  return { ...base, steps, members, batch, rate, model: changedOptions(kind, first, model) };
}

/** Options with some changed: those that there are, to values of the same type. */
function changedOptions<M extends object>(
  kind: string,
  options: M,
  changes: Readonly<Record<string, unknown>> = {},
): M {
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(options, name)) {
      const known = Object.keys(options);
      throw new AuspexError('MODEL_OPTION', `${kind} has no option '${printableStart(name, 40)}'`, {
        hint: known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`,
      });
    }
    const before: unknown = options[name as keyof M];
    const isSame = typeof value === typeof before && Array.isArray(value) === Array.isArray(before);
    if (!isSame || value === null) {
      throw new AuspexError('MODEL_OPTION', `option '${name}' of ${kind} is ${JSON.stringify(value)}`, {
        hint: `it must be like ${JSON.stringify(before)}`,
      });
    }
  }
  return { ...options, ...changes };
}

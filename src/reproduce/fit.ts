// The one place that knows how kinds of predictors are trained.
import { CELL_MODELS, type CellModelName, type CellRecipe } from '../predictors/cell-models.js';
import { type CellFitOptions, CellPredictor, fitCells, type LabelledRows } from '../predictors/cell-predictor.js';
import type { TrainedMember } from '../predictors/fit-graphs.js';
import type { Predictor } from '../predictors/predictor.js';
import { AuspexError } from '../util/errors.js';
import type { RecipeChanges } from './table.js';

export interface KindFitOptions extends Omit<CellFitOptions, 'kind' | 'recipe' | 'from'> {
  readonly kind: string;
  readonly recipe: RecipeChanges;
  readonly from?: Predictor;
}

export interface KindFit {
  readonly predictor: Predictor;
  /** How trainings went; none where there is nothing to train step by step. */
  readonly members: readonly TrainedMember[];
}

/** Trains a predictor of any kind. Codes: REPRODUCE_KIND and those of `fitCells`. */
export async function fitKind(rows: LabelledRows, options: KindFitOptions): Promise<KindFit> {
  const { kind, recipe, from, ...rest } = options;
  const changed = recipeOf(kind, rows.architectures.length, recipe);
  if (changed === undefined) {
    throw new AuspexError('REPRODUCE_KIND', `there is no predictor of the kind '${kind}'`, {
      hint: `there are ${Object.keys(CELL_MODELS).join(', ')}`,
    });
  }
  return fitCells(rows, {
    ...rest,
    kind: kind as CellModelName,
    recipe: changed,
    ...(from instanceof CellPredictor ? { from } : {}),
  });
}

/** The recipe with its changes; undefined for a kind without one. */
function recipeOf(kind: string, rows: number, changes: RecipeChanges): CellRecipe | undefined {
  if (!Object.hasOwn(CELL_MODELS, kind)) return undefined;
  const base = CELL_MODELS[kind as CellModelName].recipe(rows);
  return { ...base, ...changes, model: { ...base.model, ...changes.model } };
}

/** How much work a training is, in predictions of one architecture; a step takes as long as three of its batch. */
export function trainingWork(kind: string, rows: number, changes: RecipeChanges): number {
  const recipe = recipeOf(kind, rows, changes);
  return recipe === undefined ? rows : 3 * recipe.steps * recipe.batch * recipe.members;
}

// How much work a training is, for progress over many of them.
import { kindNamed, type RecipeChanges } from '../predictors/kinds/index.js';

/** In predictions of one architecture; a step takes as long as three of its batch. */
export function trainingWork(kind: string, rows: number, changes: RecipeChanges): number {
  const recipe = kindNamed(kind).recipe?.(rows, changes);
  return recipe === undefined ? rows : 3 * recipe.steps * recipe.batch * recipe.members;
}

// How models of cells are trained by default: to rank, or, where labels are learned as logarithms, to be near.
import type { CellForm } from '../../networks/network.js';
import type { ErrorScale } from '../intervals.js';
import type { GraphRecipe } from './graph-kind.js';

type CommonRecipe = Omit<GraphRecipe<never>, 'model'>;

/** More rows need more steps, but each of them is seen less often: 640 steps for 156 rows, 3,950 for 4,236. */
function steps(rows: number): number {
  return Math.round(40 * rows ** 0.55);
}

const COMMON: Omit<CommonRecipe, 'steps'> = {
  cells: 'pruned',
  loss: { error: 'squared', rank: 10, consistency: 10 },
  batch: 128,
  rate: 1e-3,
  weightDecay: 0.01,
  emaDecay: 0.99,
  members: 2,
};

/** Latencies are no noisier than a few per cent: nothing is gained by dropout, or by looking at pairs. */
const EXACT: Pick<CommonRecipe, 'loss' | 'rate' | 'cells'> = {
  cells: 'whole',
  loss: { error: 'absolute', rank: 0, consistency: 0 },
  rate: 2e-3,
};

export function cellRecipe(rows: number, scale: ErrorScale): CommonRecipe {
  return { ...COMMON, ...(scale === 'log' ? EXACT : {}), steps: steps(rows) };
}

/** The recipe without a second pass. */
export function onePass(recipe: CommonRecipe): CommonRecipe {
  return { ...recipe, loss: { ...recipe.loss, consistency: 0 } };
}

/**
 * What kinds that see cells have in common.
 *
 * @param sizes `any`: what the model puts out does not depend on the number n that cells are padded to, and its file takes
 * any
 */
export function seesCells(sizes: 'any' | 'fixed') {
  return {
    view: 'cell',
    viewOptions: ({ cells = 'whole' }: { readonly cells?: CellForm }) => ({ form: cells, sizes }),
    hasOwnDropout: true,
  };
}

// How models of computation graphs are trained by default: as GENNAPE's baselines are, for as many steps as 40 epochs of
// the authors' batches take, and no fewer than few rows need.
import type { GraphRecipe } from './graph-kind.js';

const EPOCHS = 40;
const BATCH = 32;
/** Of few rows. */
const LEAST_STEPS = 1000;

/** Squared error by Adam without decay, gradients cut at a norm of 5. */
export function computationRecipe(rows: number): Omit<GraphRecipe<never>, 'model'> {
  return {
    loss: { error: 'squared', rank: 0, consistency: 0 },
    batch: BATCH,
    rate: 1e-3,
    weightDecay: 0,
    emaDecay: 0.99,
    clipNorm: 5,
    members: 1,
    steps: Math.max(LEAST_STEPS, Math.ceil((EPOCHS * rows) / BATCH)),
  };
}

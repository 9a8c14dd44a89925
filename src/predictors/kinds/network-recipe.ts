// How models of whole networks are trained by default.
import type { Standard } from '../labels.js';
import type { NnlqpState } from '../views/nnlqp/view.js';
import type { GraphRecipe } from './graph-kind.js';

/** More rows need more steps, but each of them is seen less often. One pass: two would take twice as long. */
export function networkRecipe(rows: number): Omit<GraphRecipe<never>, 'model'> {
  return {
    loss: { error: 'absolute', rank: 0.5, consistency: 0 },
    batch: 32,
    rate: 1e-3,
    weightDecay: 0.01,
    emaDecay: 0.99,
    members: 1,
    steps: Math.round(Math.min(8000, Math.max(600, 12 * rows ** 0.75))),
  };
}

/** What kinds that see whole networks have in common. Their outputs are of either sign, as logarithms are. */
export function seesNetworks(encoding: NnlqpState['encoding']) {
  const standard: Standard = { kind: 'standard', centre: 0 };
  return { view: 'nnlqp', viewOptions: () => ({ encoding }), standard };
}

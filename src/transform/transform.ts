// What every transformation of a network gives: another model that computes the same, or says in what it differs, and a
// list of what was changed, node by node, for reports. A network that a transformation cannot take is refused with an
// error that names the node. Transformations neither run networks (but see constant folding) nor open files.
import type { Model } from '../graph/graph.js';

/** One thing that a transformation did. */
export interface Change {
  /** The transformation: 'opset', 'batch', 'sizes', 'float', 'control flow', 'cut', 'simplify' … */
  readonly transform: string;
  /** What was done, as a sentence without a full stop: "Softmax along axis 1 reads the rest as one axis". */
  readonly what: string;
  /** The node of the model before, where it is about one. */
  readonly node?: string;
  readonly operator?: string;
}

export interface Transformed {
  readonly model: Model;
  /** In the order they were made; empty where nothing had to be done, and the model is then the one that was given. */
  readonly changes: readonly Change[];
}

/** Transformations one after another. */
export function inTurn(
  model: Model,
  ...steps: readonly ((model: Model) => Transformed | Promise<Transformed>)[]
): Promise<Transformed> {
  return steps.reduce<Promise<Transformed>>(
    async (before, step) => {
      const { model: given, changes } = await before;
      const after = await step(given);
      return { model: after.model, changes: [...changes, ...after.changes] };
    },
    Promise.resolve({ model, changes: [] }),
  );
}

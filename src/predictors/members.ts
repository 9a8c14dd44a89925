// Several models of graphs, trained from different seeds, as one: the mean of what they say, in the labels' units.

import type { DataType } from '../graph/dtype.js';
import type { Model } from '../graph/graph.js';
import { tensorNumbers } from '../graph/tensor.js';
import type { Shape } from '../graph/types.js';
import { isTensor } from '../graph/types.js';
import { freeze } from '../nn/freeze.js';
import type { Scope } from '../nn/scope.js';
import { type Inputs, trace } from '../nn/step.js';
import type { Weights } from '../nn/trainer.js';
import type { Value } from '../ops/build.js';
import { type LabelScale, unlearned } from './labels.js';
import { OUTPUT } from './onnx-predictor.js';

const MEMBER = 'member';

/** What a model takes; sizes that may be any are symbols. */
export type InputShapes = Readonly<Record<string, { readonly type: DataType; readonly dims: Shape }>>;

/**
 * The mean of all members as one model: (batch, labels).
 *
 * @param build (B, …) → (B, labels), as they were learned
 */
export function membersModel(
  members: readonly Weights[],
  shapes: InputShapes,
  build: (s: Scope, inputs: Inputs) => Value,
  scales: readonly LabelScale[],
): Model {
  const { model } = trace(
    shapes,
    false,
    (s, inputs) => {
      const found = members.map((_, i) => build(s.at(MEMBER, i), inputs));
      return unlearned(s.builder.sum(found).div(members.length), scales);
    },
    OUTPUT,
  );
  const { type } = model.graph.outputs[0]!;
  if (!isTensor(type) || String(type.shape) !== `batch,${scales.length}`) {
    throw new Error(`the model does not take any batch: its output is ${type}`);
  }
  const weights = members.flatMap((member, i) =>
    [...member].map(([name, data]) => [`${MEMBER}.${i}.${name}`, data] as const),
  );
  return freeze(model, new Map(weights));
}

/** The weights of every member of such a model. */
export function memberWeights(model: Model, members: number): Map<string, Float32Array>[] {
  return Array.from({ length: members }, (_, member) => {
    const prefix = `${MEMBER}.${member}.`;
    const own = [...model.graph.initializers].filter(([name]) => name.startsWith(prefix));
    return new Map(
      own.map(([name, tensor]) => [name.slice(prefix.length), Float32Array.from(tensorNumbers(tensor))]),
    );
  });
}

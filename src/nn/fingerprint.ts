// Fingerprints of what is trained and how: a training goes on only where both are what they were. They are digests
// of the graphs that are written, so a changed layer, loss or hyperparameter shows without being declared.
import { makeGraph, makeModel } from '../graph/graph.js';
import { encodeModel } from '../onnx/write.js';
import type { Builder, Value } from '../ops/build.js';
import { digest } from '../util/digest.js';
import type { Optimiser } from './optimiser.js';
import { Trace } from './scope.js';
import { type BatchShapes, LOSS, type Objective, trace } from './step.js';

/** One byte, one character. */
const bytesAsText = new TextDecoder('latin1');

/** Of the loss in training, for batches of one shape. */
export function objectiveFingerprint(objective: Objective, shapes: BatchShapes): string {
  const { model } = trace(shapes, true, (s, batch) => objective.loss(s, batch), LOSS);
  return digest(bytesAsText.decode(encodeModel(model)));
}

/** Of the update rule with its hyperparameters, but not the learning rate. */
export function optimiserFingerprint(optimiser: Optimiser): string {
  const { builder } = new Trace(true);
  const scalars = Object.fromEntries(
    Object.keys(optimiser.scalars(1, 1)).map((name) => [name, builder.input(name, 'float32', [])]),
  );
  // Vectors and matrices: weight decay may tell them apart.
  const updated = [[2], [2, 2]].flatMap((dims) => updates(builder, optimiser, dims, scalars));
  const graph = makeGraph({
    nodes: builder.nodes,
    inputs: builder.inputs,
    outputs: updated.map(({ name, type }) => ({ name, type })),
    initializers: builder.initializers,
  });
  const numbers = JSON.stringify(optimiser.scalars(3, 0.5));
  return digest(numbers + bytesAsText.decode(encodeModel(makeModel(graph))));
}

function updates(
  builder: Builder,
  optimiser: Optimiser,
  dims: readonly number[],
  scalars: Readonly<Record<string, Value>>,
): Value[] {
  const input = (name: string): Value => builder.input(`${name}[${dims}]`, 'float32', dims);
  const { parameter, slots } = optimiser.update({
    parameter: input('parameter'),
    gradient: input('gradient'),
    slots: Object.fromEntries(optimiser.slots.map((slot) => [slot, input(slot)])),
    scalars,
    decays: optimiser.decays(dims.length),
  });
  return [parameter, ...optimiser.slots.map((slot) => slots[slot]!)];
}

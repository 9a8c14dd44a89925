// What latency predictors minimise. Batches hold a network's tensors and `latency` (B, 1), in ms.
import { l1, relativeSquaredError } from '../../nn/losses.js';
import type { Scope } from '../../nn/scope.js';
import type { Inputs, Objective } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import type { NetworkInputs } from './heads.js';

/** A predictor: (B, …) → (B, 1). */
export type LatencyModel = (s: Scope, networks: NetworkInputs) => Value;

/** Weight of the difference between two passes. */
const CONSISTENCY = 0.01;

/**
 * mean((p₁/y − 1)²) + mean((p₂/y − 1)²) + 0.01·mean|p₁ − p₂|, of two passes that differ by dropout; as NN-Former is
 * trained on latencies. All (B, 1).
 */
export function twoPassLoss(first: Value, second: Value, latency: Value): Value {
  return relativeSquaredError(first, latency)
    .add(relativeSquaredError(second, latency))
    .add(l1(first, second).mul(CONSISTENCY));
}

/** mean((p/y − 1)²) of one pass: NNLP's. */
export function relativeErrorObjective(model: LatencyModel): Objective {
  const predict = modelOf(model);
  return { predict, loss: (s, batch) => relativeSquaredError(predict(s, batch), batch.latency!) };
}

/** `twoPassLoss`: NN-Former's. */
export function twoPassObjective(model: LatencyModel): Objective {
  const predict = modelOf(model);
  return {
    predict,
    loss: (s, batch) => twoPassLoss(predict(s, batch), predict(s, batch), batch.latency!),
  };
}

function modelOf(model: LatencyModel): Objective['predict'] {
  return (s: Scope, { nodes, presence, adjacency, statics, platform }: Inputs) => {
    const networks = { nodes: nodes!, presence: presence!, adjacency: adjacency!, statics: statics! };
    return model(s, platform === undefined ? networks : { ...networks, platform });
  };
}

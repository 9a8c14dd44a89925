// NN-Former's accuracy model as the benchmark's workload: the paper's sizes, graphs of 7 nodes, the released masks.
import type { BatchShapes, Objective } from '../../src/nn/step.js';
import {
  type GraphInputs,
  NN_FORMER,
  type NNFormerOptions,
  nnFormer,
} from '../../src/predictors/models/nn-former.js';

export const PAPER: NNFormerOptions = { ...NN_FORMER, maskVariant: 'released', dropout: 0 };

export function objective(options: NNFormerOptions): Objective {
  const predict: Objective['predict'] = (s, batch) => nnFormer(s, batch as unknown as GraphInputs, options);
  return {
    predict,
    loss: (s, batch) => predict(s, batch).sub(batch.target!).square().mean(),
  };
}

export function shapes(batch: number, nodes = 7): BatchShapes {
  return {
    operations: { type: 'float32', dims: [batch, nodes, 32] },
    size: { type: 'float32', dims: [batch, 1, 32] },
    adjacency: { type: 'float32', dims: [batch, nodes, nodes] },
    target: { type: 'float32', dims: [batch, 1] },
  };
}

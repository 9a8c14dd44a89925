// arch2vec as the benchmark's workload: the paper's sizes, cells of 7 nodes, the losses of the method.
import type { Batch } from '../../src/nn/batch.js';
import type { BatchShapes, Inputs, Objective } from '../../src/nn/step.js';
import { ARCH2VEC, encodeCells } from '../../src/predictors/models/arch2vec.js';
import { cellLoss } from '../../src/predictors/models/cell-heads.js';
import { Random } from '../../src/util/random.js';

const NODES = 7;

const cellsOf = ({ operations, adjacency }: Inputs) => ({ operations: operations!, adjacency: adjacency! });

export const objective: Objective = {
  predict: (s, batch) => encodeCells(s, cellsOf(batch), ARCH2VEC).mean,
  loss: (s, batch) => cellLoss(s, cellsOf(batch), ARCH2VEC),
};

export function shapes(batch: number): BatchShapes {
  return {
    operations: { type: 'float32', dims: [batch, NODES, ARCH2VEC.operations] },
    adjacency: { type: 'float32', dims: [batch, NODES, NODES] },
  };
}

/** Cells with every edge as likely as not. */
export function cells(batch: number): Batch {
  const random = Random.seeded(1);
  const operations = new Float32Array(batch * NODES * ARCH2VEC.operations);
  for (let node = 0; node < batch * NODES; node++) {
    operations[node * ARCH2VEC.operations + random.below(ARCH2VEC.operations)] = 1;
  }
  const adjacency = Float32Array.from({ length: batch * NODES ** 2 }, (_, at) => {
    const [from, to] = [Math.floor(at / NODES) % NODES, at % NODES];
    return Number(to > from && random.chance(0.5));
  });
  return {
    operations: { type: 'float32', dims: [batch, NODES, ARCH2VEC.operations], data: operations },
    adjacency: { type: 'float32', dims: [batch, NODES, NODES], data: adjacency },
  };
}

// What fused matrix products are made of, to differentiate them.
import type { Value } from '../build.js';
import type { Decomposition, Expansion } from '../gradient.js';
import { fusedActivation } from './fused-activation.gradient.js';

/**
 * A factor as the product sees it. `transBatch` moves the first dimension behind the batch dimensions; `trans`
 * swaps the last two after that. Vectors stay as they are.
 */
function factor({ call }: Expansion, value: Value, side: 'A' | 'B'): Value {
  const { rank } = value;
  if (rank < 2) return value;
  const axes = [...Array(rank).keys()];
  const rows = call.int(`transBatch${side}`, 0) !== 0 ? 0 : rank - 2;
  const batch = axes.filter((axis) => axis !== rows && axis !== rank - 1);
  const isTransposed = call.int(`trans${side}`, 0) !== 0;
  return value.transpose([...batch, ...(isTransposed ? [rank - 1, rows] : [rows, rank - 1])]);
}

/** activation(α·A·B) with transpositions. */
export const fusedMatMulParts: Decomposition = (node) => {
  const product = factor(node, node.input(0), 'A').matmul(factor(node, node.input(1), 'B'));
  return [fusedActivation(node, product.mul(node.call.float('alpha', 1)))];
};

/** activation(α·A·B + β·C). */
export const fusedGemmParts: Decomposition = (node) => {
  const { builder, call } = node;
  const gemm = builder.op('Gemm', [node.input(0), node.input(1), node.optionalInput(2)], {
    alpha: call.float('alpha', 1),
    beta: call.float('beta', 1),
    transA: call.int('transA', 0),
    transB: call.int('transB', 0),
  });
  return [fusedActivation(node, gemm)];
};

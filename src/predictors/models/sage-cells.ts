// The GraphSAGE of NNLP (Liu et al., ICPP 2022) on cells: what a node is, is its operation, and there is nothing to know of
// the network as a whole.
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { allHeads } from './network-heads.js';
import type { GraphInputs } from './nn-former.js';
import { NNLP, sageFeatures, sageHead } from './nnlp.js';

interface SageCellsOptions {
  readonly width: number;
  readonly dropout: number;
  /** Labels that are predicted; 1 unless told. Each has a head of its own. */
  readonly outputs?: number;
}

/** Of NNLP's sizes. */
export const SAGE_CELLS: SageCellsOptions = { width: NNLP.width, dropout: NNLP.dropout };

/**
 * (B, n, codes), (B, n, n) → (B, outputs). NNLP ends with −log σ(y), as a latency is positive; labels of cells may be of
 * any kind and are scaled, so here it is y.
 */
export function sageCells(
  s: Scope,
  { operations, adjacency }: Pick<GraphInputs, 'operations' | 'adjacency'>,
  options: SageCellsOptions = SAGE_CELLS,
): Value {
  const presence = operations.sum([2]);
  const features = sageFeatures(s, { nodes: operations, presence, adjacency }, options);
  return allHeads(s, options.outputs ?? 1, (head) => sageHead(head, features, options));
}

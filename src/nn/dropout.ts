// Regularisation by leaving things out, in training only.
import type { Value } from '../ops/build.js';
import type { Scope } from './scope.js';

/** Srivastava et al. 2014, inverted: elements are 0 with probability `rate`, the others grow by 1/(1 − rate). */
export function dropout(s: Scope, x: Value, rate: number): Value {
  if (!s.isTraining || rate === 0) return x;
  return x.mul(s.noise({ kind: 'keep', rate }, x.sizes));
}

/** Stochastic depth (Huang et al. 2016): a branch is left out for whole samples, the first dimension of x. */
export function dropPath(s: Scope, x: Value, rate: number): Value {
  if (!s.isTraining || rate === 0) return x;
  const dims = x.sizes.map((d, i) => (i === 0 ? d : 1));
  return x.mul(s.noise({ kind: 'keep', rate }, dims));
}

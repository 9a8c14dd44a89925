// Regularisation by leaving things out, in training only.
import type { Value } from '../ops/build.js';
import type { Scope } from './scope.js';

/** Srivastava et al. 2014, inverted: elements are 0 with probability `rate`, the others grow by 1/(1 − rate). */
export function dropout(s: Scope, x: Value, rate: number): Value {
  if (!s.isTraining || rate === 0) return x;
  return x.mul(s.noise({ kind: 'keep', rate }, x.sizes));
}

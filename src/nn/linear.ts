// Dense layers and lookups.
import type { Value } from '../ops/build.js';
import { type Initialiser, kaimingUniform, normal, uniform } from './initialise.js';
import type { Scope } from './scope.js';

export interface LinearOptions {
  readonly bias?: boolean;
  /** Default: PyTorch's, uniform within ±1/√in. */
  readonly weight?: Initialiser;
  readonly biasInit?: Initialiser;
}

/** y = x·W + b: (…, in) → (…, out). W is (in, out). */
export function linear(s: Scope, x: Value, out: number, options: LinearOptions = {}): Value {
  const size = x.length(-1);
  const weight = s.parameter('weight', [size, out], options.weight ?? kaimingUniform(1 / Math.sqrt(3)));
  const y = x.matmul(weight);
  if (options.bias === false) return y;
  const bound = 1 / Math.sqrt(size);
  return y.add(s.parameter('bias', [out], options.biasInit ?? uniform(-bound, bound)));
}

/** Rows of a table: (…) of whole numbers below `count` → (…, size). */
export function embedding(
  s: Scope,
  indices: Value,
  count: number,
  size: number,
  weight: Initialiser = normal(0, 1),
): Value {
  return s.parameter('weight', [count, size], weight).gather(indices);
}

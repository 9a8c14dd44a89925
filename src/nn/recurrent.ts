// Recurrent layers, one step at a time: the caller's loop unrolls them.
import type { Value } from '../ops/build.js';
import { uniform } from './initialise.js';
import { linear } from './linear.js';
import type { Scope } from './scope.js';

export interface LstmState {
  /** (B, size) */
  readonly hidden: Value;
  /** (B, size) */
  readonly cell: Value;
}

/**
 * One step of an LSTM (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al. 2000): x (B, d).
 *
 *     [i f g o] = x·W + b + hidden·U + c,   cell' = σ(f)⊙cell + σ(i)⊙tanh(g),   hidden' = σ(o)⊙tanh(cell')
 *
 * The order of the gates, both biases and the first values, uniform within ±1/√size, are PyTorch's; W is
 * `input.weight` (d, 4·size), U `hidden.weight` (size, 4·size).
 *
 * @param state what the step before gave; zeros unless given.
 */
export function lstmCell(s: Scope, x: Value, size: number, state?: LstmState): LstmState {
  const zero = (): Value => s.builder.full([x.length(0), size], 0, x.dtype);
  const { hidden, cell } = state ?? { hidden: zero(), cell: zero() };
  const bound = 1 / Math.sqrt(size);
  const options = { weight: uniform(-bound, bound), biasInit: uniform(-bound, bound) };
  const gates = linear(s.at('input'), x, 4 * size, options).add(
    linear(s.at('hidden'), hidden, 4 * size, options),
  );
  const [i, f, g, o] = gates.split([size, size, size, size], -1);
  const kept = f!.sigmoid().mul(cell);
  const next = kept.add(i!.sigmoid().mul(g!.tanh()));
  return { hidden: o!.sigmoid().mul(next.tanh()), cell: next };
}

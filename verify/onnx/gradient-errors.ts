// How far gradients are from PyTorch's. PyTorch's own, computed in float32, are rounded too; what they would be
// without rounding is known from float64.
import type { GoldenCase, GoldenWeight } from './golden.js';

/** What a gradient may differ from PyTorch's, of its largest element. */
export const TOLERANCE = 1e-3;

/** How many times as far from the gradient in float64 as PyTorch's in float32 another may be. */
const ROUNDING_FACTOR = 4;

/**
 * `same`: within the tolerance of PyTorch's gradient in float32. `precise`: not of that, but of its gradient in
 * float64. `rounding`: of neither, but nor are PyTorch's two of each other, and this one is about as near to
 * float64; mostly gradients that are zero in exact arithmetic. `different`: anything else.
 */
export type GradientVerdict = 'same' | 'precise' | 'rounding' | 'different';

export interface WeightResult {
  /** The parameters of the module that the weight holds. */
  readonly name: string;
  readonly verdict: GradientVerdict;
  /** Largest difference from PyTorch's gradient in float32, of its largest element. */
  readonly error: number;
  /** Norm of the difference, of the norm. */
  readonly normError: number;
  /** Largest difference from PyTorch's gradient in float64, of its largest element. */
  readonly preciseError: number;
  /** The same of PyTorch's gradient in float32. */
  readonly torchError: number;
}

export function compareWeight(golden: GoldenCase, weight: GoldenWeight, actual: Float32Array): WeightResult {
  const [expected, precise] = [golden.floats(weight.float32), golden.floats(weight.float64)];
  const error = relativeError(actual, expected);
  const preciseError = relativeError(actual, precise);
  const torchError = relativeError(expected, precise);
  return {
    name: weight.parameters.join(' + '),
    verdict: verdictOf(error, preciseError, torchError),
    error,
    normError: relativeNormError(actual, expected),
    preciseError,
    torchError,
  };
}

function verdictOf(error: number, preciseError: number, torchError: number): GradientVerdict {
  if (error <= TOLERANCE) return 'same';
  if (preciseError <= TOLERANCE) return 'precise';
  const isRounded = torchError > TOLERANCE && preciseError <= ROUNDING_FACTOR * torchError;
  return isRounded ? 'rounding' : 'different';
}

function relativeError(actual: Float32Array, expected: Float32Array): number {
  if (actual.length !== expected.length) return Number.NaN;
  let [difference, largest] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    difference = Math.max(difference, Math.abs(actual[i]! - expected[i]!));
    largest = Math.max(largest, Math.abs(expected[i]!));
  }
  return difference === 0 ? 0 : difference / largest;
}

function relativeNormError(actual: Float32Array, expected: Float32Array): number {
  let [difference, norm] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    difference += (actual[i]! - expected[i]!) ** 2;
    norm += expected[i]! ** 2;
  }
  return difference === 0 ? 0 : Math.sqrt(difference / norm);
}

// A convolution in numbers: where its kernel lies on each axis, and how many channels go in and out.
import type { Value } from '../../build.js';
import type { Call } from '../../operator.js';
import { sizeOf } from '../arrays/data-movement.js';
import { type PlacedAxis, place, sizesAfterBatch } from './window.gradient.js';
import { kernelOf, windowOf } from './window.js';

export interface Convolution {
  readonly axes: readonly PlacedAxis[];
  readonly kernel: readonly number[];
  /** k = k1 · … · kn */
  readonly kernelSize: number;
  readonly group: number;
  /** C */
  readonly channels: number;
  /** O */
  readonly filters: number;
}

/** @param input what the convolution slides over, (N, C, …); @param output what it gives, (N, O, …) */
export function describe(
  call: Call,
  input: Value,
  weights: Value,
  output: Value,
  spare?: readonly number[],
): Convolution {
  const [channels, ...sizes] = sizesAfterBatch(input) as [number, ...number[]];
  const [filters, ...positions] = sizesAfterBatch(output) as [number, ...number[]];
  const window = windowOf(call, kernelOf(call, weights.shape)!);
  const axes = place(call, { window, sizes, positions, ...(spare && { spare }) });
  const kernel = axes.map((axis) => axis.kernel);
  return { axes, kernel, kernelSize: sizeOf(kernel), group: call.int('group', 1), channels, filters };
}

// How a convolution goes over its input; a window of one element with stride 1 for all other operators.
import { isKnown } from '../graph/dim.js';
import { isTensor } from '../graph/types.js';
import { inputsOf, traitsOf } from '../ops/index.js';
import type { Call } from '../ops/operator.js';

export interface Window {
  /** The longest side. */
  readonly kernel: number;
  /** The largest of all axes. */
  readonly stride: number;
  readonly groups: number;
  /** Elements of the window. */
  readonly area: number;
}

/** @param unknown what sides count as that neither attributes nor weights tell */
export function windowOf(call: Call, unknown: number): Window {
  const { node } = call;
  if (traitsOf(node).convolution === undefined) return { kernel: 1, stride: 1, groups: 1, area: 1 };
  const [slot = 1] = inputsOf(node, call.opset).slots('weight');
  const weight = call.inputs[slot];
  const shape = (isTensor(weight) ? weight.shape : undefined) ?? [];
  const sides = call.ints('kernel_shape') ?? shape.slice(2).map((size) => (isKnown(size) ? size : unknown));
  return {
    kernel: Math.max(1, ...sides),
    stride: Math.max(1, ...(call.ints('strides') ?? [])),
    groups: call.int('group', 1),
    area: sides.reduce((n, side) => n * side, 1),
  };
}

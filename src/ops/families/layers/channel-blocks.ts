// Values whose channels lie in blocks of B, as ONNX Runtime's blocked kernels want them (com.microsoft.nchwc): into them, out of
// them, and the kernel that convolves them. Their types keep the shape of the image, and only the order of elements differs.
import type { Value } from '../../build.js';
import { type ConvAxis, cutAxes } from './window.gradient.js';

const DOMAIN = 'com.microsoft.nchwc';

/** B. */
export function blockOf({ builder }: Value): number {
  return builder.channelBlock!;
}

function ints(value: readonly number[]) {
  return { type: 'ints', value } as const;
}

function int(value: number) {
  return { type: 'int', value } as const;
}

/** (N, C, H, W) to (N, C/B, H, W, c). */
export function toBlocks(value: Value): Value {
  return value.builder.apply('ReorderInput', [value], {}, { domain: DOMAIN })[0]!;
}

/** (N, H, W, C) to (N, C/B, H, W, c). */
export function lastToBlocks(value: Value): Value {
  return value.builder.apply('ReorderInput', [value], { channels_last: int(1) }, { domain: DOMAIN })[0]!;
}

/** (N, C/B, H, W, c) to (N, C, H, W). */
export function fromBlocks(value: Value, channels: number): Value {
  return value.builder.apply('ReorderOutput', [value], { channels: int(channels) }, { domain: DOMAIN })[0]!;
}

/** (N, C/B, H, W, c) to (N, H, W, C). */
export function lastFromBlocks(value: Value, channels: number): Value {
  const attributes = { channels: int(channels), channels_last: int(1) };
  return value.builder.apply('ReorderOutput', [value], attributes, { domain: DOMAIN })[0]!;
}

export interface BlockedConvolution {
  /** Of all axes; begin and end are not negative. */
  readonly axes: readonly ConvAxis[];
  readonly group: number;
  readonly bias?: Value | undefined;
}

/** Blocks convolved. @param weights their shape is (O, C/g, k1, k2) */
export function convolveBlocks(x: Value, weights: Value, { axes, group, bias }: BlockedConvolution): Value {
  const attributes = {
    kernel_shape: ints(weights.sizes.slice(2)),
    strides: ints(axes.map((axis) => axis.stride)),
    dilations: ints(axes.map((axis) => axis.dilation)),
    pads: ints([...axes.map((axis) => axis.begin), ...axes.map((axis) => axis.end)]),
    group: int(group),
  };
  const inputs = bias ? [x, weights, bias] : [x, weights];
  return x.builder.apply('Conv', inputs, attributes, { domain: DOMAIN })[0]!;
}

/** An image without what negative padding takes away, and its axes with what is left to pad. */
export function withoutNegative(
  x: Value,
  axes: readonly ConvAxis[],
): readonly [image: Value, axes: readonly ConvAxis[]] {
  const [image, pads] = cutAxes(x, axes);
  const left = axes.map((axis, i) => ({ ...axis, begin: pads[i]!, end: pads[axes.length + i]! }));
  return [image, left];
}

/** (k, n) to (n, k) by way of blocks, n being a multiple of them: Transpose takes five times as long. */
export function transposedByBlocks(value: Value): Value {
  const [rows, columns] = value.sizes as [number, number];
  const block = blockOf(value);
  const blocks = lastToBlocks(value.reshape([1, rows, 1, columns])).reshape([
    columns / block,
    block,
    1,
    rows,
  ]);
  return fromBlocks(blocks, block).reshape([columns, rows]);
}

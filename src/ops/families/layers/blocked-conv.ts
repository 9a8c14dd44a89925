// Convolutions by ONNX Runtime's blocked kernels (com.microsoft.nchwc), whose channels lie in blocks of as many as the
// processor's registers hold, B. ONNX Runtime only takes them where weights are constants; here weights are brought into
// their order in every run, so that training steps have them, too. With B channels for a letter in lower case:
//
//   images (N, C, …)      → (N, C/B, …, c)
//   weights (O, C/g, k)   → (O/B, C/gB, k, c, o), or (O/B, C/g, k, o) where a group has fewer than B channels
//
// They are 1.2 to 2 times as fast as Conv for kernels of more than one element, up to 10 times where each channel is a
// group of its own, and use two threads for images of any size. Kernels of one element are matrix products, which
// are faster as they are. Bringing everything into blocks and back takes less than a tenth of the time.
import type { Node } from '../../../graph/graph.js';
import { isDefaultDomain } from '../../../graph/graph.js';
import type { Builder, Value } from '../../build.js';
import { type Convolution, describe } from './placed-convolution.js';
import { type ConvAxis, cutAxes } from './window.gradient.js';

const DOMAIN = 'com.microsoft.nchwc';

/** Fewer channels than a block's are read as they are; that is faster from this many elements of the kernel on. */
const MANY_ELEMENTS = 25;

/** Whether blocked kernels take a convolution and are faster. @param block undefined where there are none */
export function isBlocked(conv: Convolution, x: Value, block: number | undefined): block is number {
  const { axes, kernelSize, group, channels, filters } = conv;
  if (block === undefined || x.dtype !== 'float32' || axes.length !== 2 || kernelSize === 1) return false;
  if (filters % block !== 0) return false;
  if (group > 1 && group === channels && group === filters) return true;
  if (group === 1 && channels < block) return kernelSize >= MANY_ELEMENTS;
  return (channels / group) % block === 0 && (filters / group) % block === 0;
}

/** Writes a node that convolves in blocks; false where it is not one, or is faster as it is. */
export function writeInBlocks(builder: Builder, node: Node): boolean {
  const [x, w, bias] = node.inputs.map((name) => (name === '' ? undefined : builder.value(name)));
  const isConv = node.opType === 'Conv' && isDefaultDomain(node.domain) && x!.rank === 4;
  if (!isConv) return false;
  const conv = describe(builder.callOf(node), x!, w!, builder.value(node.outputs[0]!));
  if (!isBlocked(conv, x!, builder.channelBlock)) return false;
  blockedConv(x!, blockedWeights(conv, w!), conv.axes, conv.group, bias);
  // The last node gives what the first was to give.
  builder.nodes.push({ ...builder.nodes.pop()!, outputs: node.outputs });
  return true;
}

/** dX = Conv of dY with kernels reversed, and input and output channels swapped, for strides of 1. */
export function reversedBlocked(
  conv: Convolution,
  dy: Value,
  w: Value,
  axes: readonly ConvAxis[],
): Value | undefined {
  const { group, channels, filters } = conv;
  const isDepthwise = group === channels && group === filters;
  if (group > 1 && !isDepthwise) return undefined;
  const weights = isDepthwise ? reversedKernels(conv, w) : reversedWeights(conv, w);
  return blockedConv(dy, weights, axes, group);
}

/** @param weights in blocks */
function blockedConv(
  x: Value,
  weights: Value,
  axes: readonly ConvAxis[],
  group: number,
  bias?: Value,
): Value {
  const { builder } = x;
  const [image, pads] = cutAxes(x, axes);
  const [filters, , ...kernel] = weights.sizes as [number, number, ...number[]];
  const inputs = [x.length(1) < blockOf(x) ? image : reordered(image), weights];
  const attributes = {
    kernel_shape: ints(kernel),
    strides: ints(axes.map((axis) => axis.stride)),
    dilations: ints(axes.map((axis) => axis.dilation)),
    pads: ints(pads),
    group: int(group),
  };
  const [y] = builder.apply('Conv', bias ? [...inputs, bias] : inputs, attributes, { domain: DOMAIN });
  return builder.apply('ReorderOutput', [y], { channels: int(filters) }, { domain: DOMAIN })[0]!;
}

function ints(value: readonly number[]) {
  return { type: 'ints', value } as const;
}

function int(value: number) {
  return { type: 'int', value } as const;
}

function blockOf({ builder }: Value): number {
  return builder.channelBlock!;
}

/** (N, C, H, W) to (N, C/B, H, W, c), of which only the order of elements is right. */
function reordered(value: Value): Value {
  return value.builder.apply('ReorderInput', [value], {}, { domain: DOMAIN })[0]!;
}

/** (N, H, W, C) to (N, C/B, H, W, c). */
function reorderedLast(value: Value): Value {
  return value.builder.apply('ReorderInput', [value], { channels_last: int(1) }, { domain: DOMAIN })[0]!;
}

/** (O, C/g, k) to (O/B, C/gB, k, c, o), or to (O/B, C/g, k, o). */
function blockedWeights({ channels, filters, group, kernel, kernelSize }: Convolution, w: Value): Value {
  const block = blockOf(w);
  const perGroup = channels / group;
  // (O/B, o, C/g, k) to (O/B, C/g, k, o).
  const filtersLast = reordered(w.reshape([filters / block, block, perGroup, kernelSize]));
  const dims = [filters, perGroup, ...kernel];
  if (perGroup < block) return filtersLast.reshape(dims);
  // (O/B·C/gB, c, k, o) to (O/B·C/gB, k, c, o).
  const blocks = (filters * perGroup) / block ** 2;
  return reorderedLast(filtersLast.reshape([blocks, block, 1, kernelSize * block])).reshape(dims);
}

/** (O, C, k) to (C/B, O/B, k reversed, o, c). */
function reversedWeights({ channels, filters, kernel, kernelSize }: Convolution, w: Value): Value {
  const block = blockOf(w);
  const [rows, columns] = [filters / block, channels / block];
  // (O·C/B, c, k) to (O, C/B, k, c), and that to (C/B, k, O, c).
  const channelsLast = reordered(w.reshape([filters * columns, block, 1, kernelSize]));
  const filtersInner = reorderedLast(channelsLast.reshape([1, filters, 1, columns * kernelSize * block]));
  const order: number[] = [];
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      for (let i = kernelSize - 1; i >= 0; i--) order.push((column * kernelSize + i) * rows + row);
    }
  }
  return filtersInner
    .reshape([order.length, block * block])
    .gather(w.builder.constant(order, 'int64'))
    .reshape([channels, filters, ...kernel]);
}

/** One kernel a channel: (C, 1, k) to (C/B, k reversed, c). */
function reversedKernels({ channels, kernel, kernelSize }: Convolution, w: Value): Value {
  const block = blockOf(w);
  const order = Array.from({ length: kernelSize }, (_, i) => kernelSize - 1 - i);
  return reordered(w.reshape([channels / block, block, 1, kernelSize]))
    .reshape([channels / block, kernelSize, block])
    .gather(w.builder.ints(order), 1)
    .reshape([channels, 1, ...kernel]);
}

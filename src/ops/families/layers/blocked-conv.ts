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
import { isDefaultDomain, type Node } from '../../../graph/graph.js';
import type { Builder, Value } from '../../build.js';
import {
  blockOf,
  convolveBlocks,
  fromBlocks,
  lastToBlocks,
  toBlocks,
  withoutNegative,
} from './channel-blocks.js';
import { type Convolution, describe } from './placed-convolution.js';
import { ofImages, planesUnder, toVolumes } from './volumes.js';
import type { ConvAxis } from './window.gradient.js';

/** Fewer channels than a block's are read as they are; that is faster from this many elements of the kernel on. */
const MANY_ELEMENTS = 25;

/** Whether every channel is a group of its own, and has one filter. */
export function isDepthwise({ group, channels, filters }: Convolution): boolean {
  return group > 1 && group === channels && group === filters;
}

/** Whether blocked kernels take a convolution and are faster. @param block undefined where there are none */
export function isBlocked(conv: Convolution, x: Value, block: number | undefined): block is number {
  const { axes, kernelSize, group, channels, filters } = conv;
  if (block === undefined || x.dtype !== 'float32' || axes.length !== 2 || kernelSize === 1) return false;
  // To bring weights and images into blocks takes eight nodes, which take longer to be compiled than they save in one run.
  if (x.builder.runsOnce) return false;
  if (filters % block !== 0) return false;
  if (isDepthwise(conv)) return true;
  if (group === 1 && channels < block) return kernelSize >= MANY_ELEMENTS;
  return (channels / group) % block === 0 && (filters / group) % block === 0;
}

/** Writes a node that convolves in blocks; false where it is not one, or is faster as it is. */
export function writeInBlocks(builder: Builder, node: Node): boolean {
  const [x, w, bias] = node.inputs.map((name) => (name === '' ? undefined : builder.value(name)));
  const isConv = node.opType === 'Conv' && isDefaultDomain(node.domain) && (x!.rank === 4 || x!.rank === 5);
  if (!isConv) return false;
  const conv = describe(builder.callOf(node), x!, w!, builder.value(node.outputs[0]!));
  if (isBlocked(conv, x!, builder.channelBlock)) {
    blockedConv(x!, blockedWeights(conv, w!), conv.axes, conv.group, bias);
  } else if (!convolvedByPlanes(conv, x!, w!, conv.axes, bias)) {
    return false;
  }
  // The last node gives what the first was to give.
  builder.nodes.push({ ...builder.nodes.pop()!, outputs: node.outputs });
  return true;
}

/**
 * Volumes as images, where there are blocked kernels for these.
 *
 * @param axes all three; those of `conv` unless it is read backwards
 */
export function convolvedByPlanes(
  conv: Convolution,
  x: Value,
  w: Value,
  axes: readonly ConvAxis[],
  bias?: Value,
): Value | undefined {
  const images = ofImages(conv, x);
  if (images === undefined || !isBlocked(images, x, x.builder.channelBlock)) return undefined;
  const { filters, channels, kernel } = images;
  const weights = blockedWeights(images, w.reshape([filters, channels, ...kernel]));
  const planes = planesUnder(x, conv.kernel[0]!, axes[0]!);
  return toVolumes(blockedConv(planes, weights, axes.slice(1), 1, bias), x.length(0));
}

/** dX = Conv of dY with kernels reversed, and input and output channels swapped, for strides of 1. */
export function reversedBlocked(
  conv: Convolution,
  dy: Value,
  w: Value,
  axes: readonly ConvAxis[],
): Value | undefined {
  if (conv.group > 1 && !isDepthwise(conv)) return undefined;
  const weights = conv.group > 1 ? reversedKernels(conv, w) : reversedWeights(conv, w);
  return blockedConv(dy, weights, axes, conv.group);
}

/** @param weights in blocks */
function blockedConv(
  x: Value,
  weights: Value,
  given: readonly ConvAxis[],
  group: number,
  bias?: Value,
): Value {
  const [image, axes] = withoutNegative(x, given);
  const blocks = x.length(1) < blockOf(x) ? image : toBlocks(image);
  return fromBlocks(convolveBlocks(blocks, weights, { axes, group, bias }), weights.length(0));
}

/** (O, C/g, k) to (O/B, C/gB, k, c, o), or to (O/B, C/g, k, o). */
function blockedWeights({ channels, filters, group, kernel, kernelSize }: Convolution, w: Value): Value {
  const block = blockOf(w);
  const perGroup = channels / group;
  // (O/B, o, C/g, k) to (O/B, C/g, k, o).
  const filtersLast = toBlocks(w.reshape([filters / block, block, perGroup, kernelSize]));
  const dims = [filters, perGroup, ...kernel];
  if (perGroup < block) return filtersLast.reshape(dims);
  // (O/B·C/gB, c, k, o) to (O/B·C/gB, k, c, o).
  const blocks = (filters * perGroup) / block ** 2;
  return lastToBlocks(filtersLast.reshape([blocks, block, 1, kernelSize * block])).reshape(dims);
}

/** (O, C, k) to (C/B, O/B, k reversed, o, c). */
function reversedWeights({ channels, filters, kernel, kernelSize }: Convolution, w: Value): Value {
  const block = blockOf(w);
  const [rows, columns] = [filters / block, channels / block];
  // (O·C/B, c, k) to (O, C/B, k, c), and that to (C/B, k, O, c).
  const channelsLast = toBlocks(w.reshape([filters * columns, block, 1, kernelSize]));
  const filtersInner = lastToBlocks(channelsLast.reshape([1, filters, 1, columns * kernelSize * block]));
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
  return toBlocks(w.reshape([channels / block, block, 1, kernelSize]))
    .reshape([channels / block, kernelSize, block])
    .gather(w.builder.ints(order), 1)
    .reshape([channels, 1, ...kernel]);
}

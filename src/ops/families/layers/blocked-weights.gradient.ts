// dW of convolutions with operators on blocks of channels: see conv-weights.gradient.ts for what it is, and blocked-conv.ts for
// what blocks are. Only what two threads share is fast on two cores, so nothing here copies large values on one.
import type { Builder, Value } from '../../build.js';
import { sizeOf } from '../arrays/data-movement.js';
import { isDepthwise } from './blocked-conv.js';
import {
  convolveBlocks,
  fromBlocks,
  lastFromBlocks,
  toBlocks,
  transposedByBlocks,
  withoutNegative,
} from './channel-blocks.js';
import type { Convolution } from './placed-convolution.js';
import { ofImages, planesUnder, toImages } from './volumes.js';
import { kernelOffsets, type PlacedAxis, padAxes } from './window.gradient.js';
import { byTiles, isByTiles } from './winograd-weights.gradient.js';

type Way = (conv: Convolution, x: Value, dy: Value) => Value;

/** Where there are blocks and they serve: how dW (O, C/g·k) is written. */
export function wayInBlocks(conv: Convolution, x: Value): Way | undefined {
  const batch = x.size(0);
  if (typeof batch !== 'number' || x.dtype !== 'float32') return undefined;
  const images = ofImages(conv, x);
  if (images === undefined) return wayOfImages(conv, x, batch);
  const [first] = conv.axes;
  const way = wayOfImages(images, x, batch * first!.positions);
  return way && ((_, volumes, dy) => way(images, planesUnder(volumes, first!.kernel, first!), toImages(dy)));
}

/** @param batch how many images there are */
function wayOfImages(conv: Convolution, x: Value, batch: number): Way | undefined {
  const { axes, kernelSize, group, channels } = conv;
  const block = x.builder.channelBlock;
  if (block === undefined || axes.length !== 2 || channels % block !== 0) return undefined;
  if (isByTiles(conv, batch, block)) return byTiles;
  if (isDepthwise(conv)) return byOwnKernel;
  return group === 1 && kernelSize > 1 && kernelSize <= 64 ? byRows : undefined;
}

/**
 * Depthwise: one Conv that slides every channel of every dY over its own X, stride and dilation changing places. Blocks of
 * channels are alike as images and as kernels.
 */
function byOwnKernel(conv: Convolution, x: Value, dy: Value): Value {
  const { channels, kernel, kernelSize } = conv;
  const [image, axes] = withoutNegative(x, conv.axes);
  const [batch, sizes] = [x.length(0), image.sizes.slice(2)];
  const given = dy.sizes.slice(2);
  const group = batch * channels;
  const swapped = axes.map((axis) => ({ ...axis, stride: axis.dilation, dilation: axis.stride }));
  const each = convolveBlocks(
    toBlocks(image).reshape([1, group, ...sizes]),
    toBlocks(dy).reshape([group, 1, ...given]),
    { axes: swapped, group },
  );
  const sum = each.reshape([batch, channels * kernelSize]).sum([0]);
  return fromBlocks(sum.reshape([1, channels, ...kernel]), channels);
}

/** Elements of a sum in a product of its own: with fewer, results take longer to write than to compute. */
const LEAST_SUM = 512;

/**
 * Per element i of the kernel, dW[i] (O, C) = dY (O, N·T) · X[i] (N·T, C), where X[i] is what lies under it: rows of X with
 * channels last, by their numbers. Sums are cut into parts, as a product is only shared by two threads along O and C.
 */
function byRows({ axes, kernelSize, channels, filters }: Convolution, x: Value, dy: Value): Value {
  const batch = x.length(0);
  const positions = sizeOf(axes.map((axis) => axis.positions));
  const parts = [4, 2].find((n) => batch % n === 0 && (batch * positions) / n >= LEAST_SUM) ?? 1;
  const last = lastFromBlocks(toBlocks(x), channels);
  const padded = padAxes(
    last,
    1,
    axes.map((axis) => axis.begin),
    axes.map((axis) => Math.max(0, axis.end)),
  );
  const rows = padded.reshape([-1, channels]);
  const width = padded.length(2);
  const first = firstRows(x.builder, axes, [batch, padded.length(1), width], parts);
  const output = dy
    .reshape([parts, batch / parts, filters, positions])
    .transpose([0, 2, 1, 3])
    .reshape([parts, filters, -1]);
  const products = kernelOffsets(axes).map(([row, column]) => {
    const offset = row! * width + column!;
    const seen = rows.gather(offset === 0 ? first : first.add(offset));
    return output.matmul(seen).reshape([parts, filters * channels]);
  });
  const together = x.builder.concat(products, 0);
  const sums = parts === 1 ? together : together.reshape([kernelSize, parts, -1]).sum([1]);
  return transposedByBlocks(sums.reshape([kernelSize, filters * channels]));
}

const known = new WeakMap<Builder, Map<string, Value>>();

/** (parts, N·T/parts): the number of the row under the first element of the kernel, for every position. */
function firstRows(
  builder: Builder,
  axes: readonly PlacedAxis[],
  [batch, height, width]: readonly [number, number, number],
  parts: number,
): Value {
  const [down, across] = axes as [PlacedAxis, PlacedAxis];
  const tables = known.get(builder) ?? new Map<string, Value>();
  known.set(builder, tables);
  const counts = [batch, down.positions, across.positions] as const;
  const key = String([...counts, height, width, down.stride, across.stride, parts]);
  let table = tables.get(key);
  if (table === undefined) {
    const numbers = new Float64Array(sizeOf(counts));
    let at = 0;
    for (let image = 0; image < batch; image++) {
      for (let y = 0; y < down.positions; y++) {
        const start = (image * height + y * down.stride) * width;
        for (let t = 0; t < across.positions; t++) numbers[at++] = start + t * across.stride;
      }
    }
    table = builder.constant(numbers, 'int64', [parts, numbers.length / parts]);
    tables.set(key, table);
  }
  return table;
}

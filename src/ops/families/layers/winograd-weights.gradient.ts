// dW of a convolution with 3×3 kernels and strides of 1 by Winograd's algorithm F(3×3, 2×2) (Lavin and Gray 2016), for X
// (N, C, …) and dY (N, O, …). dY is cut into T tiles of 2×2 positions, X into the 4×4 elements under each; with
//
//   Q = A·dY·Aᵀ,   V = Bᵀ·X·B,   dU[e] (O, C) = Q[e] (O, N·T) · V[e] (C, N·T)ᵀ,   dW = Gᵀ·dU·G
//
// per tile, and e one of 16 elements: 16 products for a tile where the definition has 36, and sums that differ from it by less
// than its own rounding. Tiles are convolutions by constants with 16 filters, one block of channels where blocks have 16; so all
// tiles' elements lie side by side, and one reordering puts each element's apart.
import type { Value } from '../../build.js';
import { sizeOf } from '../arrays/data-movement.js';
import { convolveBlocks, fromBlocks, transposedByBlocks, withoutNegative } from './channel-blocks.js';
import type { Convolution } from './placed-convolution.js';
import type { ConvAxis } from './window.gradient.js';

/** Elements of a transformed tile, 4×4. */
const ELEMENTS = 16;

type Matrix = readonly (readonly number[])[];

const B_TRANSPOSED: Matrix = [
  [1, 0, -1, 0],
  [0, 1, 1, 0],
  [0, -1, 1, 0],
  [0, 1, 0, -1],
];
const A: Matrix = [
  [1, 0],
  [1, 1],
  [1, -1],
  [0, -1],
];
const G_TRANSPOSED: Matrix = [
  [1, 0.5, 0.5, 0],
  [0, 0.5, -0.5, 0],
  [0, 0.5, 0.5, 1],
];

/** Fewer tiles make sums too short: results take longer to write than to compute. */
const LEAST_TILES = 32;
/** Tiles of a part, which one thread reorders; with fewer, there are more results than it is worth. */
const LEAST_OF_PART = 512;
/** Elements of V and Q together; more take too much memory. */
const MOST_ELEMENTS = 2 ** 26;

export function isByTiles(conv: Convolution, batch: number, block: number): boolean {
  const { axes, group, channels, filters } = conv;
  const fits = axes.every((axis) => axis.kernel === 3 && axis.stride === 1 && axis.dilation === 1);
  if (!fits || axes.length !== 2 || group > 1 || block !== ELEMENTS) return false;
  const tiles = batch * sizeOf(tilesAlong(conv));
  return tiles >= LEAST_TILES && ELEMENTS * tiles * (channels + filters) <= MOST_ELEMENTS;
}

/** dW (O, C·9). Sums over the batch are cut into parts, and added up by the last product. */
export function byTiles(conv: Convolution, x: Value, dy: Value): Value {
  const { channels, filters } = conv;
  const [image, axes] = withoutNegative(x, conv.axes);
  const counts = tilesAlong(conv);
  const batch = x.length(0);
  const parts = [4, 2].find((n) => batch % n === 0 && (batch * sizeOf(counts)) / n >= LEAST_OF_PART) ?? 1;
  const seen = axes.map(({ begin }, i): ConvAxis => {
    return { stride: 2, dilation: 1, begin, end: 2 * counts[i]! + 2 - begin - image.length(i + 2) };
  });
  const given = conv.axes.map(({ positions }, i): ConvAxis => {
    return { stride: 2, dilation: 1, begin: 0, end: 2 * counts[i]! - positions };
  });
  const products = tiles(dy, A, given, parts).matmul(tiles(image, B_TRANSPOSED, seen, parts).transposeLast());
  const rows = squared(G_TRANSPOSED).flatMap((row) => Array.from({ length: parts }, () => row).flat());
  const back = x.builder.constant(Float32Array.from(rows), 'float32', [9, parts * ELEMENTS]);
  const sums = back.matmul(products.reshape([parts * ELEMENTS, filters * channels]));
  return transposedByBlocks(sums).reshape([filters, channels * 9]);
}

function tilesAlong({ axes }: Convolution): number[] {
  return axes.map(({ positions }) => Math.ceil(positions / 2));
}

/** (N, C, …) to (parts·16, C, N·T/parts): M·tile·Mᵀ of each channel's tiles. */
function tiles(image: Value, matrix: Matrix, axes: readonly ConvAxis[], parts: number): Value {
  const { builder } = image;
  const [batch, channels, ...sizes] = image.sizes as [number, number, number, number];
  const width = matrix[0]!.length;
  const elements = squared(matrix);
  // One channel's kernels are stored as (k, o).
  const kernels = elements[0]!.flatMap((_, tap) => elements.map((row) => row[tap]!));
  const weights = builder.constant(Float32Array.from(kernels), 'float32', [ELEMENTS, 1, width, width]);
  const order = builder.constant(channelsFirst(batch, channels, parts), 'int64');
  const images = image.reshape([batch * channels, sizeOf(sizes)]).gather(order);
  const found = convolveBlocks(images.reshape([-1, 1, ...sizes]), weights, { axes, group: 1 });
  const [down, across] = found.sizes.slice(2) as [number, number];
  const each = batch / parts;
  const together = found.reshape([parts, ELEMENTS, channels * each * down, across]);
  return fromBlocks(together, ELEMENTS).reshape([parts * ELEMENTS, channels, each * down * across]);
}

/** The numbers of the channels of all images, so that each part has all images of a channel together. Transpose has one thread. */
function channelsFirst(batch: number, channels: number, parts: number): number[] {
  const each = batch / parts;
  return Array.from({ length: batch * channels }, (_, i) => {
    const [part, channel, image] = [
      Math.floor(i / (channels * each)),
      Math.floor(i / each) % channels,
      i % each,
    ];
    return (part * each + image) * channels + channel;
  });
}

/** M ⊗ M: what M·tile·Mᵀ is for the elements of a tile in row-major order. */
function squared(matrix: Matrix): number[][] {
  return matrix.flatMap((row) => matrix.map((other) => row.flatMap((a) => other.map((b) => a * b))));
}

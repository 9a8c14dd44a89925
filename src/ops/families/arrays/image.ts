// Images: sampling them at given points, putting patches together, choosing boxes, decoding files.
import { type Dim, divideExactly, isKnown, product } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { expectShape, partOf, shapeOfRank, shapeOfRankFrom } from '../../arguments.js';
import { counted, FREE, perInput, times } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { checkSpatialRank, slide, windowOf } from '../layers/window.js';
import { sizesFrom } from './data-movement.js';
import { affineGridGradient, col2ImGradient, gridSampleParts } from './image.gradient.js';
import { imageVersions } from './image.versions.js';

/** FLOPs of one sample in n dimensions: a product and a sum for each of the taps, of which one needs no sum. */
const SAMPLE_FLOPS = new Map<string, (dimensions: number) => number>([
  ['nearest', () => 0],
  ['linear', (n) => 2 * 2 ** n - 1],
  ['cubic', (n) => 2 * 4 ** n - 1],
]);

/** Until opset 19 the names were those for two dimensions. */
function samplingMode(call: Call): string {
  const name = call.string('mode', 'linear');
  const mode = name.startsWith('bi') ? name.slice(2) : name;
  return SAMPLE_FLOPS.has(mode) ? mode : call.fail(`mode '${name}' does not exist`, 'OP_ATTRIBUTE');
}

/** X (N, C, …) at the points of a grid (N, D1, …, Dn, n) gives (N, C, D1, …, Dn). */
const GridSample: Operator = {
  infer: (call) => {
    samplingMode(call);
    const input = shapeOfRankFrom(call, 0, 3);
    const grid = shapeOfRankFrom(call, 1, 3);
    const rank = (input ?? grid)?.length;
    if (rank === undefined) return [new TensorType(call.dtype(0), undefined)];
    const dimensions = checkSpatialRank(call, rank - 2);
    const anywhere = new Array<undefined>(dimensions).fill(undefined);
    expectShape(call, 1, 'the grid', [input?.[0], ...anywhere, dimensions]);
    const points = anywhere.map((_, i) => grid?.[i + 1] ?? call.unknownSize(0, i + 2));
    const batch = input?.[0] ?? grid?.[0] ?? call.unknownSize(0, 0);
    return [new TensorType(call.dtype(0), [batch, input?.[1] ?? call.unknownSize(0, 1), ...points])];
  },
  cost: counted(
    'per output element in n dimensions 0 (nearest), 2·2^n − 1 (linear) or 2·4^n − 1 (cubic)',
    (call) => {
      const rank = (call.shape(0) ?? call.shape(1))?.length;
      const flops = rank && SAMPLE_FLOPS.get(samplingMode(call))!(rank - 2);
      return { otherFlops: times(call.outputSize(), flops) };
    },
  ),
  decompose: gridSampleParts,
};

/** The grid (N, D1, …, Dn, n) of an affine map theta (N, n, n + 1) for an image of size (N, C, D1, …, Dn). */
const AffineGrid: Operator = {
  infer: (call) => {
    const theta = shapeOfRank(call, 0, 3);
    expectInteger(call, 1);
    const size = sizesFrom(call, 1);
    const dimensions = size ? size.length - 2 : theta?.[1];
    if (dimensions === undefined || !isKnown(dimensions)) return [new TensorType(call.dtype(0), undefined)];
    if (dimensions !== 2 && dimensions !== 3) {
      call.fail(`grids have 2 or 3 dimensions, not ${dimensions} as for size [${size}]`);
    }
    const known = call.elements(1);
    expectShape(call, 0, 'theta', [known?.[0], dimensions, dimensions + 1]);
    const spatial = Array.from(
      { length: dimensions },
      (_, i) => known?.[i + 2] ?? call.unknownSize(0, i + 1),
    );
    const batch = known?.[0] ?? theta?.[0] ?? call.unknownSize(0, 0);
    return [new TensorType(call.dtype(0), [batch, ...spatial, dimensions])];
  },
  cost: counted('2·n per output element: an affine map of n coordinates', (call) => {
    const dimensions = shapeOfRank(call, 0, 3)?.[1];
    return { otherFlops: times(call.outputSize(), dimensions, 2) };
  }),
  roles: { setting: ['size'] },
  gradient: affineGridGradient,
};

/** Patches (N, C · block, L) added up into an image (N, C, …). Undoes what a convolution unfolds. */
const Col2Im: Operator = {
  infer: (call) => {
    const input = shapeOfRank(call, 0, 3);
    expectInteger(call, 1);
    expectInteger(call, 2);
    const image = sizesFrom(call, 1);
    const block = call.elements(2);
    if (image === undefined) return [new TensorType(call.dtype(0), undefined)];
    checkSpatialRank(call, image.length);
    const channels = block && channelsOf(call, input?.[1], block);
    if (block && call.elements(1)) {
      expectShape(call, 0, 'the patches', [
        undefined,
        undefined,
        product(slide(call, windowOf(call, block), image)),
      ]);
    }
    const sizes = image.map((size, i) => (call.elements(1) ? size : call.unknownSize(0, i + 2)));
    const shape: Shape = [input?.[0] ?? call.unknownSize(0, 0), channels ?? call.unknownSize(0, 1), ...sizes];
    return [new TensorType(call.dtype(0), shape)];
  },
  cost: counted('1 per input element', perInput(1).of),
  roles: { setting: ['image_shape', 'block_shape'] },
  gradient: col2ImGradient,
};

/** C of C · block. */
function channelsOf(call: Call, columns: Dim | undefined, block: readonly Dim[]): Dim | undefined {
  const size = product(block);
  if (columns === undefined) return undefined;
  if (!isKnown(size)) return divideExactly(columns, size);
  if (!(size >= 1)) call.fail(`block_shape cannot be [${block}]`);
  return partOf(call, columns, size, 'the number of rows');
}

/** Rows (batch, class, box) of the boxes that overlap no better one; none unless a number is asked for. */
const NonMaxSuppression: Operator = {
  infer: (call) => {
    const boxes = shapeOfRank(call, 0, 3);
    expectShape(call, 0, 'the boxes', [undefined, undefined, 4]);
    expectShape(call, 1, 'the scores', [boxes?.[0], undefined, boxes?.[1]]);
    const most = call.has('max_output_boxes_per_class') ? call.scalar('max_output_boxes_per_class') : 0;
    return [new TensorType('int64', [most === 0 ? 0 : call.unknownSize(0, 0), 3])];
  },
  cost: counted('1 per score; the number of compared boxes depends on the data', (call) => ({
    otherFlops: call.inputSize(1),
  })),
  roles: { data: ['boxes', 'scores'], others: 'setting' },
  traits: { selects: true, float32: true },
};

const PIXEL_CHANNELS: ReadonlyMap<string, number> = new Map([
  ['RGB', 3],
  ['BGR', 3],
  ['Grayscale', 1],
]);

/** An image file's bytes become (height, width, channels). */
const ImageDecoder: Operator = {
  infer: (call) => {
    const format = call.string('pixel_format', 'RGB');
    const channels =
      PIXEL_CHANNELS.get(format) ?? call.fail(`pixel_format '${format}' does not exist`, 'OP_ATTRIBUTE');
    shapeOfRank(call, 0, 1);
    return [new TensorType('uint8', [call.unknownSize(0, 0), call.unknownSize(0, 1), channels])];
  },
  cost: FREE,
};

export const imageOperators: OperatorTable = withVersions(
  {
    AffineGrid,
    Col2Im,
    GridSample,
    ImageDecoder,
    NonMaxSuppression,
  },
  imageVersions,
);

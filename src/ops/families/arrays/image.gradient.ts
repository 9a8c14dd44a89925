// How operators on images are differentiated: GridSample by its parts, AffineGrid and Col2Im directly.
import type { Value } from '../../build.js';
import type { Decomposition, Expansion, GradientRule } from '../../gradient.js';
import { slide, windowOf } from '../layers/window.js';
import { clipped, filterTaps, sampled, type Taps } from './sampling.js';

/** X (N, C, D1, …, Dn) at the points of a grid (N, P1, …, Pn, n), whose last coordinate is that of the first axis. */
export const gridSampleParts: Decomposition = (node) => {
  const [x, grid] = [node.input(0), node.input(1)];
  const [batch, channels, ...spatial] = x.sizes as [number, number, ...number[]];
  const n = spatial.length;
  const points = grid.reshape([batch, -1, n]).split(new Array<number>(n).fill(1), 2).reverse();
  const taps = spatial.map((size, axis) => gridTaps(node, points[axis]!, size));
  const y = sampled(x, taps).transpose([0, 2, 1]);
  return [y.reshape([batch, channels, ...grid.sizes.slice(1, -1)])];
};

function gridTaps({ call }: Expansion, point: Value, size: number): Taps {
  const mode = call.string('mode', 'linear').replace(/^bi/, '');
  const padding = call.string('padding_mode', 'zeros');
  const corners = call.int('align_corners', 0) !== 0;
  // From −1 … 1 to elements: the corners are the centres of the outermost elements, or their outer edges.
  const x = corners ? point.add(1).mul((size - 1) / 2) : point.mul(size / 2).add((size - 1) / 2);
  const inside = (value: Value): Value =>
    clipped(padding === 'reflection' ? reflected(value, size, corners) : value, size);
  const isZeroOutside = padding === 'zeros';
  // A cubic filter looks beyond the borders, so it is its taps that are moved inside; else it is the point.
  const at = isZeroOutside || mode === 'cubic' ? x : inside(x);
  const found: Taps =
    mode === 'nearest'
      ? { places: x.builder.op('Round', [at]), weights: undefined }
      : filterTaps(at, mode as 'linear' | 'cubic');
  if (!isZeroOutside) {
    const places = mode === 'cubic' ? inside(found.places) : clipped(found.places, size);
    return { ...found, places };
  }
  const places = clipped(found.places, size);
  const isThere = found.places.equal(places).cast(x.dtype);
  return { places, weights: found.weights ? found.weights.mul(isThere) : isThere };
}

/** Mirrored at both borders as often as it takes: a triangular wave, between the outermost centres or edges. */
function reflected(x: Value, size: number, corners: boolean): Value {
  const low = corners ? 0 : -0.5;
  const span = corners ? size - 1 : size;
  if (span === 0) return x.mul(0);
  const from = x.sub(low);
  const turns = x.builder.op('Floor', [from.div(2 * span)]);
  return from
    .sub(turns.mul(2 * span))
    .sub(span)
    .abs()
    .rsub(span)
    .add(low);
}

/** Grid = base·thetaᵀ with the coordinates (x, y, …, 1) of every point, so dTheta = dGridᵀ·base. */
export const affineGridGradient: GradientRule = (g) => {
  const [batch, ...shape] = g.dy.sizes;
  const spatial = shape.slice(0, -1);
  const corners = g.call.int('align_corners', 0) !== 0;
  const coordinate = (i: number, size: number): number => {
    if (!corners) return (2 * i + 1) / size - 1;
    // A single point lies at the end, in ONNX Runtime.
    return size === 1 ? 1 : (2 * i) / (size - 1) - 1;
  };
  let base: number[][] = [[1]];
  for (const size of spatial) {
    base = base.flatMap((row) => Array.from({ length: size }, (_, i) => [coordinate(i, size), ...row]));
  }
  const n = spatial.length;
  const matrix = g.builder.constant(base.flat(), g.dy.dtype, [base.length, n + 1]);
  return [g.dy.reshape([batch!, -1, n]).transposeLast().matmul(matrix)];
};

/** Patches are read where they were added: axis by axis, the places that each element of the block covers. */
export const col2ImGradient: GradientRule = (g) => {
  const { call } = g;
  const [batch, channels, ...image] = g.dy.sizes as [number, number, ...number[]];
  const block = call.numbers(2) ?? call.fail('block_shape is not known', 'GRADIENT_UNSUPPORTED');
  const window = windowOf(call, block);
  const positions = slide(call, window, image) as number[];
  const [before, after] = [0, 1].map((end) =>
    window.map(({ padding }) => (padding === 'same' ? 0 : padding[end]!)),
  );
  let patches = g.dy.pad([0, 0, ...before!, 0, 0, ...after!]);
  window.forEach(({ stride, dilation }, axis) => {
    const [size, count] = [block[axis]!, positions[axis]!];
    const places = Array.from(
      { length: size * count },
      (_, i) => Math.floor(i / count) * dilation + (i % count) * stride,
    );
    patches = patches.gather(g.builder.constant(places, 'int64', [size, count]), 2 + 2 * axis);
  });
  // (N, C, b1, l1, …, bn, ln) → (N, C, b1 … bn, l1 … ln)
  const [blocks, steps] = [0, 1].map((offset) => image.map((_, axis) => 2 + 2 * axis + offset));
  const shape = [batch, channels * block.reduce((a, b) => a * b, 1), -1];
  return [patches.transpose([0, 1, ...blocks!, ...steps!]).reshape(shape)];
};

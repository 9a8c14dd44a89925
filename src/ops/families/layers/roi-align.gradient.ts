// What RoiAlign is made of: every region is divided into bins, and each bin is the mean of points in it that are
// read between the elements of the image. Gradients reach the image and the corners of the regions.
import type { Value } from '../../build.js';
import type { Decomposition, Expansion } from '../../gradient.js';
import { clipped, filterTaps, sampled, type Taps } from '../arrays/sampling.js';

/** X (N, C, H, W), regions (R, 4) as (x1, y1, x2, y2) in the images (R) → (R, C, height, width). */
export const roiAlignParts: Decomposition = (node) => {
  const { call } = node;
  const [x, regions, images] = [node.input(0), node.input(1), node.input(2)];
  const ratio = call.int('sampling_ratio', 0);
  if (call.string('mode', 'avg') !== 'avg' || ratio < 1) {
    call.fail(
      'the gradient is supported only for averages over a fixed number of points',
      'GRADIENT_UNSUPPORTED',
    );
  }
  const bins = [call.int('output_height', 1), call.int('output_width', 1)];
  const [, c, ...spatial] = x.sizes;
  const [count] = regions.sizes;
  const [x1, y1, x2, y2] = regions.mul(call.float('spatial_scale', 1)).split([1, 1, 1, 1], 1);
  const corners = [
    [y1!, y2!],
    [x1!, x2!],
  ] as const;
  const along = spatial.map((size, axis) => pointsAlong(node, corners[axis]!, bins[axis]! * ratio, size));
  const [rows, columns] = along.map(({ places }) => places.sizes[1]!);
  // All pairs of a row and a column, as one list of points.
  const taps = along.map(({ places, weights }, axis): Taps => {
    const paired = (value: Value): Value =>
      value
        .unsqueeze([2 - axis])
        .expand([count!, rows!, columns!, 2])
        .reshape([count!, rows! * columns!, 2]);
    return { places: paired(places), weights: paired(weights!) };
  });
  const points = sampled(x, taps, images).reshape([count!, bins[0]!, ratio, bins[1]!, ratio, c!]);
  return [points.mean([2, 4]).transpose([0, 3, 1, 2])];
};

/** `steps` points between two corners (R, 1): (R, steps, 2) taps. Those an element or more outside count nothing. */
function pointsAlong(
  { call }: Expansion,
  [from, to]: readonly [Value, Value],
  steps: number,
  size: number,
): Taps {
  // Before opset 16 elements lay at whole numbers, and regions had a size of at least 1.
  const isHalfPixel =
    call.opset >= 16 && call.string('coordinate_transformation_mode', 'half_pixel') === 'half_pixel';
  const start = isHalfPixel ? from.sub(0.5) : from;
  const extent = isHalfPixel ? to.sub(from) : to.sub(from).max(1);
  const fractions = Array.from({ length: steps }, (_, i) => (i + 0.5) / steps);
  const x = start.add(extent.mul(start.builder.constant(fractions, start.dtype))).unsqueeze([2]);
  const isNear = x.greaterOrEqual(-1).and(x.lessOrEqual(size)).cast(x.dtype);
  const { places, weights } = filterTaps(clipped(x, size), 'linear');
  return { places: clipped(places, size), weights: weights.mul(isNear) };
}

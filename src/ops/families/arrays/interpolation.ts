// How Resize weighs the elements along one axis: a matrix with a row for each element of the result. Positions
// are computed in 32 bits, as ONNX Runtime does, so that ties between neighbours fall to the same side.

export interface Interpolation {
  /** Sizes before and after. */
  readonly from: number;
  readonly to: number;
  /** What was asked for: to / from, or a scale of which `to` is rounded down. */
  readonly scale: number;
  readonly mode: 'nearest' | 'linear' | 'cubic';
  /** `coordinate_transformation_mode` */
  readonly transformation: string;
  /** `nearest_mode` */
  readonly rounding: string;
  readonly cubicA: number;
  /** Taps outside do not count, and the others sum to 1; otherwise the border is repeated. */
  readonly excludeOutside: boolean;
  /** When an axis shrinks, the filter is as many times wider. */
  readonly antialias: boolean;
  /** Start and end for `tf_crop_and_resize`, in units of the axis. */
  readonly region: readonly [start: number, end: number];
}

const f32 = Math.fround;

type Position = (i: number, axis: Interpolation) => number;

/** Where element i of the result lies among the elements of the input. */
const POSITIONS: Readonly<Record<string, Position>> = {
  half_pixel: (i, { scale }) => f32(f32(f32(i + 0.5) / scale) - 0.5),
  pytorch_half_pixel: (i, { scale, to }) => (to > 1 ? f32(f32(f32(i + 0.5) / scale) - 0.5) : 0),
  half_pixel_symmetric: (i, { scale, from, to }) => {
    const adjustment = f32(to / f32(scale * from));
    return f32(f32(f32(from / 2) * f32(1 - adjustment)) + (i + 0.5) / scale - 0.5);
  },
  tf_half_pixel_for_nn: (i, { scale }) => f32(f32(i + 0.5) / scale),
  asymmetric: (i, { scale }) => f32(i / scale),
  align_corners: (i, { from, to }) => (to === 1 ? 0 : f32(f32(i * (from - 1)) / (to - 1))),
  tf_crop_and_resize: (i, { from, to, region: [start, end] }) => {
    if (to === 1) return f32(0.5 * f32(start + end) * (from - 1));
    return f32(f32(start * (from - 1)) + f32(f32(f32(i * f32(end - start)) * (from - 1)) / (to - 1)));
  },
};

/** Half away from zero, as C rounds. */
function roundAway(x: number): number {
  return Math.sign(x) * Math.floor(Math.abs(x) + 0.5);
}

const ROUNDINGS: Readonly<Record<string, (x: number) => number>> = {
  round_prefer_floor: (x) => (x === Math.trunc(x) + 0.5 ? Math.floor(x) : roundAway(x)),
  round_prefer_ceil: roundAway,
  floor: Math.floor,
  ceil: Math.ceil,
};

/** One element of the input that counts, maybe outside of it. */
interface Tap {
  readonly index: number;
  readonly weight: number;
}

/** Keys' cubic convolution kernel, with a free parameter. */
function cubicKernel(distance: number, a: number): number {
  const x = Math.abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

function taps(position: number, axis: Interpolation): Tap[] {
  const { mode, from, rounding, cubicA, antialias, scale } = axis;
  if (mode === 'nearest') return [{ index: ROUNDINGS[rounding]!(position), weight: 1 }];
  const stretch = antialias && scale < 1 ? scale : 1;
  const kernel =
    mode === 'cubic' ? (x: number) => cubicKernel(x, cubicA) : (x: number) => Math.max(0, 1 - Math.abs(x));
  // Linear filters see no further than the border.
  const x = mode === 'linear' && !antialias ? Math.min(Math.max(position, 0), from - 1) : position;
  const reach = (mode === 'cubic' ? 2 : 1) / stretch;
  const found: Tap[] = [];
  for (let index = Math.floor(x - reach) + 1; index < x + reach; index++) {
    found.push({ index, weight: kernel((index - x) * stretch) });
  }
  return found;
}

/** The weights, row by row; undefined for a mode that does not exist. */
export function interpolationWeights(axis: Interpolation): number[][] | undefined {
  const { from, to, transformation, rounding, excludeOutside, antialias } = axis;
  const positionOf = POSITIONS[transformation];
  if (positionOf === undefined || ROUNDINGS[rounding] === undefined) return undefined;
  return Array.from({ length: to }, (_, i) => {
    const row = new Array<number>(from).fill(0);
    const position = positionOf(i, axis);
    // What lies outside of a region is a constant.
    if (transformation === 'tf_crop_and_resize' && !(position >= 0 && position <= from - 1)) return row;
    for (const { index, weight } of taps(position, axis)) {
      const place = Math.min(Math.max(index, 0), from - 1);
      if (place === index || !excludeOutside) row[place]! += weight;
    }
    const total = row.reduce((sum, weight) => sum + weight, 0);
    return excludeOutside || antialias ? row.map((weight) => weight / total) : row;
  });
}

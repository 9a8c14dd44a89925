// Where a window lies on its input, in numbers, and convolutions that are placed so: what rules need that undo
// convolutions and poolings.
import { isKnown } from '../../../graph/dim.js';
import type { Value } from '../../build.js';
import type { Call } from '../../operator.js';
import type { Window } from './window.js';

/**
 * One axis. Position t of the window sees the elements t·stride + i·dilation − begin for i < kernel. All positions
 * together see from −begin to size + end, where `end` is negative if the last elements are never seen.
 */
export interface PlacedAxis {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  /** What the kernel covers with its holes. */
  readonly span: number;
  readonly begin: number;
  readonly end: number;
  /** Elements. */
  readonly size: number;
  readonly positions: number;
}

interface Placement {
  readonly window: Window;
  /** Spatial sizes of what the window slides over. */
  readonly sizes: readonly number[];
  /** How many positions it has along each axis. */
  readonly positions: readonly number[];
  /**
   * Padding that follows from the sizes and not from `pads`: what all positions need, and as much as this more.
   * Default: for auto_pad SAME_UPPER and SAME_LOWER, no more.
   */
  readonly spare?: readonly number[];
}

export function place(call: Call, { window, sizes, positions, spare }: Placement): PlacedAxis[] {
  // An odd element goes to the end with SAME_UPPER, else to the begin.
  const half = call.string('auto_pad', 'NOTSET') === 'SAME_UPPER' ? Math.floor : Math.ceil;
  return window.map(({ kernel, stride, dilation, padding }, i) => {
    const [size, count] = [sizes[i]!, positions[i]!];
    if (typeof kernel !== 'number') return call.fail('the size of the kernel is not known', 'SHAPE_UNKNOWN');
    const span = (kernel - 1) * dilation + 1;
    const seen = (count - 1) * stride + span;
    const begin =
      padding === 'same' || spare !== undefined
        ? half(Math.max(0, seen + (spare?.[i] ?? 0) - size) / 2)
        : padding[0];
    return { kernel, stride, dilation, span, begin, end: seen - begin - size, size, positions: count };
  });
}

/** All sizes of (N, C, …) but that of the batch, which need not be known. */
export function sizesAfterBatch(value: Value): readonly number[] {
  const sizes = value.shape.slice(1);
  return sizes.every(isKnown) ? (sizes as readonly number[]) : value.sizes.slice(1);
}

/** Zeros around the axes from `first` on, or, where a number is negative, less of them. */
export function padAxes(
  value: Value,
  first: number,
  begins: readonly number[],
  ends: readonly number[],
): Value {
  const rest = new Array<number>(value.rank - first - begins.length).fill(0);
  const pads = (list: readonly number[]): number[] => [...new Array<number>(first).fill(0), ...list, ...rest];
  return value.pad([...pads(begins), ...pads(ends)]);
}

/** What lies under each element of the kernel, in row-major order: one value of all positions per element. */
export function underKernel(padded: Value, first: number, axes: readonly PlacedAxis[]): Value[] {
  const indices = axes.map((_, i) => first + i);
  const strides = axes.map((axis) => axis.stride);
  const steps = strides.some((stride) => stride > 1) ? strides : undefined;
  return kernelOffsets(axes).map((starts) => {
    const ends = axes.map(({ stride, positions }, i) => starts[i]! + (positions - 1) * stride + 1);
    const isWhole = steps === undefined && ends.every((end, i) => end === padded.size(indices[i]!));
    return isWhole && starts.every((s) => s === 0) ? padded : padded.slice(starts, ends, indices, steps);
  });
}

/** Where the elements of a kernel lie, relative to its first. */
export function kernelOffsets(axes: readonly PlacedAxis[]): number[][] {
  let offsets: number[][] = [[]];
  for (const { kernel, dilation } of axes) {
    offsets = offsets.flatMap((offset) =>
      Array.from({ length: kernel }, (_, i) => [...offset, i * dilation]),
    );
  }
  return offsets;
}

/** What a convolution needs to know of an axis. */
export type ConvAxis = Pick<PlacedAxis, 'stride' | 'dilation' | 'begin' | 'end'>;

/** Negative padding, which ONNX does not have, takes elements away: what is left, and its padding. */
export function cutAxes(x: Value, axes: readonly ConvAxis[]): readonly [cut: Value, pads: readonly number[]] {
  const [begins, ends] = [axes.map((axis) => axis.begin), axes.map((axis) => axis.end)];
  const cut = (pads: readonly number[]): number[] => pads.map((p) => Math.min(0, p));
  return [padAxes(x, 2, cut(begins), cut(ends)), [...begins, ...ends].map((p) => Math.max(0, p))];
}

/** Conv, whose padding may be negative. */
export function convolve(x: Value, w: Value, axes: readonly ConvAxis[], group: number): Value {
  const [cut, pads] = cutAxes(x, axes);
  return x.builder.op('Conv', [cut, w], {
    strides: axes.map((axis) => axis.stride),
    dilations: axes.map((axis) => axis.dilation),
    pads,
    group,
  });
}

/** ConvTranspose; elements at the end that no position sees become zeros. */
export function convolveTransposed(y: Value, w: Value, axes: readonly ConvAxis[], group: number): Value {
  return y.builder.op('ConvTranspose', [y, w], {
    strides: axes.map((axis) => axis.stride),
    dilations: axes.map((axis) => axis.dilation),
    pads: [...axes.map((axis) => axis.begin), ...axes.map((axis) => Math.max(0, axis.end))],
    output_padding: axes.map((axis) => Math.max(0, -axis.end)),
    group,
  });
}

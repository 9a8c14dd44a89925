// Sliding windows: what convolutions and poolings do to the spatial sizes of a tensor (N, C, D1, …, Dn).
// One axis has a kernel of k elements that lie `dilation` apart, so that it spans d·(k − 1) + 1, and moves by
// `stride` over the input with padding at its begin and end. Sizes may be symbolic; attributes are numbers.
import {
  add,
  ceilDivide,
  type Dim,
  floorDivide,
  isKnown,
  minimum,
  multiply,
  product,
  subtract,
} from '../../../graph/dim.js';
import type { Shape } from '../../../graph/types.js';
import { mayEqual } from '../../arguments.js';
import type { Call } from '../../operator.js';

/** Networks have up to three spatial axes; the limit keeps files from asking for endless ones. */
const MAX_SPATIAL_RANK = 8;

/** One spatial axis of a window. */
interface WindowAxis {
  readonly kernel: Dim;
  readonly stride: number;
  readonly dilation: number;
  /** Padding at the begin and the end; `same` for as much as it takes that size = ceil(input / stride). */
  readonly padding: readonly [begin: number, end: number] | 'same';
}

export type Window = readonly WindowAxis[];

/** Reads the attributes `strides`, `dilations`, `pads` and `auto_pad` for a kernel of known rank. */
export function windowOf(call: Call, kernel: readonly Dim[]): Window {
  const rank = checkSpatialRank(call, kernel.length);
  const strides = perAxis(call, 'strides', rank, 1);
  const dilations = perAxis(call, 'dilations', rank, 1);
  const padding = paddingOf(call, rank);
  return kernel.map((size, axis) => {
    if (isKnown(size) && !(size >= 1)) call.fail(`a kernel cannot have shape [${kernel}]`);
    return { kernel: size, stride: strides[axis]!, dilation: dilations[axis]!, padding: padding(axis) };
  });
}

export function checkSpatialRank(call: Call, rank: number): number {
  if (rank >= 1 && rank <= MAX_SPATIAL_RANK) return rank;
  return call.fail(`windows need 1 to ${MAX_SPATIAL_RANK} spatial dimensions, not ${rank}`);
}

/** An attribute with one value per axis, none below `least`, which is also what stands for a missing one. */
export function perAxis(call: Call, name: string, rank: number, least: number): readonly number[] {
  const values = call.ints(name);
  if (values === undefined || values.length === 0) return new Array<number>(rank).fill(least);
  if (values.length !== rank) {
    call.fail(`attribute '${name}' has ${values.length} values for ${rank} spatial axes`, 'OP_ATTRIBUTE');
  }
  if (values.some((value) => value < least)) {
    call.fail(`attribute '${name}' [${values}] has a value below ${least}`, 'OP_ATTRIBUTE');
  }
  return values;
}

/** Explicit pads count only under auto_pad NOTSET. Negative ones crop, as they do in ONNX Runtime. */
function paddingOf(call: Call, rank: number): (axis: number) => WindowAxis['padding'] {
  const mode = call.string('auto_pad', 'NOTSET');
  if (mode === 'SAME_UPPER' || mode === 'SAME_LOWER') return () => 'same';
  if (mode === 'VALID') return () => [0, 0];
  if (mode !== 'NOTSET' && mode !== '') call.fail(`auto_pad '${mode}' does not exist`, 'OP_ATTRIBUTE');
  const pads = call.ints('pads');
  if (pads === undefined || pads.length === 0) return () => [0, 0];
  if (pads.length !== 2 * rank) {
    call.fail(`attribute 'pads' has ${pads.length} values for ${rank} spatial axes`, 'OP_ATTRIBUTE');
  }
  return (axis) => [pads[axis]!, pads[rank + axis]!];
}

/** The kernel of a convolution: the attribute if it is given, else the spatial sizes of the weights. */
export function kernelOf(call: Call, weights: Shape | undefined): readonly Dim[] | undefined {
  const given = call.ints('kernel_shape');
  const sizes = weights?.slice(2);
  if (given === undefined || given.length === 0) return sizes;
  checkSpatialRank(call, given.length);
  if (sizes && (sizes.length !== given.length || !sizes.every((size, i) => mayEqual(size, given[i])))) {
    call.fail(`kernel_shape [${given}] does not fit weights of shape [${weights}]`);
  }
  return given;
}

/** Elements of a window. */
export function kernelSize(window: Window): Dim {
  return product(window.map((axis) => axis.kernel));
}

/** What a kernel covers with its holes. */
function span({ kernel, dilation }: WindowAxis): Dim {
  return add(multiply(subtract(kernel, 1), dilation), 1);
}

/**
 * What happens with the end of an input that no whole window fits in:
 * - `floor` leaves it out.
 * - `truncate` does so too, except that an input smaller than the window, but by less than a stride, gives one
 *   position: so does the integer division in ONNX Runtime's poolings.
 * - `ceil` adds one more position if it starts inside the input or the padding before it. The standard says so
 *   since opset 19; ONNX Runtime does it for every opset.
 */
type Rounding = 'floor' | 'truncate' | 'ceil';

/** Number of positions of a window along every spatial axis. */
export function slide(call: Call, window: Window, spatial: Shape, rounding: Rounding = 'floor'): Dim[] {
  expectSpatial(call, window, spatial);
  return spatial.map((size, i) => {
    const axis = window[i]!;
    const positions = slideAxis(axis, size, rounding);
    if (isKnown(positions) && !(positions >= 1)) {
      call.fail(
        `a window of ${span(axis)} does not fit into spatial sizes [${spatial}] with ${padText(axis)}`,
      );
    }
    return positions;
  });
}

function slideAxis(axis: WindowAxis, size: Dim, rounding: Rounding): Dim {
  const { stride, padding } = axis;
  if (padding === 'same') return ceilDivide(size, stride);
  const [begin, end] = padding;
  if (rounding === 'ceil') {
    // The smaller of ceil((size + begin + end − span)/stride) + 1 and ceil((size + begin)/stride).
    const beyond = minimum(0, subtract(end + stride, span(axis)));
    return ceilDivide(add(add(size, begin), beyond), stride);
  }
  const room = subtract(add(size, begin + end), span(axis));
  if (rounding === 'truncate' && isKnown(room)) return Math.trunc(room / stride) + 1;
  return add(floorDivide(room, stride), 1);
}

/**
 * Sizes whose windows have the given number of positions: what a transposed convolution or an unpooling makes
 * of them, (size − 1)·stride + span + extra − pads. With `same` padding size·stride, but no more than unpadded.
 */
export function unslide(
  call: Call,
  window: Window,
  spatial: Shape,
  extra: (axis: number) => number = () => 0,
): Dim[] {
  expectSpatial(call, window, spatial);
  return spatial.map((size, i) => {
    const axis = window[i]!;
    const reach = subtract(add(span(axis), extra(i)), axis.stride);
    const scaled = multiply(size, axis.stride);
    const result =
      axis.padding === 'same'
        ? add(scaled, minimum(0, reach))
        : add(scaled, subtract(reach, axis.padding[0] + axis.padding[1]));
    if (isKnown(result) && !(result >= 1)) {
      call.fail(`spatial sizes [${spatial}] with ${padText(axis)} leave nothing along axis ${i}`);
    }
    return result;
  });
}

function expectSpatial(call: Call, window: Window, spatial: Shape): void {
  if (window.length === spatial.length) return;
  call.fail(
    `a kernel with ${window.length} dimensions does not fit an input with spatial sizes [${spatial}]`,
  );
}

function padText({ padding }: WindowAxis): string {
  return padding === 'same' ? 'padding to the same size' : `padding ${padding.join(' and ')}`;
}

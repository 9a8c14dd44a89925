// The gradient of Pad: the part of what comes back that the input filled. Where the borders are no constant,
// they repeat elements, and their gradients are added to those of the elements.
import { type Dim, isKnown } from '../../../graph/dim.js';
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';

/** What is added before and after each dimension; negative where something is cut off. */
export interface Padding {
  readonly before: readonly Dim[];
  readonly after: readonly Dim[];
}

/** What a border repeats: from which of `inner` elements on, and in which way. */
interface Repetition {
  readonly before: (border: number, inner: number) => number;
  readonly after: (border: number, inner: number) => number;
  readonly how: 'in order' | 'reversed' | 'one element';
}

/** Borders are placed around what is left when the cuts are made. */
const REPETITIONS: Readonly<Record<string, Repetition>> = {
  edge: { before: () => 0, after: (_, inner) => inner - 1, how: 'one element' },
  reflect: { before: () => 1, after: (border, inner) => inner - 1 - border, how: 'reversed' },
  wrap: { before: (border, inner) => inner - border, after: () => 0, how: 'in order' },
};

/** The gradients of the data and, for a constant border, of that constant. */
export function padGradient(
  g: Differentiation,
  padding: Padding | undefined,
): readonly (Value | undefined)[] {
  const pads = [...(padding?.before ?? []), ...(padding?.after ?? [])];
  if (padding === undefined || !pads.every(isKnown)) {
    return g.call.fail('the padding is not known', 'GRADIENT_UNSUPPORTED');
  }
  const repetition = REPETITIONS[g.call.string('mode', 'constant')];
  if (repetition === undefined) {
    return [
      g.when(0, () => g.dy.pad(pads.map((n) => -n))),
      undefined,
      g.when(2, () => {
        const inner = g.dy.pad(pads.map((n) => Math.min(0, -n)));
        return g.dy.sum().sub(inner.sum()).reshapeTo(g.input(2));
      }),
    ];
  }
  const rank = padding.before.length;
  let dx = g.dy;
  for (let axis = 0; axis < rank; axis++) {
    dx = folded(g, dx, axis, Math.max(0, pads[axis]!), Math.max(0, pads[rank + axis]!), repetition);
  }
  return [dx.pad(pads.map((n) => Math.max(0, -n)))];
}

/** Without the borders along an axis: their gradients are added to those of the elements they repeat. */
function folded(
  g: Differentiation,
  dy: Value,
  axis: number,
  before: number,
  after: number,
  repetition: Repetition,
): Value {
  if (before === 0 && after === 0) return dy;
  const total = dy.length(axis);
  const inner = total - before - after;
  const border = (start: number, size: number, place: number): Value[] => {
    if (size === 0) return [];
    if (place < 0 || (place + size > inner && repetition.how !== 'one element')) {
      g.call.fail(
        `a border of ${size} repeats more than the ${inner} elements of the input`,
        'GRADIENT_UNSUPPORTED',
      );
    }
    const part = dy.slice([start], [start + size], [axis]);
    return [zeroPadded(summarised(part, axis, repetition.how), axis, place, inner)];
  };
  return g.builder.sum([
    dy.slice([before], [before + inner], [axis]),
    ...border(0, before, repetition.before(before, inner)),
    ...border(before + inner, after, repetition.after(after, inner)),
  ]);
}

function summarised(border: Value, axis: number, how: Repetition['how']): Value {
  switch (how) {
    case 'one element':
      return border.sum([axis], true);
    case 'reversed':
      return border.slice([-1], [Number.MIN_SAFE_INTEGER], [axis], [-1]);
    case 'in order':
      return border;
  }
}

/** Zeros of a size along an axis with a value from `place` on. */
function zeroPadded(value: Value, axis: number, place: number, size: number): Value {
  const pads = new Array<number>(2 * value.rank).fill(0);
  pads[axis] = place;
  pads[value.rank + axis] = size - place - value.length(axis);
  return value.pad(pads);
}

/** As many zeros or elements are cut off at both ends; an odd one more at the end. */
export const centerCropPadGradient: GradientRule = (g) => {
  const x = g.input(0);
  const pads = new Array<number>(2 * x.rank).fill(0);
  x.sizes.forEach((size, axis) => {
    const missing = size - g.dy.length(axis);
    pads[axis] = Math.trunc(missing / 2);
    pads[x.rank + axis] = missing - pads[axis]!;
  });
  return [g.dy.pad(pads)];
};

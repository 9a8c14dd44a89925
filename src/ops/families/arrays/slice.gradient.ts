// The gradient of Slice: zeros of the input's shape with what comes back at the places that were taken.
import { add, type Dim, isKnown, multiply, subtract } from '../../../graph/dim.js';
import type { Value } from '../../build.js';
import type { Differentiation } from '../../gradient.js';
import type { Cut } from './slice.js';

/** The places along one axis in increasing order: every `step`-th from `start`, and whether they were reversed. */
interface Places {
  readonly start: number;
  readonly step: number;
  readonly isReversed: boolean;
  /** From one step behind the last place to the end of the axis; negative where the last step leads beyond it. */
  readonly rest: number;
}

function placesOf(g: Differentiation, size: Dim, cut: Cut | undefined): Places {
  if (cut === undefined) return g.call.fail('the bounds are not known', 'GRADIENT_UNSUPPORTED');
  const step = Math.abs(cut.step);
  const last = add(cut.start, multiply(cut.step, subtract(cut.size, 1)));
  const start = cut.step < 0 && cut.size !== 0 ? last : cut.start;
  const rest = subtract(size, add(start, multiply(step, cut.size)));
  if (isKnown(start) && isKnown(rest)) return { start, step, isReversed: cut.step < 0, rest };
  return g.call.fail(
    `the part of a dimension of ${size} that is cut off is not known`,
    'GRADIENT_UNSUPPORTED',
    'fix the sizes of the inputs',
  );
}

/** `cuts` says what was taken of each dimension. */
export function sliceGradient(
  g: Differentiation,
  cuts: readonly (Cut | undefined)[] | undefined,
): readonly Value[] {
  const x = g.input(0);
  const places = x.shape.map((size, axis) => placesOf(g, size, cuts?.[axis]));
  const spread = interleaved(reversed(g.dy, places), places);
  return [spread.pad([...places.map((p) => p.start), ...places.map((p) => p.rest)])];
}

function reversed(dy: Value, places: readonly Places[]): Value {
  const axes = [...places.keys()].filter((i) => places[i]!.isReversed);
  if (axes.length === 0) return dy;
  const all = (value: number): number[] => axes.map(() => value);
  return dy.slice(all(-1), all(Number.MIN_SAFE_INTEGER), axes, all(-1));
}

/** step − 1 zeros behind every element: (n) as (n, 1), padded to (n, step), is (n · step). */
function interleaved(dy: Value, places: readonly Places[]): Value {
  if (places.every((p) => p.step === 1)) return dy;
  const pairs: number[] = [];
  const zeros: number[] = [];
  const { sizes } = dy;
  places.forEach(({ step }, axis) => {
    pairs.push(sizes[axis]!);
    zeros.push(0);
    if (step === 1) return;
    pairs.push(1);
    zeros.push(step - 1);
  });
  return dy
    .reshape(pairs)
    .pad([...pairs.map(() => 0), ...zeros])
    .reshape(sizes.map((size, axis) => size * places[axis]!.step));
}

// Where the samples of a batch are in a tensor. Mostly they are an axis of their own. A Reshape may put them into one with
// others: of an axis of size `outer · batch · inner`, each of the outer parts has all samples. What a network wrote for one
// sample without an axis for it gets a first axis for the batch: the tensor then has one axis more than before.
import { type Dim, divideExactly, multiply, product, sameDim } from '../../graph/dim.js';
import type { Shape } from '../../graph/types.js';

export interface Position {
  readonly axis: number;
  /** Into how many parts the axis is divided before it is divided into samples. */
  readonly outer: Dim;
  /** Whether the axis (the first one) is there for the batch only. */
  readonly isExtra: boolean;
}

export const FIRST: Position = { axis: 0, outer: 1, isExtra: false };
export const EXTRA: Position = { axis: 0, outer: 1, isExtra: true };

/**
 * Where samples are once a tensor has another shape; elements keep their order. What is likeliest comes first.
 *
 * @param from the shape before, as the network has it for its own batch
 * @param to the shape after, likewise
 * @param batch the network's own
 */
export function reshapedPositions(
  from: Shape,
  { axis, outer, isExtra }: Position,
  to: Shape,
  batch: number,
): Position[] {
  const before = isExtra ? 1 : multiply(product(from.slice(0, axis)), outer);
  const prefix = to.map((_, j) => product(to.slice(0, j)));
  const own = [...to.keys()].filter((j) => to[j] === batch && sameDim(prefix[j]!, before));
  const extra = before === 1 && batch === 1 ? [EXTRA] : [];
  const alone = own.map((j): Position => ({ axis: j, outer: 1, isExtra: false }));
  if (isExtra || alone.length > 0) return [...alone, ...extra];
  // What is behind the samples mostly stays as it is: the rows of a matrix may be of several samples.
  const rest = from.slice(axis + 1).join();
  const merged = [...to.keys()].reverse().flatMap((j): (Position & { isKept: boolean })[] => {
    const parts = divideExactly(before, prefix[j]!);
    if (parts === undefined || divideExactly(to[j]!, multiply(parts, batch)) === undefined) return [];
    return [{ axis: j, outer: parts, isExtra: false, isKept: to.slice(j + 1).join() === rest }];
  });
  const sorted = [...merged.filter((p) => p.isKept), ...merged.filter((p) => !p.isKept)];
  return [...sorted.map(({ isKept: _, ...position }) => position), ...extra];
}

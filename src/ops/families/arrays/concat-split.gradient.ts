// Gradients of putting tensors together, taking them apart and repeating them: Concat and Split are each
// other's, and what was repeated is summed.
import type { GradientRule } from '../../gradient.js';

/** Each input gets its part back. */
export const concatGradient: GradientRule = (g) => {
  const { dy } = g;
  const axis = g.call.axis(g.call.required(g.call.int('axis'), 'axis'), dy.rank);
  const indices = [...Array(g.inputCount).keys()];
  const wanted = indices.filter((i) => g.wants(i));
  if (indices.length === 1) return [dy];
  const sizes = indices.map((i) => g.input(i).length(axis));
  if (wanted.length > 1) {
    const parts = dy.split(sizes, axis);
    return indices.map((i) => g.when(i, () => parts[i]!));
  }
  return indices.map((i) =>
    g.when(i, () => {
      const start = sizes.slice(0, i).reduce((sum, size) => sum + size, 0);
      return dy.slice([start], [start + sizes[i]!], [axis]);
    }),
  );
};

/** The parts put together; those that nothing depends on are zeros, which at both ends are mere padding. */
export const splitGradient: GradientRule = (g) => {
  const x = g.input(0);
  const axis = g.call.axis(g.call.int('axis', 0), x.rank);
  const outputs = [...g.call.node.outputs.keys()];
  const given = outputs.filter((i) => g.outputGradient(i) !== undefined);
  const [first, last] = [given[0]!, given.at(-1)!];
  const between = outputs.slice(first, last + 1);
  const joined = g.builder.concat(
    between.map((i) => g.outputGradient(i) ?? g.output(i).zerosLike()),
    axis,
  );
  const pads = new Array<number>(2 * x.rank).fill(0);
  const total = (parts: readonly number[]): number =>
    parts.reduce((sum, i) => sum + g.output(i).length(axis), 0);
  pads[axis] = total(outputs.slice(0, first));
  pads[x.rank + axis] = total(outputs.slice(last + 1));
  return [joined.pad(pads)];
};

/** Summed over what was repeated. */
export const expandGradient: GradientRule = (g) => [g.dy.sumTo(g.input(0))];

/** (r · n) seen as (r, n) and summed over the repeats r, for every dimension that was repeated. */
export const tileGradient: GradientRule = (g) => {
  const x = g.input(0);
  const repeats = g.call.numbers(1) ?? g.call.fail('the repeats are not known', 'GRADIENT_UNSUPPORTED');
  const shape: number[] = [];
  const repeated: number[] = [];
  x.sizes.forEach((size, i) => {
    if (repeats[i] !== 1) repeated.push(shape.push(repeats[i]!) - 1);
    shape.push(size);
  });
  return [g.dy.reshape(shape).sum(repeated)];
};

// Gradients of operators that give elements another shape or order: the way back.
import type { GradientRule } from '../../gradient.js';

/** The same elements under the shape they had. */
export const reshapeGradient: GradientRule = (g) => [g.dy.reshapeTo(g.input(0))];

/** The inverse permutation. */
export const transposeGradient: GradientRule = (g) => {
  const perm = g.call.ints('perm');
  if (perm === undefined) return [g.dy.transpose()];
  const inverse = new Array<number>(perm.length);
  g.call.axes(perm, perm.length).forEach((axis, i) => {
    inverse[axis] = i;
  });
  return [g.dy.transpose(inverse)];
};

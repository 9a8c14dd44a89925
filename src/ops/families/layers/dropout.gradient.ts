// The gradient of Dropout: what was kept passes, scaled up as it was; of inference everything.
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';

/** 1 − ratio. */
function keptShare(g: Differentiation): Value | number {
  const ratio = g.call.has('ratio') ? g.call.scalar('ratio') : 0.5;
  return typeof ratio === 'number' ? 1 - ratio : g.input(1).cast(g.input(0).dtype).rsub(1);
}

/** dX = dY·mask/(1 − ratio). */
export const dropoutGradient: GradientRule = (g) => {
  const { call, dy } = g;
  const isTraining = call.has('training_mode') ? call.scalar('training_mode') : 0;
  if (isTraining === 0) return [dy];
  if (!call.wants(1)) {
    call.fail(
      'the dropped elements are only known if the mask is an output',
      'GRADIENT_UNSUPPORTED',
      'give the node a second output',
    );
  }
  const masked = dy.mul(g.output(1).cast(dy.dtype));
  const share = keptShare(g);
  if (isTraining !== undefined) return [masked.div(share)];
  // In inference the mask holds everything, and nothing is scaled.
  return [masked.div(g.builder.where(g.input(2), dy.operand(share), 1))];
};

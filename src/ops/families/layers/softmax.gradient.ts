// Gradients of Softmax and its relatives, from what they computed.
import type { GradientRule } from '../../gradient.js';

/** dX = Y·dY − Y·Σ(Y·dY). */
const Softmax: GradientRule = (g) => {
  const y = g.output(0);
  const weighted = y.mul(g.dy);
  return [weighted.sub(y.mul(weighted.sum([g.call.int('axis', -1)], true)))];
};

/** dX = dY − e^Y·Σ dY. */
const LogSoftmax: GradientRule = (g) => {
  const total = g.dy.sum([g.call.int('axis', -1)], true);
  return [g.dy.sub(g.output(0).exp().mul(total))];
};

export const softmaxGradients = {
  /** Piecewise constant. */
  Hardmax: () => [],
  LogSoftmax,
  Softmax,
} satisfies Readonly<Record<string, GradientRule>>;

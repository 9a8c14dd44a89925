// Gradients of activations. Most slopes follow from the output, or from one more sigmoid; a select or a power
// costs several multiplications, so it is only written where nothing else will do.
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';
import { gradientWhere, isPositive, isProductFaster, slope } from '../arithmetic/elementwise.gradient.js';

/**
 * Of x·Φ(x), Φ being the normal distribution: Φ(x) + x·φ(x). With u = x/√2 that is ½·(1 + erf u) + u·e^(−u²)/√π;
 * the last factor is part of the exponent.
 */
export function geluSlope(x: Value): Value {
  const u = x.mul(Math.SQRT1_2);
  const distribution = u.erf().mul(0.5).add(0.5);
  return u
    .mul(
      u
        .square()
        .rsub(-Math.log(Math.PI) / 2)
        .exp(),
    )
    .add(distribution);
}

const TANH_LINEAR = 2 * Math.sqrt(2 / Math.PI);
const TANH_CUBIC = TANH_LINEAR * 0.044715;

/**
 * Of ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), which is x·σ(v) with v = a·x + b·x³: σ(v) + y·(1 − σ(v))·(a + 3b·x²).
 */
export function tanhGeluSlope(x: Value, y: Value): Value {
  const square = x.square();
  const sigmoid = square.mul(TANH_CUBIC).add(TANH_LINEAR).mul(x).sigmoid();
  const inner = square.mul(3 * TANH_CUBIC).add(TANH_LINEAR);
  return sigmoid.rsub(1).mul(y).mul(inner).add(sigmoid);
}

/** Of x·σ(α·x): σ + α·y·(1 − σ). */
export function swishSlope(x: Value, y: Value, alpha: number): Value {
  const sigmoid = x.mul(alpha).sigmoid();
  return sigmoid.rsub(1).mul(y).mul(alpha).add(sigmoid);
}

/** Of x·t with t = tanh(softplus(x)): t + σ·(x − y·t), where t = σ·(1 + r)/(1 + r²), r = 1 − σ. */
function mishSlope(x: Value, y: Value): Value {
  const sigmoid = x.sigmoid();
  const rest = sigmoid.rsub(1);
  const t = sigmoid.mul(rest.add(1)).div(rest.square().add(1));
  return x.sub(y.mul(t)).mul(sigmoid).add(t);
}

/** Of x·h with h = clip(x/6 + ½, 0, 1): h + x/6 between −3 and 3, else h. */
function hardSwishSlope(x: Value, { builder }: Differentiation): Value {
  const h = builder.op('HardSigmoid', [x], { alpha: 1 / 6, beta: 0.5 });
  const isBetween = x.abs().less(3).cast(x.dtype);
  return x
    .mul(1 / 6)
    .mul(isBetween)
    .add(h);
}

/** Where x is positive one slope, else another. */
function slopeBySign(x: Value, positive: number, other: Value): Value {
  return x.builder.where(x.greater(0), positive, other);
}

/** The slope as it is multiplied with x: one per channel becomes (C, 1, …). */
function broadcastSlope(g: Differentiation): Value {
  const [x, slopes] = [g.input(0), g.input(1)];
  const [count] = slopes.shape;
  const isAlongLast = slopes.rank !== 1 || count === 1 || count === x.shape.at(-1);
  return isAlongLast ? slopes : slopes.reshape([-1, ...Array<number>(x.rank - 2).fill(1)]);
}

/** dX = dY, or dY·slope where X ≤ 0; dSlope = dY·min(X, 0). */
const PRelu: GradientRule = (g) => {
  const x = g.input(0);
  const slopes = broadcastSlope(g);
  return [
    g.when(0, () => g.dy.mul(slopeBySign(x, 1, slopes))),
    g.when(1, () => g.dy.mul(x.min(0)).sumTo(slopes).reshapeTo(g.input(1))),
  ];
};

export const activationGradients: Readonly<Record<string, GradientRule>> = {
  /** 1 or e^(x/α) = y/α + 1. */
  Celu: slope((_, y, { call }) => y.min(0).div(call.float('alpha', 1)).add(1)),
  /** 1 or α·eˣ = y + α. */
  Elu: slope((x, y, { call }) => {
    const alpha = call.float('alpha', 1);
    return alpha === 1 ? y.min(0).add(1) : slopeBySign(x, 1, y.add(alpha));
  }),
  Gelu: slope((x, y, { call }) =>
    call.string('approximate', 'none') === 'tanh' ? tanhGeluSlope(x, y) : geluSlope(x),
  ),
  HardSigmoid: (g) => {
    const y = g.output(0);
    const isBetween = y.sub(y.square()).cast('bool');
    return [gradientWhere(g, isBetween, g.dy.mul(g.call.float('alpha', 0.2)))];
  },
  HardSwish: slope((x, _, g) => hardSwishSlope(x, g)),
  LeakyRelu: slope((x, _, { call }) => slopeBySign(x, 1, x.operand(call.float('alpha', 0.01)))),
  Mish: slope(mishSlope),
  PRelu,
  Relu: (g) => {
    const y = g.output(0);
    return [g.dy.mul(isProductFaster(y) ? isPositive(y) : y.sign())];
  },
  /** γ or γ·α·eˣ = y + γ·α. */
  Selu: slope((x, y, { call }) => {
    const gamma = call.float('gamma', 1.0507);
    return slopeBySign(x, gamma, y.add(gamma * call.float('alpha', 1.67326)));
  }),
  Shrink: (g) => [gradientWhere(g, g.input(0).abs().greater(g.call.float('lambd', 0.5)))],
  Sigmoid: slope((_, y) => y.rsub(1).mul(y)),
  Softplus: slope((x) => x.sigmoid()),
  Softsign: slope((_, y) => y.abs().rsub(1).square()),
  Swish: slope((x, y, { call }) => swishSlope(x, y, call.float('alpha', 1))),
  Tanh: slope((_, y) => y.square().rsub(1)),
  ThresholdedRelu: (g) => [gradientWhere(g, g.input(0).greater(g.call.float('alpha', 1)))],
};

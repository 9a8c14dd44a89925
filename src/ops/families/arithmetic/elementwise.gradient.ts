// Gradients of operators that treat every element on its own: dX = dY · f'(X), summed over what broadcasting
// repeated. Rules that need f(X) use the output, which is there already. At kinks they do what PyTorch does.
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';

/** A function of one value: its derivative, given x and y = f(x). */
export function slope(derivative: (x: Value, y: Value, g: Differentiation) => Value): GradientRule {
  return (g) => [g.dy.mul(derivative(g.input(0), g.output(0), g))];
}

/** The same, where the derivative is 1 over something. */
function inverseSlope(denominator: (x: Value, y: Value) => Value): GradientRule {
  return (g) => [g.dy.div(denominator(g.input(0), g.output(0)))];
}

/** The gradient where a condition holds, else 0, even where the gradient is infinite. */
export function gradientWhere(g: Differentiation, condition: Value, dy = g.dy): Value {
  return g.builder.where(condition, dy, 0);
}

/** Piecewise constant: no gradient comes back. */
const CONSTANT: GradientRule = () => [];

/** dA = dY·B, dB = dY·A; of a square both are the same. */
const Mul: GradientRule = (g) => {
  const [a, b] = [g.input(0), g.input(1)];
  if (a.name === b.name) {
    const half = g.dy.mul(a);
    return [half, half];
  }
  return [g.when(0, () => g.dy.mul(b).sumTo(a)), g.when(1, () => g.dy.mul(a).sumTo(b))];
};

/** dA = dY/B, dB = −dY·Y/B. */
const Div: GradientRule = (g) => {
  const [a, b] = [g.input(0), g.input(1)];
  const quotient = g.dy.div(b);
  return [g.when(0, () => quotient.sumTo(a)), g.when(1, () => quotient.mul(g.output(0)).sumTo(b).neg())];
};

/** Gradients of Aⁿ that are cheaper than dY·n·Aⁿ⁻¹, which takes another power. */
const POWERS: ReadonlyMap<number, (dy: Value, a: Value, y: Value) => Value> = new Map([
  [0, (_, a) => a.zerosLike()],
  [0.5, (dy, _, y) => dy.mul(0.5).div(y)],
  [1, (dy) => dy],
  [1.5, (dy, a) => dy.mul(a.sqrt()).mul(1.5)],
  [2, (dy, a) => dy.mul(a).mul(2)],
  [3, (dy, a) => dy.mul(a.square()).mul(3)],
  [4, (dy, a) => dy.mul(a.square()).mul(a).mul(4)],
]);

/** The gradient of the base, the exponent being a number. */
function powerGradient(dy: Value, a: Value, y: Value, exponent: number): Value {
  const known = POWERS.get(exponent);
  if (known) return known(dy, a, y);
  // Y/A is one power less; where A is 0 that holds only if Y is infinite.
  const less = exponent < 0 ? y.div(a) : a.pow(exponent - 1);
  return dy.mul(less).mul(exponent);
}

/** dA = dY·B·A^(B−1), 0 where B is; dB = dY·Y·ln A, 0 where A is. */
const Pow: GradientRule = (g) => {
  const [a, b, y] = [g.input(0), g.input(1), g.output(0)];
  return [
    g.when(0, () => {
      const exponent = b.tensor.size === 1 ? g.call.scalar(1) : undefined;
      if (typeof exponent === 'number') return powerGradient(g.dy, a, y, exponent).sumTo(a);
      const factor = b.cast(a.dtype);
      const less = g.builder.where(factor.equal(0), 1, factor.sub(1));
      return g.dy.mul(factor).mul(a.pow(less)).sumTo(a);
    }),
    g.when(1, () => {
      const logarithm = g.builder.where(a.equal(0), 1, a).log();
      // The exponent may be of another type than the result.
      return g.dy.mul(y).mul(logarithm).cast(b.dtype).sumTo(b);
    }),
  ];
};

/** With Y = A − n·B, n a whole number: dA = dY, dB = −n·dY. */
const Mod: GradientRule = (g) => {
  const [a, b] = [g.input(0), g.input(1)];
  return [
    g.when(0, () => g.dy.sumTo(a)),
    g.when(1, () => {
      const whole = g.builder.op('Round', [a.sub(g.output(0)).div(b)]);
      return g.dy.mul(whole).sumTo(b).neg();
    }),
  ];
};

/** Sums and means, whose inputs all have the same share. */
function shares(count: (g: Differentiation) => number): GradientRule {
  return (g) => {
    const share = g.dy.div(count(g));
    return g.call.node.inputs.map((_, i) => g.when(i, () => share.sumTo(g.input(i))));
  };
}

/** Max and Min: the gradient goes to the input that was chosen, in equal parts to those that tie. */
function extreme(beats: (a: Value, b: Value) => Value): GradientRule {
  return (g) => {
    const { builder, dy } = g;
    const inputs = g.call.node.inputs.map((_, i) => g.input(i));
    if (inputs.length === 1) return [dy];
    if (inputs.length === 2) {
      const [a, b] = inputs as [Value, Value];
      const tied = gradientWhere(g, a.equal(b), dy.mul(0.5));
      return [
        g.when(0, () => builder.where(beats(a, b), dy, tied).sumTo(a)),
        g.when(1, () => builder.where(beats(b, a), dy, tied).sumTo(b)),
      ];
    }
    const chosen = inputs.map((x) => x.equal(g.output(0)));
    const share = dy.div(builder.sum(chosen.map((c) => c.cast(dy.dtype))));
    return inputs.map((x, i) => g.when(i, () => gradientWhere(g, chosen[i]!, share).sumTo(x)));
  };
}

/** A product with 0 and 1 takes ONNX Runtime half the time of a select, if what is compared needs no gradient of its own. */
export function isProductFaster({ dtype, builder }: Value): boolean {
  return dtype === 'float32' && !builder.isDifferentiatedAgain;
}

/** 3·10³⁸ times any number that is not 0, nor one of the very smallest, is at least 1. */
const LARGE = 3e38;

/** 1 where y ≥ 0 is positive, else 0: as Sign, which is slower and uses one thread. */
export function isPositive(y: Value): Value {
  return y.builder.op('HardSigmoid', [y], { alpha: LARGE, beta: 0 });
}

/** 1 where x is 0, else 0. */
function isZero(x: Value): Value {
  return x.builder.op('HardSigmoid', [x.abs()], { alpha: -LARGE, beta: 1 });
}

/** What was not clipped, bounds included, passes; the rest goes to the bound that it met. */
const Clip: GradientRule = (g) => {
  const x = g.input(0);
  const bound = (index: number, isBeyond: (limit: Value) => Value): Value | undefined =>
    g.when(index, () => gradientWhere(g, isBeyond(g.input(index))).sumTo(g.input(index)));
  return [
    g.when(0, () =>
      isProductFaster(x) ? g.dy.mul(isZero(x.sub(g.output(0)))) : gradientWhere(g, x.equal(g.output(0))),
    ),
    bound(1, (low) => x.less(low)),
    bound(2, (high) => x.greater(high)),
  ];
};

const Where: GradientRule = (g) => {
  const [condition, yes, no] = [g.input(0), g.input(1), g.input(2)];
  const { builder, dy } = g;
  const zero = dy.operand(0);
  return [
    undefined,
    g.when(1, () => builder.where(condition, dy, zero).sumTo(yes)),
    g.when(2, () => builder.where(condition, zero, dy).sumTo(no)),
  ];
};

export const elementwiseGradients: Readonly<Record<string, GradientRule>> = {
  Abs: slope((x) => x.sign()),
  Acos: (g) => [g.dy.div(g.input(0).square().rsub(1).sqrt()).neg()],
  Acosh: inverseSlope((x) => x.square().sub(1).sqrt()),
  Add: shares(() => 1),
  Asin: inverseSlope((x) => x.square().rsub(1).sqrt()),
  Asinh: inverseSlope((x) => x.square().add(1).sqrt()),
  Atan: inverseSlope((x) => x.square().add(1)),
  Atanh: inverseSlope((x) => x.square().rsub(1)),
  Ceil: CONSTANT,
  Clip,
  Cos: slope((x) => x.sin().neg()),
  Cosh: slope((x, _, { builder }) => builder.op('Sinh', [x])),
  Div,
  Erf: slope((x) =>
    x
      .square()
      .neg()
      .exp()
      .mul(2 / Math.sqrt(Math.PI)),
  ),
  Exp: slope((_, y) => y),
  Floor: CONSTANT,
  Log: inverseSlope((x) => x),
  Max: extreme((a, b) => a.greater(b)),
  Mean: shares((g) => g.inputCount),
  Min: extreme((a, b) => a.less(b)),
  Mod,
  Mul,
  Neg: (g) => [g.dy.neg()],
  Pow,
  Reciprocal: slope((_, y) => y.square().neg()),
  Round: CONSTANT,
  Sign: CONSTANT,
  Sin: slope((x) => x.cos()),
  Sinh: slope((x, _, { builder }) => builder.op('Cosh', [x])),
  Sqrt: inverseSlope((_, y) => y.mul(2)),
  Sub: (g) => [g.when(0, () => g.dy.sumTo(g.input(0))), g.when(1, () => g.dy.sumTo(g.input(1)).neg())],
  Sum: shares(() => 1),
  Tan: slope((_, y) => y.square().add(1)),
  Where,
};

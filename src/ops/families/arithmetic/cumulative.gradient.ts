// Gradients of running sums and products. Products without one of their factors are computed as such and not by
// dividing, so factors may be 0; they take log₂ n steps along an axis of n elements.
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';

/** Moved along an axis, forwards if `by` is positive; what becomes free is filled. */
function shifted(x: Value, axis: number, by: number, fill: number): Value {
  const pads = new Array<number>(2 * x.rank).fill(0);
  pads[axis] = by;
  pads[x.rank + axis] = -by;
  return x.builder.op('Pad', [x, x.builder.ints(pads), x.operand(fill)]);
}

/** 1, 2, 4 … below the number of elements along an axis: how far each step of a scan reaches. */
function strides(x: Value, axis: number): number[] {
  const found: number[] = [];
  for (let stride = 1; stride < x.length(axis); stride *= 2) found.push(stride);
  return found;
}

/** At each place the product of all elements before it, or behind it if `direction` is −1. */
function productsBefore(x: Value, axis: number, direction: 1 | -1): Value {
  let product = shifted(x, axis, direction, 1);
  for (const stride of strides(x, axis)) {
    product = product.mul(shifted(product, axis, direction * stride, 1));
  }
  return product;
}

/** At each place the product of all other elements along an axis. */
export function productsOfOthers(x: Value, axis: number): Value {
  if (x.length(axis) <= 1) return x.onesLike();
  return productsBefore(x, axis, 1).mul(productsBefore(x, axis, -1));
}

/** Where elements go in a running sum or product. */
function settings(g: Differentiation): { axis: number; exclusive: boolean; direction: 1 | -1 } {
  const axis = g.call.scalar(1);
  if (typeof axis !== 'number') return g.call.fail('the axis must be a constant', 'GRADIENT_UNSUPPORTED');
  return {
    axis: g.call.axis(axis, g.input(0).rank),
    exclusive: g.call.int('exclusive', 0) !== 0,
    direction: g.call.int('reverse', 0) !== 0 ? -1 : 1,
  };
}

/**
 * With P the product before a place and r what the gradients from there on make of it: dX = P·r, where
 * rᵢ = dYᵢ + xᵢ₊₁·rᵢ₊₁. That recurrence is solved by joining ever longer stretches.
 */
const CumProd: GradientRule = (g) => {
  const x = g.input(0);
  const { axis, exclusive, direction } = settings(g);
  const reverse = Number(direction < 0);
  const before = exclusive
    ? g.output(0)
    : g.builder.op('CumProd', [x, g.input(1)], { exclusive: 1, reverse });
  let sum = exclusive ? shifted(g.dy, axis, -direction, 0) : g.dy;
  let factor = shifted(x, axis, -direction, 0);
  for (const stride of strides(x, axis)) {
    sum = sum.add(factor.mul(shifted(sum, axis, -direction * stride, 0)));
    factor = factor.mul(shifted(factor, axis, -direction * stride, 0));
  }
  return [before.mul(sum)];
};

/** The sum of all gradients that an element went into: a running sum the other way round. */
const CumSum: GradientRule = (g) => {
  const exclusive = g.call.int('exclusive', 0);
  const reverse = 1 - g.call.int('reverse', 0);
  return [g.builder.op('CumSum', [g.dy, g.input(1)], { exclusive, reverse })];
};

export const cumulativeGradients = { CumProd, CumSum };

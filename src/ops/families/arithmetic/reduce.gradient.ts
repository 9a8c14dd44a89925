// Gradients of reductions: what comes back is repeated along the axes that were reduced, times how much each
// element contributed.
import { isKnown } from '../../../graph/dim.js';
import type { Operand, Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';
import { productsOfOthers } from './cumulative.gradient.js';

/** The axes that are reduced, counted from 0. */
function reducedAxes(g: Differentiation): number[] {
  const { call } = g;
  const { rank } = g.input(0);
  const axes = call.ints('axes') ?? (call.has('axes') ? call.numbers('axes') : []);
  if (axes === undefined) return call.fail('the axes must be constants', 'GRADIENT_UNSUPPORTED');
  if (axes.length > 0) return call.axes(axes, rank);
  return call.int('noop_with_empty_axes', 0) === 0 ? [...Array(rank).keys()] : [];
}

/** The output or its gradient with the reduced dimensions as 1, so that it broadcasts against the input. */
function kept(g: Differentiation, value: Value): Value {
  return g.call.int('keepdims', 1) !== 0 ? value : value.unsqueeze(reducedAxes(g));
}

/** How many elements became one. */
function groupSize(g: Differentiation): Operand {
  const x = g.input(0);
  const sizes = reducedAxes(g).map((axis) => x.shape[axis]!);
  if (sizes.every(isKnown)) return sizes.reduce<number>((n, d) => n * (d as number), 1);
  const [all, groups] = [x, g.output(0)].map((value) => g.builder.op('Size', [value]).cast(x.dtype));
  return all!.div(groups!);
}

/** A gradient that is the same for all elements of a group. */
function even(ofGroup: (dy: Value, g: Differentiation) => Value): GradientRule {
  return (g) => [kept(g, ofGroup(g.dy, g)).expandTo(g.input(0))];
}

/** One that depends on the element; dY broadcasts against X. */
function uneven(ofElement: (dy: Value, x: Value, g: Differentiation) => Value): GradientRule {
  return (g) => [ofElement(kept(g, g.dy), g.input(0), g)];
}

/** To the greatest or smallest elements, in equal parts to those that tie. */
const extreme = uneven((dy, x, g) => {
  const isChosen = x.equal(kept(g, g.output(0)));
  const ties = isChosen.cast(x.dtype).sum(reducedAxes(g), true);
  return g.builder.where(isChosen, dy.div(ties), 0);
});

/** dY times the product of all other elements: axis by axis, of the others along it. */
const ReduceProd = uneven((dy, x, g) => {
  let product = x;
  let gradient = dy;
  for (const axis of reducedAxes(g)) {
    gradient = gradient.mul(productsOfOthers(product, axis));
    product = product.prod([axis], true);
  }
  return gradient;
});

/** dX = dY·X/Y; all X are 0 where Y is. */
const ReduceL2: GradientRule = (g) => {
  const y = g.output(0);
  const norm = g.builder.where(y.equal(0), 1, y);
  return [g.input(0).mul(kept(g, g.dy.div(norm)))];
};

export const reduceGradients: Readonly<Record<string, GradientRule>> = {
  ReduceL1: uneven((dy, x) => x.sign().mul(dy)),
  ReduceL2,
  ReduceLogSum: even((dy, g) => dy.div(g.output(0).exp())),
  ReduceLogSumExp: uneven((dy, x, g) =>
    x
      .sub(kept(g, g.output(0)))
      .exp()
      .mul(dy),
  ),
  ReduceMax: extreme,
  ReduceMean: even((dy, g) => dy.div(groupSize(g))),
  ReduceMin: extreme,
  ReduceProd,
  ReduceSum: even((dy) => dy),
  ReduceSumSquare: (g) => [g.input(0).mul(kept(g, g.dy.mul(2)))],
};

// Gradients of operators that choose elements by their values: zeros with what comes back at the places chosen.
import type { GradientRule } from '../../gradient.js';

/** The second output tells where the values came from. */
export const topKGradient: GradientRule = (g) => {
  const values = g.outputGradient(0);
  if (values === undefined) return [];
  if (!g.call.wants(1)) g.call.fail('the indices, its second output, are needed', 'GRADIENT_UNSUPPORTED');
  const x = g.input(0);
  const axis = g.call.axis(g.call.int('axis', -1), x.rank);
  return [g.builder.op('ScatterElements', [x.zerosLike(), g.output(1), values], { axis })];
};

/** The places where the condition holds, as indices of whole slices along the axis, which is moved to the front. */
export const compressGradient: GradientRule = (g) => {
  const { builder, dy } = g;
  const x = g.input(0);
  const places = builder.op('NonZero', [g.input(1)]).transpose([1, 0]);
  const given = g.call.int('axis');
  const all = x.sizes.reduce((n, d) => n * d, 1);
  const flat = given === undefined ? [all] : x.sizes;
  const axis = given === undefined ? 0 : g.call.axis(given, x.rank);
  const swap = flat.map((_, i) => (i === axis ? 0 : i === 0 ? axis : i));
  const zeros = builder.full(
    swap.map((i) => flat[i]!),
    0,
    x.dtype,
  );
  return [
    builder
      .op('ScatterND', [zeros, places, dy.transpose(swap)])
      .transpose(swap)
      .reshapeTo(x),
  ];
};

/** The two values get the sums over where they stand. */
export const oneHotGradient: GradientRule = (g) => {
  const { dy } = g;
  const isOn = g.builder.op('OneHot', [g.input(0), g.input(1), g.builder.constant([0, 1], dy.dtype)], {
    axis: g.call.int('axis', -1),
  });
  const on = dy.mul(isOn).sum().unsqueeze([0]);
  const off = dy.sum().unsqueeze([0]).sub(on);
  return [undefined, undefined, g.builder.concat([off, on], 0)];
};

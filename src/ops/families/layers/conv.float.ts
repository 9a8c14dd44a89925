// Convolutions of quantised images and weights, in floats.
import type { Value } from '../../build.js';
import type { Dequantisation, FloatRule } from '../../float.js';

const ATTRIBUTES = ['auto_pad', 'dilations', 'group', 'kernel_shape', 'pads', 'strides'];

function convolved(node: Dequantisation, x: Value, w: Value, bias?: Value): Value {
  const given = ATTRIBUTES.map((name) => [name, node.call.node.attributes.get(name)]);
  const inputs = bias === undefined ? [x, w] : [x, w, bias];
  return node.builder.op('Conv', inputs, Object.fromEntries(given));
}

/** (N, C, D1, …, Dn) from (N, D1, …, Dn, C), and back. */
export function channelsFirst(x: Value): Value {
  const { rank } = x;
  return x.transpose([0, rank - 1, ...Array.from({ length: rank - 2 }, (_, i) => i + 1)]);
}

export function channelsLast(x: Value): Value {
  const { rank } = x;
  return x.transpose([0, ...Array.from({ length: rank - 2 }, (_, i) => i + 2), 1]);
}

/** The bias has the scale of the products. */
export const qLinearConvFloat: FloatRule = (node) => {
  const [xScale, wScale] = [node.required('x_scale'), node.required('w_scale')];
  const x = node.real(node.required('x'), { scale: xScale, zeroPoint: node.named('x_zero_point') });
  const w = node.real(node.required('w'), { scale: wScale, zeroPoint: node.named('w_zero_point'), axis: 0 });
  const bias = node.named('B');
  const isLast = node.call.int('channels_last', 0) !== 0;
  const sums = convolved(
    node,
    isLast ? channelsFirst(x) : x,
    w,
    bias && node.real(bias, { scale: node.product(xScale, wScale), axis: 0 }),
  );
  const parameters = { scale: node.required('y_scale'), zeroPoint: node.required('y_zero_point') };
  return [node.quantised(isLast ? channelsLast(sums) : sums, parameters, parameters.zeroPoint.dtype)];
};

/** Sums of products of integers; what scales them behind it goes into the weights. */
export const convIntegerFloat: FloatRule = (node) => {
  const [q, zeroPoint] = [node.required('w'), node.named('w_zero_point')];
  const x = node.real(node.required('x'), { zeroPoint: node.named('x_zero_point') });
  return [
    {
      real: convolved(node, x, node.real(q, { zeroPoint, axis: 0 })),
      scaled: (factor) => {
        const scale = node.listOf(factor, q.length(0), factor.rank - (x.rank - 1));
        return scale && convolved(node, x, node.real(q, { scale, zeroPoint, axis: 0 }));
      },
    },
  ];
};

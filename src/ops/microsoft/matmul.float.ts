// Products with quantised matrices that give floats, or add a bias.
import type { FloatRule } from '../float.js';

const COLUMNS = -1;

/** A · B + bias, of floats with quantised weights. */
export const dynamicQuantizeMatMulFloat: FloatRule = (node) => {
  const b = node.real(node.required('B'), {
    scale: node.required('b_scale'),
    zeroPoint: node.named('b_zero_point'),
    axis: COLUMNS,
  });
  const product = node.required('A').matmul(b);
  const bias = node.named('bias');
  return [bias ? product.add(bias) : product];
};

/** The same of quantised numbers. */
export const matMulIntegerToFloat: FloatRule = (node) => {
  const a = node.real(node.required('A'), {
    scale: node.required('a_scale'),
    zeroPoint: node.named('a_zero_point'),
  });
  const b = node.real(node.required('B'), {
    scale: node.required('b_scale'),
    zeroPoint: node.named('b_zero_point'),
    axis: COLUMNS,
  });
  const bias = node.named('bias');
  return [bias ? a.matmul(b).add(bias) : a.matmul(b)];
};

/** alpha·A·B + C; C has the scale of alpha times the products. */
export const qGemmFloat: FloatRule = (node) => {
  const { call, builder } = node;
  const [aScale, bScale] = [node.required('a_scale'), node.required('b_scale')];
  const [alpha, transA, transB] = [call.float('alpha', 1), call.int('transA', 0), call.int('transB', 0)];
  const a = node.real(node.required('A'), { scale: aScale, zeroPoint: node.named('a_zero_point') });
  const b = node.real(node.required('B'), {
    scale: bScale,
    zeroPoint: node.named('b_zero_point'),
    axis: transB === 0 ? 1 : 0,
  });
  const bias = node.named('C');
  const products = node.product(aScale, bScale);
  const scale = alpha === 1 ? products : node.product(products, builder.constant(alpha, 'float32'));
  const c = bias && node.real(bias, { scale, axis: COLUMNS });
  const sums = builder.op('Gemm', c ? [a, b, c] : [a, b], { alpha, transA, transB });
  const zeroPoint = node.named('y_zero_point');
  if (zeroPoint === undefined) return [sums];
  return [node.quantised(sums, { scale: node.named('y_scale'), zeroPoint }, zeroPoint.dtype)];
};

// Products of quantised matrices, in floats. Lists of scales are one for each row of the left matrix and one for each
// column of the right one.
import type { FloatRule } from '../../float.js';

/** The axis of columns, and of rows. */
const COLUMNS = -1;
const ROWS = -2;

export const qLinearMatMulFloat: FloatRule = (node) => {
  const a = node.real(node.required('a'), {
    scale: node.required('a_scale'),
    zeroPoint: node.named('a_zero_point'),
    axis: ROWS,
  });
  const b = node.real(node.required('b'), {
    scale: node.required('b_scale'),
    zeroPoint: node.named('b_zero_point'),
    axis: COLUMNS,
  });
  const parameters = { scale: node.required('y_scale'), zeroPoint: node.required('y_zero_point') };
  return [node.quantised(a.matmul(b), parameters, parameters.zeroPoint.dtype)];
};

/** Sums of products of integers; what scales them behind it goes into the weights. */
export const matMulIntegerFloat: FloatRule = (node) => {
  const a = node.real(node.required('A'), { zeroPoint: node.named('a_zero_point'), axis: ROWS });
  const [q, zeroPoint] = [node.required('B'), node.named('b_zero_point')];
  return [
    {
      real: a.matmul(node.real(q, { zeroPoint, axis: COLUMNS })),
      scaled: (factor) => {
        const scale = q.rank < 2 ? undefined : node.listOf(factor, q.length(-1), factor.rank - 1);
        return scale && a.matmul(node.real(q, { scale, zeroPoint, axis: COLUMNS }));
      },
    },
  ];
};

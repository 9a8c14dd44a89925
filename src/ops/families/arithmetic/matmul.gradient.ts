// Gradients of matrix products. With Y = A·B: dA = dY·Bᵀ and dB = Aᵀ·dY, summed over what was broadcast.
import type { Value } from '../../build.js';
import type { GradientRule } from '../../gradient.js';

/** numpy.matmul: a vector on the left is a row, one on the right a column. */
export const matMulGradient: GradientRule = (g) => {
  const [a, b] = [g.input(0), g.input(1)];
  const rows = a.rank === 1 ? a.unsqueeze([0]) : a;
  const columns = b.rank === 1 ? b.unsqueeze([1]) : b;
  let dy = g.dy;
  if (b.rank === 1) dy = dy.unsqueeze([dy.rank]);
  if (a.rank === 1) dy = dy.unsqueeze([dy.rank - 1]);
  const matrix = (value: Value, like: Value, original: Value): Value => {
    const summed = value.sumTo(like);
    return original.rank === 1 ? summed.reshapeTo(original) : summed;
  };
  return [
    g.when(0, () => matrix(dy.matmul(columns.transposeLast()), rows, a)),
    g.when(1, () => {
      // A weight that many rows share: one product of two matrices instead of a batch of them and a sum.
      if (columns.rank === 2 && rows.rank > 2) {
        const flat = (value: Value): Value => value.reshape([-1, value.sizes.at(-1)!]);
        return matrix(flat(rows).transposeLast().matmul(flat(dy)), columns, b);
      }
      return matrix(rows.transposeLast().matmul(dy), columns, b);
    }),
  ];
};

/**
 * Y = α·A'·B' + β·C, where A' is A or Aᵀ and B' is B or Bᵀ: dA' = α·dY·B'ᵀ, dB' = α·A'ᵀ·dY, dC = β·dY summed over
 * what was broadcast. Each is again one Gemm, which transposes as it reads.
 */
export const gemmGradient: GradientRule = (g) => {
  const [a, b, { dy }] = [g.input(0), g.input(1), g];
  const [transA, transB] = [g.call.int('transA', 0) !== 0, g.call.int('transB', 0) !== 0];
  const product = (left: Value, right: Value, transLeft: boolean, transRight: boolean): Value => {
    const flags = { transA: Number(transLeft), transB: Number(transRight) };
    return g.builder.op('Gemm', [left, right], { alpha: g.call.float('alpha', 1), ...flags });
  };
  return [
    g.when(0, () => (transA ? product(b, dy, transB, true) : product(dy, b, false, !transB))),
    g.when(1, () => (transB ? product(dy, a, true, transA) : product(a, dy, !transA, false))),
    g.when(2, () => dy.sumTo(g.input(2)).mul(g.call.float('beta', 1))),
  ];
};

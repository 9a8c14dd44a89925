// Matrix products. A product of an (M, K) with a (K, N) matrix takes M·N·K multiply-accumulates, whatever the
// numbers are stored as.
import { type Dim, floorDivide, isKnown, multiply } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { expectBroadcastTo, mayEqual, shapeOfRank, shapeOfRankFrom } from '../../arguments.js';
import { counted, times } from '../../cost.js';
import { type Call, commonDtype, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { broadcastShapes } from './broadcast.js';
import { matMulIntegerFloat, qLinearMatMulFloat } from './matmul.float.js';
import { gemmGradient, matMulGradient } from './matmul.gradient.js';
import { matMulVersions } from './matmul.versions.js';

/**
 * The shape of numpy.matmul: the last two dimensions are multiplied as matrices, those before are broadcast.
 * A vector on the left is a row, one on the right a column; its dimension is not in the result.
 */
export function matMulShape(call: Call, a: Shape | undefined, b: Shape | undefined): Shape | undefined {
  for (const shape of [a, b]) if (shape?.length === 0) call.fail('a scalar cannot be multiplied as a matrix');
  if (a === undefined || b === undefined) return undefined;
  expectProduct(call, a, b, a.at(-1), b.at(b.length === 1 ? -1 : -2));
  const batch = broadcastShapes(call, [a.slice(0, -2), b.slice(0, -2)])!;
  return [...batch, ...a.slice(-2, -1), ...(b.length === 1 ? [] : b.slice(-1))];
}

function expectProduct(
  call: Call,
  a: Shape,
  b: Shape,
  columns: Dim | undefined,
  rows: Dim | undefined,
): void {
  if (mayEqual(columns, rows)) return;
  call.fail(`shapes [${a}] and [${b}] cannot be multiplied: ${columns} columns meet ${rows} rows`);
}

/** Multiply-accumulates of matMulShape: one per element of the result and column of the left matrix. */
function matMulMacs(call: Call, a: number, b: number): Dim | undefined {
  const left = call.shape(a)?.at(-1);
  const right = call.shape(b);
  const inner = isKnown(left) ? left : (right?.at(right.length === 1 ? -1 : -2) ?? left);
  return times(call.outputSize(), inner);
}

const MATMUL_COST = counted('MACs: output elements × inner dimension', (call) => ({
  macs: matMulMacs(call, 0, 1),
}));

const MatMul: Operator = {
  infer: (call) => {
    const [a, b] = [call.tensor(0), call.tensor(1)];
    return [new TensorType(commonDtype(call, [a, b]), matMulShape(call, a.shape, b.shape))];
  },
  cost: MATMUL_COST,
  roles: { weight: ['B'] },
  gradient: matMulGradient,
  traits: { product: 'matmul' },
};

/** 8-bit matrices, accumulated in 32 bits. */
const MatMulInteger: Operator = {
  infer: (call) => [new TensorType('int32', matMulShape(call, call.shape(0), call.shape(1)))],
  cost: MATMUL_COST,
  roles: { weight: ['B'], setting: ['a_zero_point', 'b_zero_point'] },
  traits: { product: 'matmul' },
  float: matMulIntegerFloat,
};

/** Inputs: a, its scale and zero point, b, its scale and zero point, scale and zero point of the result. */
const QLinearMatMul: Operator = {
  infer: (call) => {
    const shape = matMulShape(call, call.shape(0), call.shape(3));
    return [new TensorType(call.dtype(7), shape)];
  },
  cost: counted('MACs: output elements × inner dimension; 2 per output element to requantise', (call) => ({
    macs: matMulMacs(call, 0, 3),
    otherFlops: times(call.outputSize(), 2),
  })),
  roles: { data: ['a'], weight: ['b'], others: 'setting' },
  traits: { product: 'matmul' },
  float: qLinearMatMulFloat,
};

/** A's and B's sizes as (M, K) and (K, N), whichever way they are stored. */
function gemmSizes(call: Call): { m?: Dim | undefined; n?: Dim | undefined; k?: Dim | undefined } {
  const side = (index: number, transposed: string): Shape => {
    const shape = shapeOfRank(call, index, 2) ?? [];
    return call.int(transposed, 0) !== 0 ? shape.toReversed() : shape;
  };
  const [a, b] = [side(0, 'transA'), side(1, 'transB')];
  expectProduct(call, a, b, a[1], b[0]);
  return { m: a[0], n: b[1], k: isKnown(a[1]) ? a[1] : (b[0] ?? a[1]) };
}

/** alpha·A·B + beta·C, where C is broadcast to the product. */
const Gemm: Operator = {
  infer: (call) => {
    const inputs = [call.tensor(0), call.tensor(1), call.optionalTensor(2)].filter((t) => t !== undefined);
    const { m, n } = gemmSizes(call);
    const shape = [m ?? call.unknownSize(0, 0), n ?? call.unknownSize(0, 1)];
    expectBroadcastTo(call, 2, 'C', shape);
    return [new TensorType(commonDtype(call, inputs), shape)];
  },
  cost: counted('MACs: M·N·K; 1 per output element to add C', (call) => {
    const { k } = gemmSizes(call);
    const size = call.outputSize();
    return { macs: times(size, k), otherFlops: call.has('C') ? size : 0 };
  }),
  roles: { weight: ['B'], bias: ['C'] },
  gradient: gemmGradient,
  traits: { product: 'gemm' },
};

/** The determinant of each matrix, by elimination: about 2/3·M³ operations. */
const Det: Operator = {
  infer: (call) => {
    const shape = shapeOfRankFrom(call, 0, 2);
    if (!mayEqual(shape?.at(-1), shape?.at(-2))) call.fail(`[${shape}] is not a square matrix`);
    return [new TensorType(call.dtype(0), shape?.slice(0, -2))];
  },
  cost: counted('2/3·M³ for each M×M matrix', (call) => {
    const m = call.shape(0)?.at(-1);
    if (m === undefined) return undefined;
    const cube = multiply(m, multiply(m, m));
    return { otherFlops: times(call.outputSize(), floorDivide(multiply(2, cube), 3)) };
  }),
};

export const matMulOperators: OperatorTable = withVersions(
  { Det, Gemm, MatMul, MatMulInteger, QLinearMatMul },
  matMulVersions,
);

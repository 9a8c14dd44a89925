// Matrix products of float and 8-bit or 16-bit matrices that are fused with transposition, scaling, a bias or
// an activation. Weights of fewer bits are in packed-matmul.ts.
import { type Dim, isKnown } from '../../graph/dim.js';
import { type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { expectShape } from '../arguments.js';
import { counted, times, total } from '../cost.js';
import { matMulOperators, matMulShape } from '../families/arithmetic/matmul.js';
import { dtypeAttribute } from '../families/arrays/data-movement.js';
import { type Call, commonDtype, type InputRoles, type Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { activationCost } from './activation.js';
import { dynamicQuantizeMatMulFloat, matMulIntegerToFloat, qGemmFloat } from './matmul.float.js';
import { fusedGemmParts, fusedMatMulParts } from './matmul.gradient.js';
import { firstOutput, shapeOnly, standard } from './standard.js';

/** The shapes that meet in a product, already transposed. */
interface Factors {
  readonly left: Shape | undefined;
  readonly right: Shape | undefined;
}

/** MACs of a product: every element of the result sums over the inner dimension. */
function productMacs(call: Call, { left, right }: Factors): Dim | undefined {
  const [columns, rows] = [left?.at(-1), right?.at(right.length === 1 ? -1 : -2)];
  return times(call.outputSize(), isKnown(columns) ? columns : (rows ?? columns));
}

/**
 * A factor as the product sees it. `transBatch` moves the first dimension behind the batch dimensions,
 * (R, B1, …, Bn, C) to (B1, …, Bn, R, C); `trans` swaps the last two after that. Vectors stay as they are.
 */
function transposed(call: Call, shape: Shape | undefined, side: 'A' | 'B'): Shape | undefined {
  if (shape === undefined || shape.length < 2) return shape;
  const moveBatch = call.int(`transBatch${side}`, 0) !== 0 && shape.length > 2;
  const [rows, columns] = [moveBatch ? shape[0]! : shape.at(-2)!, shape.at(-1)!];
  const batch = moveBatch ? shape.slice(1, -1) : shape.slice(0, -2);
  return call.int(`trans${side}`, 0) !== 0 ? [...batch, columns, rows] : [...batch, rows, columns];
}

function fusedFactors(call: Call): Factors {
  return { left: transposed(call, shapeOf(call, 0), 'A'), right: transposed(call, call.shape(1), 'B') };
}

/** Sparse matrices have shapes, too. */
function shapeOf(call: Call, index: number): Shape | undefined {
  const type = call.input(index);
  return type?.kind === 'sparse' ? type.shape : call.shape(index);
}

/** alpha · A · B with transpositions, and with `activation` after it. */
const FusedMatMul: Operator = {
  infer: (call) => {
    const { left, right } = fusedFactors(call);
    const dtype = commonDtype(call, [call.tensor(0), call.tensor(1)]);
    return [new TensorType(dtype, matMulShape(call, left, right))];
  },
  cost: counted('MACs output elements · inner dimension; FLOPs of the activation, if any', (call) => ({
    macs: productMacs(call, fusedFactors(call)),
    otherFlops: activationCost(call),
  })),
  roles: { weight: ['B'] },
  decompose: fusedMatMulParts,
  traits: { product: 'matmul' },
};

const SparseToDenseMatMul: Operator = {
  infer: (call) => {
    const { left, right } = fusedFactors(call);
    return [new TensorType(call.dtype(1), matMulShape(call, left, right))];
  },
  cost: counted('MACs as if the matrix were dense: output elements · inner dimension', (call) => ({
    macs: productMacs(call, fusedFactors(call)),
  })),
  roles: { weight: ['A'] },
  traits: { product: 'matmul' },
};

/** gelu(X · W + bias). */
const GemmFastGelu: Operator = {
  infer: (call) => {
    const dtype = commonDtype(call, [call.tensor(0), call.tensor(1)]);
    const shape = matMulShape(call, call.shape(0), call.shape(1));
    expectShape(call, 'bias', 'the bias', [shape?.at(-1)]);
    return [new TensorType(dtype, shape)];
  },
  cost: counted(
    'MACs output elements · inner dimension; 5 per output element, 1 more with a bias',
    (call) => ({
      macs: productMacs(call, { left: call.shape(0), right: call.shape(1) }),
      otherFlops: times(call.outputSize(), call.has('bias') ? 6 : 5),
    }),
  ),
  roles: { weight: ['W'], bias: ['bias'] },
  traits: { product: 'matmul' },
};

/** A product A·B of integers: whether it adds a bias, and what tells the type of the result. */
interface IntegerProduct {
  readonly isBiased?: true;
  readonly dtype: (call: Call) => TensorType['dtype'];
  /** FLOPs per output element to scale the sums, and per element of the left matrix to quantise it. */
  readonly rescale: number;
  readonly quantise?: number;
  /** What is no factor and no bias. */
  readonly others?: Pick<InputRoles, 'data'>;
}

function integerProduct(rule: IntegerProduct): Operator {
  const { isBiased, rescale, quantise = 0 } = rule;
  const rules = [
    'MACs output elements · inner dimension',
    ...(rescale ? [`${rescale} per output element to rescale it`] : []),
    ...(quantise ? [`${quantise} per element of A to quantise it`] : []),
    ...(isBiased ? ['1 per output element for a bias'] : []),
  ];
  return {
    infer: (call): ValueType[] => {
      const shape = matMulShape(call, call.shape(0), call.shape('B'));
      return [new TensorType(rule.dtype(call), shape)];
    },
    cost: counted(rules.join('; '), (call) => ({
      macs: productMacs(call, { left: call.shape(0), right: call.shape('B') }),
      otherFlops: total(
        times(call.outputSize(), rescale + (isBiased && call.has('bias') ? 1 : 0)),
        quantise === 0 ? 0 : times(call.inputSize(0), quantise),
      ),
    })),
    roles: {
      data: ['A', ...(rule.others?.data ?? [])],
      weight: ['B'],
      ...(isBiased && { bias: ['bias'] }),
      others: 'setting',
    },
    traits: { product: 'matmul' },
  };
}

/** The sums of two unsigned factors are unsigned. */
const MatMulInteger16 = integerProduct({
  dtype: (call) => (call.dtype(0) === 'uint16' && call.dtype(1) === 'uint16' ? 'uint32' : 'int32'),
  rescale: 0,
});

const MatMulIntegerToFloat = integerProduct({
  isBiased: true,
  dtype: (call) => call.dtype('a_scale'),
  rescale: 1,
});

const DynamicQuantizeMatMul = integerProduct({
  isBiased: true,
  dtype: (call) => call.dtype(0),
  rescale: 1,
  quantise: 6,
});

const QOrderedMatMul = integerProduct({
  isBiased: true,
  dtype: (call) => call.dtype(0),
  rescale: 2,
  others: { data: ['C'] },
});

/** alpha·A·B + beta·C of any types, then an activation. */
function gemm(
  dtypeOf: (call: Call) => TensorType['dtype'],
  rescale: number,
  others?: InputRoles['others'],
): Operator {
  const Gemm = standard(matMulOperators, 'Gemm', 13, (call) =>
    ['A', 'B', 'C'].map((name) => shapeOnly(call.input(name))),
  );
  return {
    infer: (call) => [new TensorType(dtypeOf(call), firstOutput(Gemm, call).shape)],
    cost: counted(
      `MACs M·N·K; 1 per output element to add C${rescale ? `, ${rescale} to rescale it` : ''}, and the activation if any`,
      (call) => {
        const cost = Gemm.cost.of(call);
        return {
          macs: cost?.macs,
          otherFlops: total(cost?.otherFlops, times(call.outputSize(), rescale), activationCost(call)),
        };
      },
    ),
    roles: { data: ['A'], weight: ['B'], bias: ['C'], ...(others && { others }) },
    traits: { product: 'gemm' },
  };
}

const FusedGemm = gemm((call) => commonDtype(call, [call.tensor(0), call.tensor(1)]), 0);
const GemmFloat8 = gemm((call) => dtypeAttribute(call, 'dtype'), 0, 'setting');
/** Without a zero point of the result it is not quantised. */
const QGemm = gemm(
  (call) => (call.has('y_zero_point') ? call.dtype('y_zero_point') : 'float32'),
  2,
  'setting',
);

export const matMulVariants: OperatorTable = {
  DynamicQuantizeMatMul: { ...DynamicQuantizeMatMul, float: dynamicQuantizeMatMulFloat },
  FusedGemm: { ...FusedGemm, decompose: fusedGemmParts },
  FusedMatMul,
  FusedMatMulActivation: FusedMatMul,
  GemmFastGelu,
  GemmFloat8,
  MatMulInteger16,
  MatMulIntegerToFloat: { ...MatMulIntegerToFloat, float: matMulIntegerToFloat },
  QGemm: { ...QGemm, float: qGemmFloat },
  QOrderedMatMul,
  SparseToDenseMatMul,
  TransposeMatMul: FusedMatMul,
};

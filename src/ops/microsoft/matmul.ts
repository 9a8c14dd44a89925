// Matrix products of float and 8-bit or 16-bit matrices that are fused with transposition, scaling, a bias or
// an activation. Weights of fewer bits are in packed-matmul.ts.
import { type Dim, isKnown } from '../../graph/dim.js';
import { type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { expectShape } from '../arguments.js';
import { counted, times, total } from '../cost.js';
import { dtypeAttribute } from '../data-movement.js';
import { matMulOperators, matMulShape } from '../matmul.js';
import { type Call, commonDtype, type Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { activationCost } from './activation.js';
import { roles } from './arguments.js';
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
  roles: roles('dw'),
  decompose: fusedMatMulParts,
};

const SparseToDenseMatMul: Operator = {
  infer: (call) => {
    const { left, right } = fusedFactors(call);
    return [new TensorType(call.dtype(1), matMulShape(call, left, right))];
  },
  cost: counted('MACs as if the matrix were dense: output elements · inner dimension', (call) => ({
    macs: productMacs(call, fusedFactors(call)),
  })),
  roles: roles('wd'),
};

/** gelu(X · W + bias). */
const GemmFastGelu: Operator = {
  infer: (call) => {
    const dtype = commonDtype(call, [call.tensor(0), call.tensor(1)]);
    const shape = matMulShape(call, call.shape(0), call.shape(1));
    expectShape(call, 2, 'the bias', [shape?.at(-1)]);
    return [new TensorType(dtype, shape)];
  },
  cost: counted(
    'MACs output elements · inner dimension; 5 per output element, 1 more with a bias',
    (call) => ({
      macs: productMacs(call, { left: call.shape(0), right: call.shape(1) }),
      otherFlops: times(call.outputSize(), call.has(2) ? 6 : 5),
    }),
  ),
  roles: roles('dww'),
};

/** Where a product of integers has its factors, its bias, and what tells the type of the result. */
interface IntegerProduct {
  readonly right: number;
  readonly bias?: number;
  readonly dtype: (call: Call) => TensorType['dtype'];
  /** FLOPs per output element to scale the sums, and per element of the left matrix to quantise it. */
  readonly rescale: number;
  readonly quantise?: number;
  readonly roles: string;
}

function integerProduct(rule: IntegerProduct): Operator {
  const { right, bias, rescale, quantise = 0 } = rule;
  const rules = [
    'MACs output elements · inner dimension',
    ...(rescale ? [`${rescale} per output element to rescale it`] : []),
    ...(quantise ? [`${quantise} per element of A to quantise it`] : []),
    ...(bias ? ['1 per output element for a bias'] : []),
  ];
  return {
    infer: (call): ValueType[] => {
      const shape = matMulShape(call, call.shape(0), call.shape(right));
      return [new TensorType(rule.dtype(call), shape)];
    },
    cost: counted(rules.join('; '), (call) => ({
      macs: productMacs(call, { left: call.shape(0), right: call.shape(right) }),
      otherFlops: total(
        times(call.outputSize(), rescale + (bias !== undefined && call.has(bias) ? 1 : 0)),
        quantise === 0 ? 0 : times(call.inputSize(0), quantise),
      ),
    })),
    roles: roles(rule.roles),
  };
}

/** The sums of two unsigned factors are unsigned. */
const MatMulInteger16 = integerProduct({
  right: 1,
  dtype: (call) => (call.dtype(0) === 'uint16' && call.dtype(1) === 'uint16' ? 'uint32' : 'int32'),
  rescale: 0,
  roles: 'dw',
});

const MatMulIntegerToFloat = integerProduct({
  right: 1,
  bias: 6,
  dtype: (call) => call.dtype(2),
  rescale: 1,
  roles: 'dwssssw',
});

const DynamicQuantizeMatMul = integerProduct({
  right: 1,
  bias: 4,
  dtype: (call) => call.dtype(0),
  rescale: 1,
  quantise: 6,
  roles: 'dwssw',
});

const QOrderedMatMul = integerProduct({
  right: 2,
  bias: 5,
  dtype: (call) => call.dtype(0),
  rescale: 2,
  roles: 'dswsswds',
});

/** alpha·A·B + beta·C of any types, then an activation. */
function gemm(
  inputs: readonly number[],
  dtypeOf: (call: Call) => TensorType['dtype'],
  rescale: number,
  inputRoles: string,
): Operator {
  const Gemm = standard(matMulOperators, 'Gemm', 13, (call) => inputs.map((i) => shapeOnly(call.input(i))));
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
    roles: roles(inputRoles),
  };
}

const FusedGemm = gemm([0, 1, 2], (call) => commonDtype(call, [call.tensor(0), call.tensor(1)]), 0, 'dww');
const GemmFloat8 = gemm([0, 1, 2], (call) => dtypeAttribute(call, 'dtype'), 0, 'dwwsss');
/** Without a zero point of the result it is not quantised. */
const QGemm = gemm([0, 3, 6], (call) => (call.has(8) ? call.dtype(8) : 'float32'), 2, 'dsswsswss');

export const matMulVariants: OperatorTable = {
  DynamicQuantizeMatMul,
  FusedGemm: { ...FusedGemm, decompose: fusedGemmParts },
  FusedMatMul,
  FusedMatMulActivation: FusedMatMul,
  GemmFastGelu,
  GemmFloat8,
  MatMulInteger16,
  MatMulIntegerToFloat,
  QGemm,
  QOrderedMatMul,
  SparseToDenseMatMul,
  TransposeMatMul: FusedMatMul,
};

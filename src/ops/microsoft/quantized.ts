// Operators on 8-bit numbers with scales and zero points, and quantisation in other formats. A tensor x stands
// for (x − zero point) · scale: per element 2 FLOPs to take that apart, and 2 to put the result together again.
import { type Dim, product } from '../../graph/dim.js';
import { type DataType, dataTypeOfCode } from '../../graph/dtype.js';
import { type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { likeInput } from '../arguments.js';
import { counted, perInput, perOutput, times, total } from '../cost.js';
import { broadcastShapes } from '../families/arithmetic/broadcast.js';
import { reduceOperators } from '../families/arithmetic/reduce.js';
import { concatSplitOperators } from '../families/arrays/concat-split.js';
import { dtypeAttribute, sizesFrom } from '../families/arrays/data-movement.js';
import { poolOperators } from '../families/layers/pool.js';
import { softmaxOperators } from '../families/layers/softmax.js';
import { quantizeOperators } from '../families/other/quantize.js';
import { dataThenSettings } from '../inputs.js';
import { type Call, type CostRule, commonDtype, type Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { BY_ATTRIBUTE, withLayout } from './channels-last.js';
import { quantizedFloats } from './quantized.float.js';
import { firstOutput, shapeOnly, standard } from './standard.js';

const DEQUANTISE = 2;
const REQUANTISE = 2;

/** `flops` per output element, with what it takes to dequantise the operands and requantise the result. */
function quantisedCost(flops: number, operands: number): CostRule {
  const all = flops + operands * DEQUANTISE + REQUANTISE;
  const describe = `${all} per output element (${flops}, and ${DEQUANTISE} for each operand and ${REQUANTISE} for the result to rescale)`;
  return counted(describe, perOutput(all).of);
}

/** Elementwise with broadcasting: tensors at some inputs, scales and zero points between them. */
function elementwise(tensors: readonly string[], condition: string | undefined, flops: number): Operator {
  return {
    infer: (call) => {
      const operands = tensors.map((name) => call.tensor(name));
      const shapes = [...operands, ...(condition === undefined ? [] : [call.tensor(condition)])];
      const shape = broadcastShapes(
        call,
        shapes.map((t) => t.shape),
      );
      return [new TensorType(commonDtype(call, operands), shape)];
    },
    cost: quantisedCost(flops, tensors.length),
    roles: { data: tensors, others: 'setting' },
  };
}

/** An activation of input 0. */
function activation(flops: number): Operator {
  return { infer: likeInput(0), cost: quantisedCost(flops, 1), roles: dataThenSettings('X') };
}

/** An ai.onnx operator on input 0 that reduces it, with the result rescaled. */
function reducing(operator: Operator, input: string): Operator {
  return {
    ...operator,
    cost: counted(`${operator.cost.describe}; 4 per output element to rescale it`, (call) => ({
      otherFlops: total(
        operator.cost.of(call)?.otherFlops,
        times(call.outputSize(), DEQUANTISE + REQUANTISE),
      ),
    })),
    roles: dataThenSettings(input),
  };
}

const ReduceMean = standard(reduceOperators, 'ReduceMean', 13, (call) => [call.input(0)]);

/** Sums of 8-bit numbers, in 32 bits. */
const ReduceSumInteger: Operator = {
  infer: (call) => {
    const dtype: DataType = call.dtype(0) === 'uint8' ? 'uint32' : 'int32';
    return [new TensorType(dtype, firstOutput(ReduceMean, call).shape)];
  },
  cost: perInput(1),
};

const Concat = standard(concatSplitOperators, 'Concat', 13, (call) =>
  call.inputs
    .slice(2)
    .filter((_, i) => i % 3 === 0)
    .map(shapeOnly),
);

/** The result's scale and zero point, then tensor, scale and zero point of every part. */
const QLinearConcat: Operator = {
  infer: (call) => [new TensorType(call.dtype(1), firstOutput(Concat, call).shape)],
  cost: counted('4 per output element to rescale it', perOutput(DEQUANTISE + REQUANTISE).of),
  roles: { setting: ['Y_scale', 'Y_zero_point'], each: ['data', 'setting', 'setting'] },
};

/** (A − zero point) · (B − zero point) in 32 bits. */
const MulInteger: Operator = {
  infer: (call) => [new TensorType('int32', broadcastShapes(call, [call.shape(0), call.shape(2)]))],
  cost: perOutput(3),
  roles: { setting: ['A_zero_point', 'B_zero_point'] },
};

/** Block floating point: raw bytes whose number depends on the format, and shape and strides of the tensor. */
const QuantizeBFP: Operator = {
  infer: (call): ValueType[] => {
    const { shape } = call.tensor(0);
    const rank = shape && [shape.length];
    return [
      new TensorType('uint8', [call.unknownSize(0, 0)]),
      new TensorType('int64', rank, shape),
      new TensorType('int64', rank, shape && stridesOf(shape)),
    ];
  },
  cost: perInput(4),
};

function stridesOf(shape: Shape): Dim[] {
  return shape.map((_, axis) => product(shape.slice(axis + 1)));
}

const DequantizeBFP: Operator = {
  infer: (call) => [new TensorType(dtypeAttribute(call, 'dtype'), sizesFrom(call, 1))],
  cost: perOutput(2),
  roles: { data: ['x'], others: 'setting' },
};

/** Matrices in the orders of cublasLt: same sizes, other types. */
function ordered(dtypeOf: (call: Call) => DataType | undefined, flops: number): Operator {
  return {
    infer: (call) => [new TensorType(dtypeOf(call), call.shape(0))],
    cost: perInput(flops),
    roles: dataThenSettings('input'),
  };
}

const operators: OperatorTable = {
  DequantizeBFP,
  DequantizeLinear: standard(quantizeOperators, 'DequantizeLinear', 21),
  DequantizeWithOrder: ordered((call) => dataTypeOfCode(call.int('to', 1)), 1),
  MulInteger,
  QLinearAdd: elementwise(['A', 'B'], undefined, 1),
  QLinearAveragePool: reducing(withLayout(poolOperators, 'AveragePool', 11, BY_ATTRIBUTE), 'X'),
  QLinearConcat,
  QLinearGlobalAveragePool: reducing(withLayout(poolOperators, 'GlobalAveragePool', 1, BY_ATTRIBUTE), 'X'),
  QLinearLeakyRelu: activation(2),
  QLinearMul: elementwise(['A', 'B'], undefined, 1),
  QLinearReduceMean: reducing({ ...ReduceMean, cost: perInput(1) }, 'data'),
  QLinearSigmoid: activation(4),
  QLinearSoftmax: {
    ...standard(softmaxOperators, 'Softmax', 13),
    cost: quantisedCost(5, 1),
    roles: dataThenSettings('X'),
  },
  QLinearWhere: elementwise(['X', 'Y'], 'condition', 0),
  QOrderedGelu: activation(5),
  QuantizeBFP,
  QuantizeLinear: standard(quantizeOperators, 'QuantizeLinear', 21),
  QuantizeWithOrder: ordered(() => 'int8', 3),
  ReduceSumInteger,
};

/** With what they compute in floats. */
export const quantizedOperators: OperatorTable = Object.fromEntries(
  Object.entries(operators).map(([name, operator]) => {
    const float = quantizedFloats[name];
    return [name, float ? { ...operator, float } : operator];
  }),
);

// Quantisation: numbers as small integers (or floats) times a scale. One scale may hold for the whole tensor,
// for each slice along an axis (opset 13), or for each block of elements along it (opset 21).
import { ceilDivide, type Dim } from '../../../graph/dim.js';
import { type DataType, dataTypeOfCode } from '../../../graph/dtype.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { expectShape, mayEqual } from '../../arguments.js';
import { perInput } from '../../cost.js';
import type { Call, InputRoles, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { dequantizeLinearFloat, dynamicQuantizeLinearFloat, quantizeLinearFloat } from './quantize.float.js';

/** Checks that input 1, and the zero point like it, fits the tensor that is (de)quantised. */
function checkScale(call: Call): void {
  const scale = call.tensor(1).shape;
  const { shape } = call.tensor(0);
  // ONNX Runtime's own quantiser writes scales of shape [1] beside zero points of shape [], and runs them.
  const isSingle = scale?.every((d) => d === 1) && call.optionalTensor(2)?.size === 1;
  if (scale && !isSingle) expectShape(call, 2, 'the zero point', scale);
  if (scale === undefined || shape === undefined || scale.length === 0) return;
  const blockSize = call.int('block_size', 0);
  if (!Number.isSafeInteger(blockSize) || blockSize < 0) {
    call.fail(`block_size cannot be ${blockSize}`, 'OP_ATTRIBUTE');
  }
  if (blockSize > 0) return checkBlocks(call, shape, scale, blockSize);
  if (scale.length > 1) call.fail(`a scale of shape [${scale}] needs block_size`);
  if (scale[0] === 1) return;
  // A vector has only one axis; the default is for tensors with channels.
  const axis = shape.length === 1 ? 0 : call.axis(call.int('axis', 1), shape.length);
  if (mayEqual(scale[0], shape[axis])) return;
  call.fail(`${scale[0]} scales do not fit axis ${axis} of shape [${shape}]`);
}

function checkBlocks(call: Call, shape: Shape, scale: Shape, blockSize: number): void {
  const axis = call.axis(call.int('axis', 1), shape.length);
  const expected = shape.map((d, i): Dim => (i === axis ? ceilDivide(d, blockSize) : d));
  if (scale.length === shape.length && scale.every((d, i) => mayEqual(d, expected[i]))) return;
  call.fail(
    `blocks of ${blockSize} along axis ${axis} of shape [${shape}] need scales of shape [${expected}]`,
  );
}

/** The type that attribute `output_dtype` names; undefined when it is not set. */
function requestedDtype(call: Call): DataType | undefined {
  const code = call.int('output_dtype', 0);
  if (code === 0) return undefined;
  return dataTypeOfCode(code) ?? call.fail(`output_dtype ${code} is not a data type`, 'OP_ATTRIBUTE');
}

const ROLES: InputRoles = { data: ['x'], others: 'setting' };

/** The result has the type of the zero point; without one that of `output_dtype`, else uint8. */
const QuantizeLinear: Operator = {
  infer: (call) => {
    checkScale(call);
    const requested = requestedDtype(call);
    const zeroPoint = call.optionalTensor(2);
    if (requested && zeroPoint?.dtype && requested !== zeroPoint.dtype) {
      call.fail(`output_dtype is ${requested}, but the zero point is ${zeroPoint.dtype}`, 'TYPE_MISMATCH');
    }
    return [new TensorType(requested ?? (zeroPoint ? zeroPoint.dtype : 'uint8'), call.shape(0))];
  },
  /** Divide, round, add the zero point, saturate. */
  cost: perInput(4),
  roles: ROLES,
  traits: { moves: 'quantisation' },
  float: quantizeLinearFloat,
};

/** The result was float32 until opset 19, when it took the type of the scale; opset 23 lets it be chosen. */
const DequantizeLinear: Operator = {
  infer: (call) => {
    checkScale(call);
    const [from, zeroPoint] = [call.dtype(0), call.optionalTensor(2)?.dtype];
    if (from && zeroPoint && from !== zeroPoint) {
      call.fail(`the input is ${from}, but its zero point is ${zeroPoint}`, 'TYPE_MISMATCH');
    }
    const dtype = call.opset < 19 ? 'float32' : (requestedDtype(call) ?? call.dtype(1));
    return [new TensorType(dtype, call.shape(0))];
  },
  /** Subtract the zero point, multiply. */
  cost: perInput(2),
  roles: ROLES,
  traits: { moves: 'quantisation' },
  float: dequantizeLinearFloat,
};

/** Outputs: the tensor as uint8, its scale, its zero point. */
const DynamicQuantizeLinear: Operator = {
  infer: (call) => [
    new TensorType('uint8', call.shape(0)),
    new TensorType('float32', []),
    new TensorType('uint8', []),
  ],
  /** Minimum and maximum, then as QuantizeLinear. */
  cost: perInput(6),
  traits: { float32: true },
  float: dynamicQuantizeLinearFloat,
};

export const quantizeOperators: OperatorTable = {
  DequantizeLinear,
  DynamicQuantizeLinear,
  QuantizeLinear,
};

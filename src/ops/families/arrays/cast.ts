// Operators that change the element type: Cast, CastLike, BitCast.
import { type Dim, floorOf } from '../../../graph/dim.js';
import {
  bitsOf,
  codeOfDataType,
  type DataType,
  dataTypeOfCode,
  isFloat,
  isInteger,
  kindOf,
} from '../../../graph/dtype.js';
import { TensorType } from '../../../graph/types.js';
import { FREE } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { dtypeAttribute, knownTensors } from './data-movement.js';

/** What `to` may say before opset 6: the names of TensorProto.DataType in the order of their codes, from 1. */
const TYPE_NAMES =
  'FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 DOUBLE UINT32 UINT64 COMPLEX64 COMPLEX128'.split(
    ' ',
  );

/** Converts values to a type: a name before opset 6, then a code. */
const Cast: Operator = {
  infer: (call) => [castTo(call.tensor(0), call.opset < 6 ? namedType(call) : codedType(call))],
  cost: FREE,
  gradient: (g) => [g.dy.cast(g.input(0).dtype)],
  traits: { moves: 'type', typeAttribute: 'to' },
  versions: [
    {
      since: 6,
      upgrade: (step) =>
        step.change(
          { attributes: { to: codeOfDataType(namedType(step.call)) } },
          'its type is a code, not a name',
        ),
    },
  ],
};

/** Converts values to the type of the second input. */
const CastLike: Operator = {
  infer: (call) => [castTo(call.tensor(0), call.dtype(1))],
  cost: FREE,
  roles: { setting: ['target_type'] },
  gradient: (g) => [g.dy.cast(g.input(0).dtype)],
  traits: { moves: 'type', ignoresElementsOf: ['target_type'] },
};

/** Takes the bits as those of another type of the same width. */
const BitCast: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    const to = codedType(call);
    if (to === 'string' || dtype === 'string') call.fail('strings have no fixed bits', 'TYPE_MISMATCH');
    if (dtype !== undefined && bitsOf(dtype) !== bitsOf(to)) {
      call.fail(`${dtype} and ${to} differ in their number of bits`, 'TYPE_MISMATCH');
    }
    return [new TensorType(to, shape)];
  },
  cost: FREE,
  traits: { isView: true, float32: true },
};

function codedType(call: Call): DataType {
  return call.required(dtypeAttribute(call, 'to'), 'to');
}

function namedType(call: Call): DataType {
  const name = call.required(call.string('to'), 'to');
  const dtype = dataTypeOfCode(TYPE_NAMES.indexOf(name.toUpperCase()) + 1);
  return dtype ?? call.fail(`attribute 'to' is not a data type: '${name}'`, 'OP_ATTRIBUTE');
}

function castTo(x: TensorType, to: DataType | undefined): TensorType {
  const [known] = (to !== undefined && knownTensors(x)) || [];
  const elements: Dim[] = [];
  for (const element of known?.elements ?? []) {
    const converted = convert(element, to!);
    if (converted === undefined) return new TensorType(to, x.shape);
    elements.push(converted);
  }
  return new TensorType(to, x.shape, known && elements);
}

/** A known element under another type; undefined where that is not certain. */
function convert(element: Dim, to: DataType): Dim | undefined {
  if (kindOf(to) === 'bool') return typeof element === 'number' ? Number(element !== 0) : undefined;
  if (isInteger(to)) return typeof element === 'number' ? toInteger(element, to) : floorOf(element);
  if (!isFloat(to)) return undefined;
  return typeof element === 'number' ? toFloat(element, to) : element;
}

/** Bits of the mantissa, with the leading one, of narrow floats that sizes are computed with. */
const SIGNIFICANT_BITS: Partial<Record<DataType, number>> = { float16: 11, bfloat16: 8 };

/** Rounded to the type; of narrow types only what they hold exactly. */
function toFloat(x: number, to: DataType): number | undefined {
  if (to === 'float64') return x;
  if (to === 'float32') return Math.fround(x);
  const bits = SIGNIFICANT_BITS[to];
  if (bits === undefined || Math.abs(x) > 2 ** 15) return undefined;
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(x))) + 1 - bits);
  return x === 0 || Number.isInteger(x / unit) ? x : undefined;
}

/** Towards zero. What does not fit wraps around; of numbers that are already rounded that cannot be told. */
function toInteger(x: number, to: DataType): number | undefined {
  // The sum turns -0 into 0.
  const whole = Math.trunc(x) + 0;
  if (!Number.isFinite(whole)) return undefined;
  if (bitsOf(to) === 64) return whole;
  if (!Number.isSafeInteger(whole)) return undefined;
  const wrapped =
    kindOf(to) === 'int'
      ? BigInt.asIntN(bitsOf(to), BigInt(whole))
      : BigInt.asUintN(bitsOf(to), BigInt(whole));
  return Number(wrapped);
}

export const castOperators: OperatorTable = { BitCast, Cast, CastLike };

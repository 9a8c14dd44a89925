// Operators of this domain that are ai.onnx operators, at one opset, on the same or on rearranged inputs.
import { TensorType, type ValueType } from '../../graph/types.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';

/** The inputs that the ai.onnx operator sees. */
type Inputs = (call: Call) => readonly (ValueType | undefined)[];

/** The definition of an ai.onnx operator, for applications of an operator of another domain. */
export function standard(table: OperatorTable, opType: string, opset: number, inputs?: Inputs): Operator {
  const operator = table[opType];
  if (operator === undefined) throw new Error(`the table does not define ${opType}`);
  const seen = (call: Call): Call => call.as(opType, opset, inputs?.(call));
  return {
    // How it is differentiated only holds for the inputs that ai.onnx has.
    ...(inputs ? withoutGradient(operator) : operator),
    infer: (call) => operator.infer(seen(call)),
    cost: { describe: operator.cost.describe, of: (call) => operator.cost.of(seen(call)) },
  };
}

/** An operator through which no gradient flows. */
export function withoutGradient({ gradient, decompose, ...operator }: Operator): Operator {
  return operator;
}

/** The first output an operator gives, if it is a tensor; else one of which nothing is known. */
export function firstOutput(operator: Operator, call: Call): TensorType {
  const [output] = operator.infer(call);
  return output?.kind === 'tensor' ? output : new TensorType(undefined, undefined);
}

/** An input by its shape alone, for operators whose inputs need not be of one type. */
export function shapeOnly(type: ValueType | undefined): ValueType | undefined {
  return type?.kind === 'tensor' ? new TensorType(undefined, type.shape) : type;
}

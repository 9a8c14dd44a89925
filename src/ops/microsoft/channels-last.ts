// Images as (N, D1, …, Dn, C): operators that take them are the ai.onnx ones on (N, C, D1, …, Dn), with the
// channels moved there and back.
import { type Shape, TensorType, type ValueType } from '../../graph/types.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { firstOutput, standard } from './standard.js';

export function channelsFirst(shape: Shape | undefined): Shape | undefined {
  return shape && shape.length > 2 ? [shape[0]!, shape.at(-1)!, ...shape.slice(1, -1)] : shape;
}

export function channelsLast(shape: Shape | undefined): Shape | undefined {
  return shape && shape.length > 2 ? [shape[0]!, ...shape.slice(2), shape[1]!] : shape;
}

/** A tensor with its shape changed; anything else, and what is not given, stays as it is. */
export function reshaped(
  type: ValueType | undefined,
  change: (shape: Shape | undefined) => Shape | undefined,
): ValueType | undefined {
  return type?.kind === 'tensor' ? new TensorType(type.dtype, change(type.shape)) : type;
}

/** Whether an application has its channels last. */
export type Layout = (call: Call) => boolean;

export const ALWAYS: Layout = () => true;
export const NEVER: Layout = () => false;
export const BY_ATTRIBUTE: Layout = (call) => call.int('channels_last', 0) !== 0;

/** The first input as the ai.onnx operator takes it. */
export function image(call: Call, isChannelsLast: Layout): ValueType | undefined {
  return isChannelsLast(call) ? reshaped(call.input(0), channelsFirst) : call.input(0);
}

/** What the ai.onnx operator gives, in the layout of this one. */
export function inLayout(call: Call, isChannelsLast: Layout, output: TensorType): TensorType {
  return isChannelsLast(call) ? new TensorType(output.dtype, channelsLast(output.shape)) : output;
}

/** An ai.onnx operator on an image that may have its channels last. */
export function withLayout(table: OperatorTable, opType: string, opset: number, layout: Layout): Operator {
  const operator = standard(table, opType, opset, (call) => [image(call, layout), ...call.inputs.slice(1)]);
  return { ...operator, infer: (call) => [inLayout(call, layout, firstOutput(operator, call))] };
}

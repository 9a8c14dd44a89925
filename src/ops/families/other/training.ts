// Training operators of the preview domain. An optimiser takes the learning rate R, the number of the step T,
// then all tensors, all their gradients and all their states; it gives the new tensors and the new states.
import { TensorType } from '../../../graph/types.js';
import { counted, times, total } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';

/** Inputs before the tensors: R and T. */
const FIRST = 2;

/** How many tensors an optimiser with so many states per tensor updates. */
function tensorCount(call: Call, states: number): number {
  const given = call.inputs.length - FIRST;
  const count = given / (2 + states);
  if (given > 0 && Number.isInteger(count)) return count;
  return call.fail(
    `${given} inputs cannot be divided into tensors, gradients and ${states} states each`,
    'OP_INPUT',
  );
}

/** @param flops per element of a tensor, counted off the pseudo code in the operator's documentation. */
function optimiser(states: number, flops: number): Operator {
  return {
    infer: (call) => {
      const count = tensorCount(call, states);
      const updated = call.inputs.map((_, i) => i).filter((i) => i >= FIRST && !isGradient(i, count));
      return updated.map((i) => newValue(call, i));
    },
    cost: counted(`${flops} per element of the tensors`, (call) => {
      const sizes = Array.from({ length: tensorCount(call, states) }, (_, i) => call.inputSize(FIRST + i));
      return {
        otherFlops: times(
          sizes.reduce((a, b) => total(a, b)),
          flops,
        ),
      };
    }),
    roles: { setting: ['R', 'T'] },
  };
}

/** The type of an input without its elements. */
function newValue(call: Call, input: number): TensorType {
  return new TensorType(call.dtype(input), call.shape(input));
}

/** Gradients come second: after `count` tensors. */
function isGradient(input: number, count: number): boolean {
  return input >= FIRST + count && input < FIRST + 2 * count;
}

/** The derivatives of a value by others, each of the type of the value it derives by: `xs`, then others. */
const Gradient: Operator = {
  infer: (call) => {
    const count = call.required(call.strings('xs'), 'xs').length;
    return Array.from({ length: Math.min(count, call.outputCount) }, (_, i) => newValue(call, i));
  },
  cost: counted('unknown: depends on the graph that is differentiated', () => undefined),
};

export const trainingOperators: OperatorTable = {
  'ai.onnx.preview.training.Adagrad': optimiser(1, 9),
  'ai.onnx.preview.training.Adam': optimiser(2, 15),
  'ai.onnx.preview.training.Gradient': Gradient,
  'ai.onnx.preview.training.Momentum': optimiser(1, 7),
};

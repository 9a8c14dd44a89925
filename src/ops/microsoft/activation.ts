// Activations, alone and together with the additions around them. Biases are vectors over the last dimension.
import { ceilDivide, type Dim } from '../../graph/dim.js';
import { TensorType, type ValueType } from '../../graph/types.js';
import { expectBroadcastTo, likeInput, partOf, shapeOfRankFrom } from '../arguments.js';
import { counted, perOutput, times } from '../cost.js';
import { type Call, commonDtype, type Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { activationDecompositions, activationGradients } from './activation.gradient.js';
import { flag, withLast } from './arguments.js';

/** FLOPs per element of activations that other operators carry in an attribute, as they are counted alone. */
const FUSED_ACTIVATIONS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['identity', 0],
  ['relu', 1],
  ['tanh', 1],
  ['clip', 2],
  ['leakyrelu', 2],
  ['elu', 3],
  ['softplus', 3],
  ['hardsigmoid', 4],
  ['sigmoid', 4],
  ['gelu', 5],
  ['hardswish', 5],
  ['silu', 5],
  ['softmax', 5],
  ['swish', 5],
  // Beside the sigmoid: the product with its argument, with the second half, and the sum before it.
  ['swiglu', 7],
]);

/** FLOPs per element of the activation that an attribute names; any unknown one counts as 1. */
export function activationFlops(call: Call, attribute = 'activation'): number {
  const name = call.string(attribute, 'none').toLowerCase();
  return FUSED_ACTIVATIONS.get(name || 'none') ?? 1;
}

/** FLOPs per output element of a fused activation. */
export function activationCost(call: Call): Dim | undefined {
  const flops = activationFlops(call);
  return flops === 0 ? 0 : times(call.outputSize(), flops);
}

/** An activation of input 0, perhaps plus a bias at input 1. */
function activation(flops: number, bias?: string): Operator {
  return {
    infer: (call) => {
      const { dtype, shape } = call.tensor(0);
      expectBroadcastTo(call, 1, 'the bias', shape);
      return [new TensorType(dtype, shape)];
    },
    cost: counted(`${flops} per output element, 1 more with a bias`, (call) => ({
      otherFlops: times(call.outputSize(), flops + (bias !== undefined && call.has(bias) ? 1 : 0)),
    })),
    ...(bias !== undefined && { roles: { bias: [bias] } }),
    traits: { activation: 'rectifier' },
  };
}

/** (N, S, D) in two halves, (left + bias) · gelu(right + bias): (N, S, D/2). */
const BiasSplitGelu: Operator = {
  infer: (call) => {
    const shape = shapeOfRankFrom(call, 0, 1);
    const half = shape && partOf(call, shape.at(-1)!, 2, 'the last size');
    expectBroadcastTo(call, 1, 'the bias', shape);
    return [new TensorType(call.dtype(0), shape && withLast(shape, half!))];
  },
  cost: counted('8 per output element (two biases, GELU 5, product)', perOutput(8).of),
  roles: { bias: ['bias'] },
};

/** X + bias + skip. */
const BiasAdd: Operator = {
  infer: (call) => {
    const { shape } = call.tensor(0);
    expectBroadcastTo(call, 1, 'the bias', shape);
    expectBroadcastTo(call, 2, 'the residual', shape);
    return [new TensorType(commonDtype(call, [call.tensor(0), call.tensor(1), call.tensor(2)]), shape)];
  },
  cost: perOutput(2),
  roles: { bias: ['bias'] },
};

/** X + Y · gate, where the gate has one element per row. */
const GatedAdd: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    expectBroadcastTo(call, 1, 'the gated input', shape);
    expectBroadcastTo(call, 2, 'the gate', shape);
    return [new TensorType(dtype, shape)];
  },
  cost: perOutput(2),
};

/** softmax(scores + mask). */
const BiasSoftmax: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    if (shape) call.axis(call.int('axis', 1), Math.max(shape.length, 1));
    return [new TensorType(dtype, shape)];
  },
  cost: counted('6 per output element (bias, softmax 5)', perOutput(6).of),
};

/** dropout(x + bias) + residual. The mask has one element, or one bit, per element of x. */
function dropout(added: readonly string[], bitMask: boolean): Operator {
  return {
    infer: (call): ValueType[] => {
      const { dtype, shape, size } = call.tensor(0);
      const mask = bitMask
        ? new TensorType('uint32', size === undefined ? undefined : [ceilDivide(size, 32)])
        : new TensorType('bool', shape);
      return [new TensorType(dtype, shape), mask];
    },
    cost: counted('1 per output element for a bias, 1 for a residual; 2 more in training', (call) => {
      const given = added.filter((name) => call.has(name)).length;
      const training = flag(call, 'training_mode') === true ? 2 : 0;
      return { otherFlops: times(call.outputSize(), given + training) };
    }),
    roles: { ...(added.length > 0 && { bias: ['bias'] }), setting: ['ratio', 'training_mode'] },
    traits: { draws: 'inTraining' },
  };
}

/** Every operator with how it is differentiated. */
function differentiable(table: OperatorTable): OperatorTable {
  const entries = Object.entries(table).map(([name, operator]): [string, Operator] => {
    const gradient = activationGradients[name];
    const decompose = activationDecompositions[name];
    return [name, { ...operator, ...(gradient && { gradient }), ...(decompose && { decompose }) }];
  });
  return Object.fromEntries(entries);
}

export const activationOperators: OperatorTable = differentiable({
  BiasAdd,
  BiasDropout: dropout(['bias', 'residual'], false),
  BiasGelu: activation(5, 'B'),
  BiasSoftmax,
  BiasSplitGelu,
  BitmaskBiasDropout: dropout(['bias', 'residual'], true),
  BitmaskDropout: dropout([], true),
  FastGelu: activation(5, 'bias'),
  GatedAdd,
  Gelu: activation(5),
  QuickGelu: { infer: likeInput(0), cost: perOutput(6), traits: { activation: 'rectifier' } },
});

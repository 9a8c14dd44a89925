// Operators that draw random numbers. What they draw is never known; one FLOP per number.
import { TensorType } from '../../../graph/types.js';
import { perInput, perOutput } from '../../cost.js';
import type { Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { checkRank, checkSize, dtypeAttribute, unknownSizes } from '../arrays/data-movement.js';

/** Of a shape given as attribute. */
const random: Operator = {
  infer: (call) => {
    const shape = call.required(call.ints('shape'), 'shape');
    checkRank(call, shape.length);
    for (const size of shape) checkSize(call, size);
    return [new TensorType(dtypeAttribute(call, 'dtype') ?? 'float32', shape)];
  },
  cost: perOutput(1),
  traits: { draws: 'always', typeAttribute: 'dtype' },
};

/** Of the shape of the input, and of its type unless another is given; by the probabilities that it holds. */
const Bernoulli: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    return [new TensorType(dtypeAttribute(call, 'dtype') ?? dtype, shape)];
  },
  cost: perOutput(1),
  traits: { draws: 'always', typeAttribute: 'dtype' },
};

/** The elements of the input do not matter. */
const shapedRandom: Operator = {
  ...Bernoulli,
  traits: { ...Bernoulli.traits, ignoresElementsOf: ['input'] },
};

/** `sample_size` classes for each row of log-probabilities: (batch, classes) → (batch, samples). */
const Multinomial: Operator = {
  infer: (call) => {
    const { shape } = call.tensor(0);
    if (shape !== undefined && shape.length !== 2) call.fail(`the input must be a matrix, not [${shape}]`);
    const [batch] = shape ?? unknownSizes(call, 1);
    const samples = checkSize(call, call.int('sample_size', 1));
    return [new TensorType(dtypeAttribute(call, 'dtype') ?? 'int32', [batch!, samples])];
  },
  cost: perInput(1),
  traits: { draws: 'always' },
};

export const randomOperators: OperatorTable = {
  Bernoulli,
  Multinomial,
  RandomNormal: random,
  RandomNormalLike: shapedRandom,
  RandomUniform: random,
  RandomUniformLike: shapedRandom,
};

// Softmax and its relatives: elements become shares of the whole along an axis. Before opset 13 the whole was
// all axes from `axis` on; the shape never changes.
import { TensorType } from '../../../graph/types.js';
import { perOutput } from '../../cost.js';
import type { Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { softmaxGradients } from './softmax.gradient.js';
import { softmaxVersions } from './softmax.versions.js';

function alongAxis(flops: number): Operator {
  return {
    infer: (call) => {
      const x = call.tensor(0);
      if (x.rank !== undefined) call.axis(call.int('axis', -1), x.rank);
      return [new TensorType(x.dtype, x.shape)];
    },
    cost: perOutput(flops),
  };
}

export const softmaxOperators: OperatorTable = withVersions(
  {
    /** Compares each element with the greatest so far. */
    Hardmax: { ...alongAxis(1), gradient: softmaxGradients.Hardmax },
    /** Greatest element, difference, exponential, sum, difference. */
    LogSoftmax: {
      ...alongAxis(5),
      traits: { softmax: 'logarithm' },
      gradient: softmaxGradients.LogSoftmax,
    },
    /** Greatest element, difference, exponential, sum, quotient. */
    Softmax: {
      ...alongAxis(5),
      traits: { softmax: 'plain', range: [0, 1] },
      gradient: softmaxGradients.Softmax,
    },
  },
  softmaxVersions,
);

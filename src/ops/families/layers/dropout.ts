// Dropout: in training a random part of the elements becomes 0 and the others are scaled up; otherwise nothing
// happens, and ONNX Runtime removes it.
import { TensorType } from '../../../graph/types.js';
import { counted, times } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { dropoutGradient } from './dropout.gradient.js';
import { dropoutVersions } from './dropout.versions.js';

/** Training was an attribute until opset 6, could not be asked for until 11, and is an input since. */
function isTraining(call: Call): boolean {
  if (call.opset < 7) return call.int('is_test', 0) === 0;
  const mode = call.opset < 12 ? 0 : (call.scalar(2) ?? 0);
  return mode !== 0;
}

const Dropout: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const unchanged = x.mayBeKnown && !isTraining(call);
    return [
      new TensorType(x.dtype, x.shape, unchanged ? () => x.elements : undefined),
      new TensorType(call.opset < 10 ? x.dtype : 'bool', x.shape),
    ];
  },
  cost: counted('0; in training 2 per output element (mask, scale)', (call) =>
    isTraining(call) ? { otherFlops: times(call.outputSize(), 2) } : {},
  ),
  roles: { setting: ['ratio', 'training_mode'] },
  gradient: dropoutGradient,
  traits: { moves: 'same', isView: true, draws: 'inTraining' },
};

export const dropoutOperators: OperatorTable = withVersions({ Dropout }, dropoutVersions);

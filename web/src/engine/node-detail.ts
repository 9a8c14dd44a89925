// The few words on a node that tell most: the size of its weight, or of its output.
import type { InferredNode } from '../../../src/analysis/infer.js';
import { formatType, isTensor } from '../../../src/graph/types.js';
import { inputsOf, isTrained, traitsOf } from '../../../src/ops/index.js';

/** `64×3×7×7` for the weight of a layer, else the type of what comes out. */
export function detailOf({ node, call }: InferredNode): string {
  const inputs = inputsOf(node, call.opset);
  for (let slot = 0; slot < node.inputs.length; slot++) {
    const type = call.inputs[slot];
    const role = inputs.role(slot);
    if (
      slot > 0 &&
      role !== undefined &&
      isTrained(role) &&
      isTensor(type) &&
      (type.shape?.length ?? 0) > 1
    ) {
      return type.shape!.join('×');
    }
  }
  return formatType(call.outputs[0]);
}

/** The place of an operator in `OPERATOR_CLASSES`. */
export function classOf({ node }: InferredNode): number {
  const traits = traitsOf(node);
  if (traits.convolution || traits.product || traits.attention || traits.recurrent) return 1;
  if (traits.activation || traits.softmax) return 2;
  if (traits.normalisation) return 3;
  if (traits.pooling || traits.reduction) return 4;
  if (traits.moves || traits.isView || traits.reshapes) return 5;
  if (traits.arithmetic || traits.isElementwise) return 6;
  return 0;
}

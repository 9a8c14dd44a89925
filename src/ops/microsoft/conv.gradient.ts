// What a fused convolution is made of, to differentiate it.
import type { Decomposition } from '../gradient.js';
import { fusedActivation } from './fused-activation.gradient.js';

const CONV_ATTRIBUTES = ['auto_pad', 'dilations', 'group', 'kernel_shape', 'pads', 'strides'];

/** activation(Conv(X, W, B) + Z). */
export const fusedConvParts: Decomposition = (node) => {
  const inputs = [node.input(0), node.input(1), node.optionalInput(2)];
  const given = CONV_ATTRIBUTES.map((name) => [name, node.call.node.attributes.get(name)]);
  const convolved = node.builder.op('Conv', inputs, Object.fromEntries(given));
  const added = node.optionalInput(3);
  return [fusedActivation(node, added ? convolved.add(added) : convolved)];
};

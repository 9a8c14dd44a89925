// Padding of integers: the number around them is one of them, too.
import type { FloatRule } from '../../float.js';

export const padFloat: FloatRule = (node) => {
  const known = node.network.quantised(node.input(0).name);
  if (known === undefined || known.scale === undefined) return undefined;
  const { builder } = node;
  const number = node.named('constant_value') ?? builder.constant(0, node.input(0).dtype);
  const value = node.real(number, known).reshape([]);
  const [, pads, , ...axes] = node.call.node.inputs.map((_, i) => node.optionalInput(i));
  const inputs = [known.real, pads, value, ...axes];
  const mode = node.call.node.attributes.get('mode');
  return [{ ...known, real: builder.op('Pad', inputs, { mode }) }];
};

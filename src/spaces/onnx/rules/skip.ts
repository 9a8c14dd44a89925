// A sequence is left out: what goes in takes the place of what comes out.
import { sameType } from '../../../graph/types.js';
import { isLayer } from './layers.js';
import type { Rule } from './rule.js';

export const skip: Rule = {
  name: 'skip',
  summary:
    'leaves out a sequence whose input and output have one type: a layer, Conv-BN-ReLU, a residual block',
  notation: ['skip'],
  options: ({ nodes, from, to, graph }) =>
    sameType(from, to) && nodes.some((node) => isLayer(node, graph.opset)) ? ['skip'] : [],
  write: (_, __, writer) => writer.input,
};

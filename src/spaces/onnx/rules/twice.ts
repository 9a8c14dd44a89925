// A sequence is repeated: the second copy has weights of its own.
import { sameType } from '../../../graph/types.js';
import { weightLayers } from './layers.js';
import type { Rule } from './rule.js';

export const twice: Rule = {
  name: 'twice',
  summary:
    'repeats a sequence whose input and output have one type; the second copy has new weights, the elements of the first in another order',
  keepsPart: true,
  notation: ['twice'],
  options: (part) => (sameType(part.from, part.to) && weightLayers(part).length > 0 ? ['twice'] : []),
  write: (_, __, writer) => writer.copyPart(writer.copyPart(writer.input, false), true),
};

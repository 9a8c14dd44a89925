// The operator as a file may have it; gradients are tested with those of convolutions.
import { expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { modelOf } from '../../../analysis/models.testing.js';

it.each([
  ['no kernel', 'group=1', /attribute 'kernel' is missing/],
  ['a group that does not divide', 'kernel=3,3 group=3', /4 channels are not a multiple of group 3/],
  ['a group of none', 'kernel=3,3 group=0', /4 channels are not a multiple of group 0/],
])('a gradient of weights with %s is refused', (_, attributes, message) => {
  const node = `w = auspex.ConvWeightGradient(x, dy) ${attributes}`;
  const model = modelOf({ inputs: ['x: 1,4,8,8', 'dy: 1,2,6,6'], nodes: [node], outputs: ['w'] });
  expect(() => inferShapes(model)).toThrow(message);
});

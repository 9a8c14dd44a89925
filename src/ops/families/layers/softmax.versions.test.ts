import { expect, it } from 'vitest';
import { withOpset } from '../../../transform/opset.js';
import { attributesOf, modelOf } from '../../ort.testing.js';
import { expectSameIn, ramp } from '../../versions.testing.js';

const PLAIN = ['Softmax'];
const FLAT = ['Flatten', 'Softmax', 'Reshape'];

it.each([
  ['the last axis', [2, 5], 1, PLAIN],
  ['the last axis of three', [2, 3, 4], -1, PLAIN],
  ['axes of size 1 behind it', [2, 5, 1, 1], 1, PLAIN],
  ['axes of size 1 before the one', [2, 1, 5], 1, PLAIN],
  ['several axes', [2, 3, 4], 1, FLAT],
  ['all axes', [2, 3, 4], 0, ['Flatten', 'Softmax', 'Shape', 'Reshape']],
  ['an axis from the end', [2, 3, 4], -2, FLAT],
])('keeps the sum over %s', async (_, dims, axis, operators) => {
  const test = { opset: 11, inputs: [ramp(dims)], attributes: attributesOf({ axis }) };
  expect(await expectSameIn(13, { op: 'Softmax', ...test })).toEqual(operators);
  await expectSameIn(21, { op: 'LogSoftmax', ...test });
  await expectSameIn(21, { op: 'Hardmax', ...test });
});

it('writes the default of old versions out', async () => {
  await expectSameIn(13, { op: 'Softmax', opset: 9, inputs: [ramp([2, 3, 4])] });
  const { model, changes } = withOpset(modelOf({ op: 'Softmax', opset: 9, inputs: [ramp([2, 3])] }), 17);
  expect(model.graph.nodes[0]!.attributes.get('axis')).toEqual({ type: 'int', value: 1 });
  expect(changes).toEqual([
    {
      transform: 'opset',
      what: 'its axis is written out, as the default changed',
      node: 'node',
      operator: 'Softmax',
    },
  ]);
});

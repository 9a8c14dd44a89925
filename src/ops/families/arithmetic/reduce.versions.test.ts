import { expect, it } from 'vitest';
import { withOpset } from '../../../transform/opset.js';
import { attributesOf, known, modelOf } from '../../ort.testing.js';
import { expectSameIn, ramp } from '../../versions.testing.js';
import { reduceOperators } from './reduce.js';

const inputs = [ramp([2, 3, 4])];

it.each(Object.keys(reduceOperators))('%s takes its axes as an input', async (op) => {
  await expectSameIn(21, { op, opset: 11, inputs, attributes: attributesOf({ axes: [1, 2], keepdims: 0 }) });
  await expectSameIn(18, { op, opset: 12, inputs });
});

it.each(['ReduceMean', 'ReduceMax'])('%s takes its axes as an attribute again', async (op) => {
  const axes = known([-1]);
  await expectSameIn(13, { op, opset: 18, inputs: [...inputs, axes] });
  await expectSameIn(17, { op, opset: 21, inputs });
  const attributes = attributesOf({ noop_with_empty_axes: 1 });
  expect(await expectSameIn(13, { op, opset: 18, inputs, attributes })).toEqual(['Identity']);
});

it('refuses axes that are computed', () => {
  const axes = { ...known([1]), constant: false };
  expect(() => withOpset(modelOf({ op: 'ReduceMean', opset: 18, inputs: [...inputs, axes] }), 13)).toThrow(
    /cannot be written in opset 17: its axes are computed/,
  );
});

import { describe, expect, it } from 'vitest';
import type { Attribute } from '../../../graph/graph.js';
import { withOpset } from '../../../transform/opset.js';
import { attributesOf, input, modelOf } from '../../ort.testing.js';
import { expectSameIn, ramp, resultsOf } from '../../versions.testing.js';

const float = (value: number): Attribute => ({ type: 'float', value });

describe('Clip', () => {
  it.each([
    ['both bounds', { min: float(-0.5), max: float(1) }],
    ['a lower bound', { min: float(0) }],
    ['an upper bound', { max: float(0.25) }],
    ['no bound', {}],
  ])('keeps %s', async (_, attributes) => {
    await expectSameIn(11, { op: 'Clip', opset: 6, inputs: [ramp([3, 4])], attributes });
    await expectSameIn(21, { op: 'Clip', opset: 9, inputs: [ramp([3, 4])], attributes });
  });
});

describe('broadcasting of before opset 7', () => {
  // ONNX Runtime does not run it any more: what comes out is known from what it means.
  it.each([
    ['the first axis', 0, [2], [10, 20], [10, 11, 12, 23, 24, 25]],
    ['the last axis', 1, [3], [10, 20, 30], [10, 21, 32, 13, 24, 35]],
    ['the last axis, from the end', -1, [3], [10, 20, 30], [10, 21, 32, 13, 24, 35]],
  ])('adds along %s', async (_, axis, dims, values, sum) => {
    const inputs = [input('float32', [2, 3], [0, 1, 2, 3, 4, 5]), input('float32', dims, values)];
    const model = modelOf({ op: 'Add', opset: 6, inputs, attributes: attributesOf({ axis, broadcast: 1 }) });
    const [y] = await resultsOf(withOpset(model, 17).model, inputs);
    expect(y).toEqual({ dims: [2, 3], data: Float32Array.from(sum) });
  });

  it('leaves operands of one shape, and drops what is not said any more', async () => {
    const inputs = [input('float32', [2], [1, 2]), input('float32', [2], [3, 4])];
    const attributes = {
      ...attributesOf({ broadcast: 0 }),
      consumed_inputs: { type: 'ints', value: [0] } as const,
    };
    const { model } = withOpset(modelOf({ op: 'Mul', opset: 1, inputs, attributes }), 21);
    expect(model.graph.nodes[0]!.attributes.size).toBe(0);
    expect((await resultsOf(model, inputs))[0]!.data).toEqual(Float32Array.of(3, 8));
  });

  it('has a slope per channel', async () => {
    const inputs = [input('float32', [1, 2, 2], [-1, -2, -3, -4]), input('float32', [2], [10, 100])];
    const { model } = withOpset(modelOf({ op: 'PRelu', opset: 6, inputs }), 17);
    expect((await resultsOf(model, inputs))[0]!.data).toEqual(Float32Array.of(-10, -20, -300, -400));
  });
});

it('keeps the defaults of the first Selu', () => {
  const { model } = withOpset(modelOf({ op: 'Selu', opset: 1, inputs: [ramp([2])] }), 21);
  const { attributes } = model.graph.nodes[0]!;
  expect(attributes.get('alpha')).toEqual(float(Math.fround(1.6732)));
  expect(attributes.get('gamma')).toEqual(float(Math.fround(1.0507)));
});

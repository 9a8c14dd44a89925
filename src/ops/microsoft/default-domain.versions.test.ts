import { expect, it } from 'vitest';
import type { Attribute } from '../../graph/graph.js';
import { withOpset } from '../../transform/opset.js';
import { attributesOf, known, modelOf, type TestCase } from '../ort.testing.js';
import { expectSameIn, ramp, resultsOf } from '../versions.testing.js';

const float = (value: number): Attribute => ({ type: 'float', value });
const floats = (...value: number[]): Attribute => ({ type: 'floats', value });
const image = ramp([1, 3, 4, 5]);

// As ONNX Runtime still runs them.
it.each<[string, TestCase]>([
  ['Affine', { op: 'Affine', inputs: [image], attributes: { alpha: float(2), beta: float(-1) } }],
  ['Scale', { op: 'Scale', inputs: [image], attributes: { scale: float(3) } }],
  [
    'ImageScaler',
    { op: 'ImageScaler', inputs: [image], attributes: { bias: floats(1, 2, 3), scale: float(0.5) } },
  ],
  ['Crop', { op: 'Crop', inputs: [image], attributes: attributesOf({ border: [1, 2, 0, 1] }) }],
  [
    'Crop to a size',
    { op: 'Crop', inputs: [image], attributes: attributesOf({ border: [1, 1, 0, 0], scale: [2, 3] }) },
  ],
  ['ThresholdedRelu', { op: 'ThresholdedRelu', inputs: [image] }],
  ['DynamicSlice', { op: 'DynamicSlice', inputs: [image, known([1]), known([3]), known([2])] }],
])('%s', async (_, test) => {
  await expectSameIn(21, { ...test, opset: 7 });
});

it('GivenTensorFill is a constant', async () => {
  const attributes = { ...attributesOf({ shape: [2, 2] }), values: floats(1, 2, 3, 4) };
  const { model } = withOpset(modelOf({ op: 'GivenTensorFill', opset: 7, inputs: [], attributes }), 21);
  expect(await resultsOf(model, [])).toEqual([{ dims: [2, 2], data: Float32Array.of(1, 2, 3, 4) }]);
});

// ONNX Runtime rounds the first one differently, and has no kernel of the second.
it.each<[string, (x: number) => number]>([
  ['ScaledTanh', Math.tanh],
  ['ParametricSoftplus', (x) => Math.log1p(Math.exp(x))],
])('%s is alpha times a function of beta times the input', async (op, f) => {
  const attributes = { alpha: float(2), beta: float(3) };
  const { model } = withOpset(modelOf({ op, opset: 7, inputs: [image], attributes }), 17);
  const [y] = await resultsOf(model, [image]);
  Array.from(y!.data as Float32Array).forEach((value, i) => {
    expect(value).toBeCloseTo(2 * f(3 * image.values![i]!), 4);
  });
});

it('an operator that was withdrawn without one in its place is refused', () => {
  const inputs = [ramp([1]), ramp([1]), ramp([1]), ramp([1])];
  expect(() => withOpset(modelOf({ op: 'GRUUnit', opset: 7, inputs }), 17)).toThrow(/was withdrawn/);
});

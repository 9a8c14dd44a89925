import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { modelOf } from '../../../analysis/models.testing.js';
import {
  between,
  expectGradient,
  type GradientCase,
  gradientsAt,
  random,
} from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';
import { modelOf as nodeModel, type ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

const float = (value: number): ShortAttribute => ({ type: 'float', value });

describe('LayerNormalization', () => {
  const cases: [string, GradientCase][] = [
    ['over the last axis', { op: 'LayerNormalization', inputs: [random(2, 3, 5), random(5), random(5)] }],
    ['without a bias', { op: 'LayerNormalization', inputs: [random(3, 4), random(4)] }],
    [
      'over several axes',
      {
        op: 'LayerNormalization',
        inputs: [random(2, 3, 4), random(3, 4), random(4)],
        attributes: { axis: 1, epsilon: float(0.1) },
      },
    ],
    [
      'of a contrib operator before opset 17',
      { op: 'LayerNormalization', opset: 13, inputs: [random(3, 4), random(4), random(4)] },
    ],
  ];
  it.each(cases)('%s', async (_, test) => {
    await expectGradient({ ...test, second: true });
  });

  it.each(cases)('%s in float32, with fused recomputation', async (_, test) => {
    await expectGradient({ ...test, dtype: 'float32', second: true, tolerance: 3e-2 });
  });

  it.each([[[0, 1, 2]], [[0, 2]], [[1]], [[2]]])('with outputs %j of three in the loss', async (weigh) => {
    await expectGradient({
      op: 'LayerNormalization',
      dtype: 'float32',
      inputs: [random(2, 3, 4), random(4), random(4)],
      attributes: { epsilon: float(0.1) },
      outputs: 3,
      weigh,
      second: true,
      tolerance: 3e-2,
    });
  });

  it('of any shape, axis and scale', async () => {
    const shape = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(shape, fc.nat(), fc.boolean(), async (dims, drawn, hasBias) => {
      const axis = (drawn % (2 * dims.length)) - dims.length;
      const row = dims.slice(axis);
      await expectGradient({
        op: 'LayerNormalization',
        inputs: [random(...dims), random(...row), ...(hasBias ? [random(...row)] : [])],
        attributes: { axis, epsilon: float(0.5) },
        seed: drawn,
      });
    });
    await fc.assert(property, { numRuns: 15 });
  });

  it('writes nothing for what nobody wants, and one kernel for x̂', () => {
    const model = modelOf({
      inputs: ['x: 2,8', 's: 8', 'b: 8'],
      nodes: ['y = LayerNormalization(x, s, b)', 'l = ReduceSum(y)'],
      outputs: ['l'],
    });
    const written = (...names: string[]) =>
      gradients(model, 'l', names)
        .model.graph.nodes.slice(2)
        .map((node) => node.opType);
    expect(written('b')).not.toContain('LayerNormalization');
    expect(written('x', 's').filter((op) => op === 'LayerNormalization')).toHaveLength(1);
    expect(written('s')).not.toContain('ReduceMean');
  });
});

it.each(['LayerNormalization', 'RMSNormalization'])('%s in float16 computes in float32', (op) => {
  const half = (...dims: number[]) => ({ dtype: 'float16', dims }) as const;
  const model = nodeModel({ op, opset: 23, inputs: [half(2, 4), half(4)] });
  const { model: step, gradients: of } = gradients(model, 'y0', ['x0', 'x1']);
  const types = inferShapes(step).graph.types;
  for (const name of of.values()) expect(String(types.get(name))).toMatch(/^float16/);
  expect(step.graph.nodes.filter(({ opType }) => opType === 'Cast').length).toBeGreaterThan(2);
});

describe('RMSNormalization and its contrib form', () => {
  it.each<[string, GradientCase]>([
    ['last axis', { op: 'RMSNormalization', opset: 23, inputs: [random(2, 3, 4), random(4)] }],
    [
      'two axes',
      {
        op: 'RMSNormalization',
        opset: 23,
        inputs: [random(2, 3, 4), random(3, 4)],
        attributes: { axis: -2 },
      },
    ],
    ['contrib', { op: 'SimplifiedLayerNormalization', dtype: 'float32', inputs: [random(3, 4), random(4)] }],
    [
      'contrib with 1/deviation',
      { op: 'SimplifiedLayerNormalization', dtype: 'float32', inputs: [random(3, 4), random(4)], outputs: 2 },
    ],
  ])('%s', async (_, test) => {
    const attributes = { epsilon: float(0.1), ...test.attributes };
    await expectGradient({ ...test, attributes, second: true });
  });
});

describe('normalisation of channels and groups', () => {
  it.each<[string, GradientCase]>([
    [
      'InstanceNormalization',
      { op: 'InstanceNormalization', dtype: 'float32', inputs: [random(2, 3, 2, 3), random(3), random(3)] },
    ],
    [
      'InstanceNormalization of opset 13',
      {
        op: 'InstanceNormalization',
        opset: 13,
        dtype: 'float32',
        inputs: [random(2, 3, 5), random(3), random(3)],
      },
    ],
    [
      'GroupNormalization, scaled by channel',
      {
        op: 'GroupNormalization',
        inputs: [random(2, 6, 2, 2), random(6), random(6)],
        attributes: { num_groups: 3, stash_type: 11 },
      },
    ],
    [
      'GroupNormalization, scaled by group',
      {
        op: 'GroupNormalization',
        opset: 18,
        inputs: [random(2, 6, 3), random(3), random(3)],
        attributes: { num_groups: 3 },
      },
    ],
    [
      'GroupNormalization in float32',
      {
        op: 'GroupNormalization',
        dtype: 'float32',
        inputs: [random(2, 4, 3), random(4), random(4)],
        attributes: { num_groups: 2 },
      },
    ],
  ])('%s', async (_, test) => {
    const attributes = { epsilon: float(0.1), ...test.attributes };
    await expectGradient({ ...test, attributes, second: true, ...(test.dtype && { tolerance: 3e-2 }) });
  });
});

it.each<[GradientCase, string[]]>([
  [{ op: 'LayerNormalization', inputs: [random(2, 4), random(4), random(4)] }, ['batch', '4']],
  [{ op: 'RMSNormalization', opset: 23, inputs: [random(2, 4), random(4)] }, ['batch', '4']],
  [
    {
      op: 'GroupNormalization',
      inputs: [random(2, 4, 3), random(4), random(4)],
      attributes: { num_groups: 2 },
    },
    ['batch', '4', '3'],
  ],
])('$op of a batch of any size', async (test, shape) => {
  const [x, ...others] = test.inputs;
  const free = await gradientsAt({ ...test, inputs: [{ ...x!, shape }, ...others] });
  expect(free).toEqual(await gradientsAt(test));
});

describe('other normalisations', () => {
  it.each<[string, GradientCase]>([
    ['LpNormalization', { op: 'LpNormalization', inputs: [random(3, 4)], second: true }],
    [
      'LpNormalization, p = 1, first axis',
      {
        op: 'LpNormalization',
        inputs: [between(0.2, 1, [3, 4])],
        attributes: { p: 1, axis: 0 },
        second: true,
      },
    ],
    [
      'MeanVarianceNormalization',
      { op: 'MeanVarianceNormalization', dtype: 'float32', inputs: [random(2, 3, 2, 2)] },
    ],
    [
      'MeanVarianceNormalization along one axis',
      {
        op: 'MeanVarianceNormalization',
        dtype: 'float32',
        inputs: [random(2, 5)],
        attributes: { axes: [-1] },
      },
    ],
    [
      'LRN',
      {
        op: 'LRN',
        dtype: 'float32',
        inputs: [random(2, 5, 2, 3)],
        attributes: { size: 3, alpha: float(2), beta: float(0.6), bias: float(1.5) },
      },
    ],
    [
      'LRN at its defaults, of long vectors',
      { op: 'LRN', dtype: 'float32', inputs: [between(20, 40, [1, 7, 1, 1])], attributes: { size: 5 } },
    ],
  ])('%s', async (_, test) => {
    await expectGradient(test);
  });
});

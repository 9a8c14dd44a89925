// Layers whose versions differ: normalisations, pools, recurrent layers.
import { describe, expect, it } from 'vitest';
import type { Attribute } from '../../../graph/graph.js';
import { withOpset } from '../../../transform/opset.js';
import { attributesOf, input, known, modelOf, type TestCase } from '../../ort.testing.js';
import { expectSameIn, ramp, resultsOf } from '../../versions.testing.js';

const positive = (dims: readonly number[]) => {
  const { values, ...rest } = ramp(dims);
  return { ...rest, values: values!.map((v) => v * v + 0.5) };
};
const statistics = (dims: readonly number[]) => [ramp(dims), ramp(dims), ramp(dims), positive(dims)];
const float = (value: number): Attribute => ({ type: 'float', value });

it.each<[string, TestCase, string[]]>([
  [
    'BatchNormalization',
    { op: 'BatchNormalization', opset: 7, inputs: [ramp([2, 3, 4, 4]), ...statistics([3])] },
    ['BatchNormalization'],
  ],
  [
    'statistics of every activation of a vector',
    {
      op: 'BatchNormalization',
      opset: 7,
      inputs: [ramp([2, 3]), ...statistics([3])],
      attributes: attributesOf({ spatial: 0 }),
    },
    ['BatchNormalization'],
  ],
  [
    'InstanceNormalization',
    { op: 'InstanceNormalization', opset: 6, inputs: [ramp([2, 3, 4]), ramp([3]), ramp([3])] },
    ['InstanceNormalization'],
  ],
  [
    'GroupNormalization',
    {
      op: 'GroupNormalization',
      opset: 18,
      inputs: [ramp([1, 6, 4]), ramp([2]), ramp([2])],
      attributes: attributesOf({ num_groups: 2 }),
    },
    ['Reshape', 'Expand', 'Reshape', 'Reshape', 'Expand', 'Reshape', 'GroupNormalization'],
  ],
  [
    'RoiAlign',
    {
      op: 'RoiAlign',
      opset: 10,
      inputs: [ramp([1, 1, 8, 8]), input('float32', [1, 4], [1, 1, 6, 5]), known([0])],
      attributes: { ...attributesOf({ output_height: 2, output_width: 2 }), spatial_scale: float(1) },
    },
    ['RoiAlign'],
  ],
  [
    'MaxPool',
    {
      op: 'MaxPool',
      opset: 8,
      inputs: [ramp([1, 1, 5, 5])],
      attributes: attributesOf({ kernel_shape: [2, 2] }),
    },
    ['MaxPool'],
  ],
  [
    'LSTM',
    {
      op: 'LSTM',
      opset: 7,
      inputs: [ramp([3, 1, 2]), ramp([1, 8, 2]), ramp([1, 8, 2])],
      attributes: attributesOf({ hidden_size: 2 }),
      outputs: 3,
    },
    ['LSTM'],
  ],
])('%s', async (_, test, operators) => {
  expect(await expectSameIn(21, test)).toEqual(operators);
});

describe('statistics of every activation', () => {
  it('are those of channels of a flat input', async () => {
    const inputs = [ramp([2, 3, 2]), ...statistics([3, 2])];
    const model = modelOf({
      op: 'BatchNormalization',
      opset: 7,
      inputs,
      attributes: attributesOf({ spatial: 0 }),
    });
    const converted = withOpset(model, 17).model;
    expect(converted.graph.nodes.at(-1)!.opType).toBe('Reshape');
    const [x, scale, bias, mean, variance] = inputs.map(({ values }) => values!);
    const [y] = await resultsOf(converted, inputs);
    expect(y!.dims).toEqual([2, 3, 2]);
    Array.from(y!.data as Float32Array).forEach((value, i) => {
      const k = i % 6;
      const normal = (x![i]! - mean![k]!) / Math.sqrt(variance![k]! + 1e-5);
      expect(value).toBeCloseTo(normal * scale![k]! + bias![k]!, 4);
    });
  });
});

it('leaves out statistics that nothing reads, and is in training where something does', () => {
  const inputs = [ramp([2, 3]), ...statistics([3])];
  const model = modelOf({ op: 'BatchNormalization', opset: 9, inputs, outputs: 5 });
  const only = (count: number) => ({
    ...model,
    graph: { ...model.graph, outputs: model.graph.outputs.slice(0, count) },
  });
  const { graph } = withOpset(only(1), 15).model;
  expect(graph.nodes[0]!.outputs).toEqual(['y0']);
  const [trained] = withOpset(only(3), 15).model.graph.nodes;
  expect(trained!.outputs).toEqual(['y0', 'y1', 'y2']);
  expect(trained!.attributes.get('training_mode')).toEqual({ type: 'int', value: 1 });
  expect(() => withOpset(only(5), 15)).toThrow(/statistics of the batch/);
});

it('normalises the mean only, as the first MeanVarianceNormalization could', async () => {
  const x = ramp([1, 2, 2, 2]);
  const attributes = attributesOf({ across_channels: 1, normalize_variance: 0 });
  const { model } = withOpset(
    modelOf({ op: 'MeanVarianceNormalization', opset: 1, inputs: [x], attributes }),
    21,
  );
  const mean = x.values!.reduce((a, b) => a + b) / 8;
  const [y] = await resultsOf(model, [x]);
  Array.from(y!.data as Float32Array).forEach((value, i) => {
    expect(value).toBeCloseTo(x.values![i]! - mean, 5);
  });
});

import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../analysis/models.testing.js';
import type { DataType } from '../graph/dtype.js';
import type { Model } from '../graph/graph.js';
import { type Shape, TensorType } from '../graph/types.js';
import { hostTensor, Session } from '../runtime/session.js';
import { describeInputs, drawInputs } from './drawn.js';

function typed(model: Model, dtypes: Readonly<Record<string, DataType>>): Model {
  const inputs = model.graph.inputs.map((info) => ({
    ...info,
    type: new TensorType(dtypes[info.name] ?? 'float32', (info.type as TensorType).shape as Shape),
  }));
  return { ...model, graph: { ...model.graph, inputs } };
}

/** A network that hands its inputs on. */
function inputs(given: Readonly<Record<string, readonly [DataType, string]>>): Model {
  const names = Object.keys(given);
  const model = modelOf({
    inputs: names.map((name) => `${name}: ${given[name]![1]}`),
    nodes: names.map((name, i) => `y${i} = Identity(${name})`),
    outputs: names.map((_, i) => `y${i}`),
  });
  return typed(model, Object.fromEntries(names.map((name) => [name, given[name]![0]])));
}

const numbers = (model: Model, name: string, index = 0): number[] =>
  Array.from(drawInputs(model, { seed: 1, index })[name]!.data, Number);

describe('drawInputs', () => {
  it.each<[string, DataType, string, readonly number[]]>([
    ['attention_mask', 'int64', '1,3', [1, 1, 1]],
    ['position_ids', 'int64', '2,3', [0, 1, 2, 0, 1, 2]],
    ['token_type_ids', 'int64', '1,3', [0, 0, 0]],
    ['past_key_values.0.key', 'float32', '1,1,2,1', [0, 0]],
    ['state', 'float32', '2,1,1', [0, 0]],
    ['h', 'float32', '2,1,1', [0, 0]],
    ['sr', 'int64', '', [16_000]],
    ['conf_threshold', 'float32', '1', [0.5]],
    ['scales', 'float32', '3', [0.667, 1, 0.8]],
    ['speed', 'float32', '1', [1]],
    ['use_cache_branch', 'bool', '1', [0]],
    ['flag', 'bool', '2', [1, 1]],
  ])('makes %s', (name, dtype, dims, expected) => {
    const drawn = numbers(inputs({ [name]: [dtype, dims] }), name);
    expect(drawn).toEqual(expected.map(dtype === 'float32' ? Math.fround : Number));
  });

  it('makes lengths of the whole of what they belong to', () => {
    const model = inputs({
      input: ['int64', '2,9'],
      input_lengths: ['int64', '2'],
      scales: ['float32', '3'],
    });
    expect(numbers(model, 'input_lengths')).toEqual([9, 9]);
  });

  it('makes images of bytes, or of normal numbers', () => {
    const bytes = numbers(inputs({ image: ['uint8', '1,3,40,40'] }), 'image');
    expect([Math.min(...bytes), Math.max(...bytes)]).toEqual([0, 255]);
    const floats = numbers(inputs({ image: ['float32', '1,3,40,40'] }), 'image');
    const mean = floats.reduce((a, b) => a + b) / floats.length;
    const variance = floats.reduce((a, b) => a + (b - mean) ** 2, 0) / floats.length;
    expect(mean).toBeCloseTo(0, 1);
    expect(variance).toBeCloseTo(1, 1);
  });

  it('has the same numbers for a seed, and others for another batch', () => {
    const model = inputs({ x: ['float32', '2,3'] });
    expect(numbers(model, 'x', 1)).toEqual(numbers(model, 'x', 1));
    expect(numbers(model, 'x', 1)).not.toEqual(numbers(model, 'x', 0));
  });

  const LOOKUPS: readonly [string, Model][] = [
    [
      'a table',
      typed(
        modelOf({
          inputs: ['x: 4,50'],
          nodes: ['y = Gather(t, x)'],
          outputs: ['y'],
          initializers: [tensor('t', [7, 2])],
        }),
        { x: 'int64' },
      ),
    ],
    [
      'the depth of a OneHot',
      typed(
        modelOf({
          inputs: ['x: 4,50'],
          nodes: ['y = OneHot(x, depth, values)'],
          outputs: ['y'],
          initializers: [tensor('depth', [1], [7], 'int64'), tensor('values', [2], [0, 1])],
        }),
        { x: 'int64' },
      ),
    ],
    [
      'a range that they are compared with',
      typed(
        modelOf({
          inputs: ['x: 4,50'],
          nodes: ['u = Unsqueeze(x, axes)', 'e = Equal(u, range)', 'y = Cast(e) to=1'],
          outputs: ['y'],
          initializers: [
            tensor('range', [7], [0, 1, 2, 3, 4, 5, 6], 'int64'),
            tensor('axes', [1], [-1], 'int64'),
          ],
        }),
        { x: 'int64' },
      ),
    ],
  ];

  it.each(LOOKUPS)('takes tokens below the vocabulary of %s', async (_, model) => {
    const tokens = numbers(model, 'x');
    expect(new Set(tokens)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
    expect(describeInputs(model)).toMatchObject([{ name: 'x', text: 'token ids below 7' }]);
    const { x } = drawInputs(model, { seed: 1 });
    const session = await Session.create(model);
    const { y } = await session.run({ x: await hostTensor(x!.type, x!.data, x!.dims) });
    expect(y!.dims.slice(0, 2)).toEqual([4, 50]);
  });

  it('does not make up what has a value in the file', () => {
    const model = inputs({ x: ['float32', '2'], iou: ['float32', ''] });
    const initializers = new Map([['iou', tensor('iou', [], [0.3])]]);
    expect(
      Object.keys(drawInputs({ ...model, graph: { ...model.graph, initializers } }, { seed: 1 })),
    ).toEqual(['x']);
  });

  it('refuses open sizes and what is not numbers', () => {
    expect(() => drawInputs(inputs({ x: ['float32', 'n,2'] }), { seed: 1 })).toThrowError(
      expect.objectContaining({ code: 'INPUT_SIZES' }),
    );
    expect(() => drawInputs(inputs({ x: ['string', '2'] }), { seed: 1 })).toThrowError(
      expect.objectContaining({ code: 'INPUT_KIND' }),
    );
  });
});

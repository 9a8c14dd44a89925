import { describe, expect, it } from 'vitest';
import { type Model, makeGraph, makeModel } from '../../graph/graph.js';
import { type AttributeValues, Builder } from '../../ops/build.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { Random } from '../../util/random.js';
import { poolsAsProducts } from './average-pools.js';

const DIMS = [2, 3, 9, 7];

function pooling(attributes: AttributeValues, opset = 21): Model {
  const builder = new Builder({ opsets: new Map([['', opset]]) });
  const { name, type } = builder.op('AveragePool', [builder.input('x', 'float32', DIMS)], attributes);
  const { nodes, inputs } = builder;
  return makeModel(makeGraph({ nodes, inputs, outputs: [{ name, type }] }), { opsetImports: builder.opsets });
}

async function run(model: Model): Promise<{ dims: readonly number[]; data: number[] }> {
  const session = await Session.create(model, { optimization: 'disabled' });
  const random = Random.seeded(1);
  const x = Float32Array.from({ length: DIMS.reduce((a, b) => a * b) }, () => random.float() - 0.5);
  const [y] = Object.values(await session.run({ x: await hostTensor('float32', x, DIMS) }));
  await session.dispose();
  return { dims: y!.dims, data: Array.from(y!.data as Float32Array) };
}

describe('means over windows as products', () => {
  it.each<[AttributeValues]>([
    [{ kernel_shape: [3, 3], pads: [1, 1, 1, 1] }],
    [{ kernel_shape: [3, 3], pads: [1, 1, 1, 1], count_include_pad: 1 }],
    [{ kernel_shape: [2, 3], strides: [2, 3] }],
    [{ kernel_shape: [3, 2], strides: [2, 2], pads: [1, 0, 0, 1] }],
    [{ kernel_shape: [3, 2], strides: [2, 2], pads: [1, 0, 0, 1], count_include_pad: 1 }],
    [{ kernel_shape: [3, 3], dilations: [2, 2], pads: [2, 1, 1, 2] }],
    [{ kernel_shape: [4, 4], strides: [3, 3], auto_pad: 'SAME_UPPER' }],
    [{ kernel_shape: [4, 4], strides: [3, 3], auto_pad: 'SAME_LOWER' }],
    [{ kernel_shape: [4, 3], strides: [3, 3], ceil_mode: 1 }],
    [{ kernel_shape: [4, 4], strides: [3, 3], pads: [1, 1, 1, 1], ceil_mode: 1, count_include_pad: 1 }],
  ])('are those of ONNX Runtime: %j', async (attributes) => {
    const model = pooling(attributes);
    const written = poolsAsProducts(model);
    expect(written.graph.nodes.map((node) => node.opType)).not.toContain('AveragePool');
    const [expected, found] = [await run(model), await run(written)];
    expect(found.dims).toEqual(expected.dims);
    found.data.forEach((value, i) => void expect(value).toBeCloseTo(expected.data[i]!, 5));
  });

  it('are left to ONNX Runtime where it is fast', () => {
    const model = pooling({ kernel_shape: [3, 3] }, 18);
    expect(poolsAsProducts(model)).toBe(model);
  });
});

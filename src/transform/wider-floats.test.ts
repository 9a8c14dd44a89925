import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { modelOf, tensor } from '../analysis/models.testing.js';
import type { Attribute, Model, ValueInfo } from '../graph/graph.js';
import { fromNumbers, type Tensor, tensorNumbers } from '../graph/tensor.js';
import { isTensor, TensorType } from '../graph/types.js';
import { decodeModel } from '../onnx/read.js';
import { PROXIES, requestNamed } from '../proxies/index.js';
import { scoreAll } from '../proxies/proxy.js';
import { Subject } from '../proxies/subject/subject.js';

/** As converters write it: weights, constants, inputs and outputs in float16. */
function halved(model: Model): Model {
  const half = ({ name, type }: ValueInfo): ValueInfo => ({
    name,
    type: isTensor(type) && type.dtype === 'float32' ? new TensorType('float16', type.shape) : type,
  });
  const narrow = (value: Tensor): Tensor =>
    value.dtype === 'float32'
      ? fromNumbers(value.name, 'float16', value.dims, [...tensorNumbers(value)])
      : value;
  const { inputs, outputs, nodes, initializers } = model.graph;
  const graph = {
    ...model.graph,
    inputs: inputs.map(half),
    outputs: outputs.map(half),
    initializers: new Map([...initializers].map(([name, value]) => [name, narrow(value)])),
    nodes: nodes.map((node) => ({
      ...node,
      attributes: new Map(
        [...node.attributes].map(([key, attribute]): [string, Attribute] => [
          key,
          attribute.type === 'tensor' ? { ...attribute, value: narrow(attribute.value) } : attribute,
        ]),
      ),
    })),
  };
  return { ...model, graph };
}

it('lets a network in float16 have the scores of the same one in float32', async () => {
  const file = readFileSync(new URL('../proxies/fixtures/vit.onnx', import.meta.url));
  const model = decodeModel(new Uint8Array(file));
  // ZiCo is a sum of quotients that rounding moves by a percent.
  const names = PROXIES.map((proxy) => proxy.name).filter((name) => name !== 'zico');
  const [narrow, wide] = await Promise.all(
    [halved(model), model].map(async (each) => {
      const subject = Subject.of(each, { session: { threads: 1 } });
      const outcomes = await scoreAll(subject, names.map(requestNamed));
      return outcomes.map((outcome) => ('score' in outcome ? outcome.score.value : Number.NaN));
    }),
  );
  names.forEach((name, i) => {
    const difference = Math.abs(narrow![i]! - wide![i]!);
    expect(difference, name).toBeLessThanOrEqual(0.02 * Math.abs(wide![i]!));
  });
});

it('says that weights are quantised where that is why none count, and scores what needs none', async () => {
  const model = modelOf({
    inputs: ['x: 2,8'],
    nodes: [
      'w = DequantizeLinear(q, scale)',
      'a = Relu(x)',
      'b = Mul(a, a)',
      'c = MatMul(b, w)',
      'y = Identity(c)',
    ],
    outputs: ['y'],
    initializers: [tensor('q', [8, 4], undefined, 'int8'), tensor('scale', [], [0.5])],
  });
  const subject = Subject.of(model);
  const [grasp, jacov] = await scoreAll(subject, ['grasp', 'jacov'].map(requestNamed));
  expect(grasp).toMatchObject({
    error: { code: 'PROXY_NO_WEIGHTS', hint: expect.stringContaining('quantised') },
  });
  expect(jacov).toHaveProperty('score');
});

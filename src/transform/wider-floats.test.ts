import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inferShapes } from '../analysis/infer.js';
import { type GraphText, graphOf, modelOf, tensor } from '../analysis/models.testing.js';
import type { Attribute, Model, ValueInfo } from '../graph/graph.js';
import { fromNumbers, type Tensor, tensorNumbers } from '../graph/tensor.js';
import { formatType, isTensor, TensorType } from '../graph/types.js';
import { decodeModel } from '../onnx/read.js';
import { PROXIES, requestNamed } from '../proxies/index.js';
import { scoreAll } from '../proxies/proxy.js';
import { Subject } from '../proxies/subject/subject.js';
import { floats, outputsOf } from './outputs.testing.js';
import { inFloat32 } from './wider-floats.js';

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

it('lets a quantised network have the scores of the same one with its real weights', async () => {
  const nodes = ['a = Relu(x)', 'b = Mul(a, a)', 'c = MatMul(b, w)', 'y = Identity(c)'];
  const weights = Array.from({ length: 32 }, (_, i) => i % 7);
  const quantised = modelOf({
    inputs: ['x: 2,8'],
    nodes: ['w = DequantizeLinear(q, scale)', ...nodes],
    outputs: ['y'],
    initializers: [tensor('q', [8, 4], weights, 'int8'), tensor('scale', [], [0.5])],
  });
  const real = weights.map((x) => x / 2);
  const float = modelOf({
    inputs: ['x: 2,8'],
    nodes,
    outputs: ['y'],
    initializers: [tensor('w', [8, 4], real)],
  });
  const [before, after] = await Promise.all(
    [quantised, float].map(async (model) => {
      const outcomes = await scoreAll(Subject.of(model), ['grasp', 'jacov'].map(requestNamed));
      return outcomes.map((outcome) => ('score' in outcome ? outcome.score.value : outcome));
    }),
  );
  expect(before).toEqual(after);
  expect(before).toEqual([expect.any(Number), expect.any(Number)]);
});

it('widens functions, bodies and attributes, and keeps numbers', async () => {
  const branch = (nodes: readonly string[], more: Partial<GraphText> = {}): Attribute => ({
    type: 'graph',
    value: graphOf({ inputs: [], nodes, outputs: ['r'], ...more }),
  });
  const fill = { type: 'tensor', value: fromNumbers('', 'float16', [1], [0.5]) } as const;
  const model = halved(
    modelOf({
      inputs: ['x: 2,3'],
      nodes: [
        'a = Cast(x) to=10',
        'f = ConstantOfShape(shape)',
        's = Add(a, f)',
        'n = local.Half(s)',
        'y = If(yes)',
      ],
      outputs: ['y'],
      initializers: [fromNumbers('yes', 'bool', [], [1]), fromNumbers('shape', 'int64', [2], [2, 3])],
      attributes: {
        f: { value: fill },
        y: {
          then_branch: branch(['r = Mul(n, two)'], {
            initializers: [fromNumbers('two', 'float16', [], [2])],
          }),
          else_branch: branch(['r = Identity(n)']),
        },
      },
    }),
  );
  const half = graphOf({
    inputs: ['v: '],
    nodes: ['c = Constant()', 'h = Mul(v, c)'],
    outputs: ['h'],
    attributes: { c: { value: fill } },
  });
  const whole: Model = {
    ...model,
    opsetImports: new Map([...model.opsetImports, ['local', 1]]),
    functions: [
      {
        ...{ name: 'Half', domain: 'local', inputs: ['v'], outputs: ['h'], nodes: half.nodes },
        ...{ attributes: [], attributeDefaults: new Map(), valueInfo: new Map() },
        opsetImports: new Map([['', 21]]),
      },
    ],
  };
  const after = inFloat32(whole);
  expect(after.changes).toHaveLength(1);
  expect(formatType(inferShapes(whole).graph.outputTypes[0])).toBe('float16[2,3]');
  expect(formatType(inferShapes(after.model).graph.outputTypes[0])).toBe('float32[2,3]');
  const x = floats([2, 3], [1, 2, 3, 4, 5, 6]);
  expect((await outputsOf(after.model, { x })).y).toEqual([1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
  expect(inFloat32(after.model)).toEqual({ model: after.model, changes: [] });
});

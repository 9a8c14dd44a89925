// What detectors, classifiers and pipelines have around their networks, rebuilt small; what is left gives what ONNX Runtime
// computed there before.
import * as ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { inferShapes } from '../analysis/infer.js';
import { type GraphText, tensor } from '../analysis/models.testing.js';
import type { DataType } from '../graph/dtype.js';
import type { Model } from '../graph/graph.js';
import { differentiablePart } from './cut.js';
import { floats, of, outputsOf, typedModel } from './outputs.testing.js';

const X = floats(
  [1, 6, 4],
  Array.from({ length: 24 }, (_, i) => Math.sin(i)),
);
const W = tensor('w', [4, 4]);

/** The network with some of its values as outputs, too. */
function showing(model: Model, names: readonly string[]): Model {
  const { types } = inferShapes(model).graph;
  const outputs = names.map((name) => ({ name, type: types.get(name)! }));
  return { ...model, graph: { ...model.graph, outputs } };
}

async function expectCut(
  text: GraphText,
  outputs: readonly string[],
  types: Record<string, DataType> = {},
): Promise<Model> {
  const model = typedModel(text, types);
  const after = differentiablePart(model);
  expect(after.model.graph.outputs.map(({ name }) => name)).toEqual(outputs);
  expect(await outputsOf(after.model, { x: X })).toEqual(await outputsOf(showing(model, outputs), { x: X }));
  return after.model;
}

describe('behind a network', () => {
  it('boxes are chosen: what they are chosen from is left', async () => {
    const model = await expectCut(
      {
        inputs: ['x: 1,6,4'],
        nodes: [
          'boxes = MatMul(x, w)',
          'overlap = ReduceMax(x) keepdims=0',
          'best = ReduceMax(boxes, last) keepdims=1',
          'scores = Transpose(best) perm=0,2,1',
          'chosen = NonMaxSuppression(boxes, scores, many, overlap)',
          'index = Slice(chosen, two, three, one)',
          'flat = Squeeze(index, one)',
          'y = Gather(boxes, flat) axis=1',
        ],
        outputs: ['y', 'chosen'],
        initializers: [
          W,
          of('last', 'int64', [1], [2]),
          of('many', 'int64', [1], [3]),
          of('one', 'int64', [1], [1]),
          of('two', 'int64', [1], [2]),
          of('three', 'int64', [1], [3]),
        ],
      },
      ['boxes', 'scores'],
    );
    expect(model.graph.nodes.map((node) => node.opType)).toEqual(['MatMul', 'ReduceMax', 'Transpose']);
    expect([...model.graph.initializers.keys()]).toEqual(['w', 'last']);
  });

  it('the best classes are chosen: logits are left, and stay where they were an output already', async () => {
    const nodes = [
      'a = MatMul(x, w)',
      'logits = Relu(a)',
      'y = ArgMax(logits) axis=2',
      'v, i = TopK(logits, k)',
    ];
    const initializers = [W, of('k', 'int64', [1], [2])];
    await expectCut({ inputs: ['x: 1,6,4'], nodes, outputs: ['y', 'v', 'i'], initializers }, ['logits']);
    await expectCut({ inputs: ['x: 1,6,4'], nodes, outputs: ['i', 'logits'], initializers }, ['logits']);
  });

  it('a choice in front of weights is part of the network', () => {
    const text = {
      inputs: ['x: 1,6,4'],
      nodes: ['a = MatMul(x, w)', 'v, i = TopK(a, k)', 'y = MatMul(v, u)'],
      outputs: ['y'],
      initializers: [W, tensor('u', [2, 3]), of('k', 'int64', [1], [2])],
    };
    const model = typedModel(text);
    expect(differentiablePart(model)).toEqual({ model, changes: [] });
  });

  it('pixels are made bytes, and comparisons are made: the floats are left', async () => {
    await expectCut(
      {
        inputs: ['x: 1,6,4'],
        nodes: ['a = MatMul(x, w)', 'c = Clip(a, low, high)', 'y = Cast(c) to=2', 'z = Greater(a, low)'],
        outputs: ['y', 'z'],
        initializers: [W, tensor('low', [], [0]), tensor('high', [], [255])],
      },
      ['a', 'c'],
    );
  });

  it('what nobody knows is cut off, with the node that it is', () => {
    const model = typedModel({
      inputs: ['x: 1,6,4'],
      nodes: ['a = MatMul(x, w)', 'y = com.example.Encode(a)'],
      outputs: ['y'],
      initializers: [W],
    });
    expect(differentiablePart(model).changes).toEqual([
      {
        transform: 'cut',
        node: 'n_y',
        operator: 'com.example.Encode',
        what: "its input 'a' is an output: no gradient leads through what follows",
      },
    ]);
  });
});

describe('in front of a network', () => {
  it('bytes become floats: the scaled image is the input', async () => {
    const text = {
      inputs: ['image: 1,6,4'],
      nodes: [
        'f = Cast(image) to=1',
        's = Div(f, most)',
        'c = Sub(s, mean)',
        'a = MatMul(c, w)',
        'y = Relu(a)',
      ],
      outputs: ['y'],
      initializers: [W, tensor('most', [], [255]), tensor('mean', [4], [0.4, 0.5, 0.6, 0.7])],
    };
    const model = typedModel(text, { image: 'uint8' });
    const after = differentiablePart(model);
    expect(after.model.graph.inputs.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'c: float32[1,6,4]',
    ]);
    const image = new ort.Tensor(
      'uint8',
      Uint8Array.from({ length: 24 }, (_, i) => 11 * i),
      [1, 6, 4],
    );
    const before = await outputsOf(showing(model, ['c', 'y']), { image });
    const { y } = await outputsOf(after.model, { c: floats([1, 6, 4], before.c!) });
    expect(y).toEqual(before.y);
  });

  it('an image is decoded by an operator that nobody knows', () => {
    const model = typedModel(
      {
        inputs: ['bytes: n'],
        nodes: ['i = com.example.Decode(bytes)', 'f = Cast(i) to=1', 's = Div(f, most)', 'y = MatMul(s, w)'],
        outputs: ['y'],
        initializers: [W, tensor('most', [], [255])],
      },
      { bytes: 'uint8' },
    );
    const after = differentiablePart(model);
    expect(after.model.graph.inputs.map(({ name }) => name)).toEqual(['s']);
    expect(after.changes[0]).toMatchObject({ node: 'n_y', operator: 'MatMul', transform: 'cut' });
  });

  it('tokens are looked up in a table: they stay the input', () => {
    const model = typedModel(
      {
        inputs: ['ids: 1,6'],
        nodes: ['e = Gather(table, ids)', 'y = MatMul(e, w)'],
        outputs: ['y'],
        initializers: [W, tensor('table', [9, 4])],
      },
      { ids: 'int64' },
    );
    expect(differentiablePart(model)).toEqual({ model, changes: [] });
  });
});

it('says so where nothing has gradients', () => {
  const strings = (value: readonly string[]) => ({ type: 'strings', value }) as const;
  const ints = (value: readonly number[]) => ({ type: 'ints', value }) as const;
  const numbers = (value: readonly number[]) => ({ type: 'floats', value }) as const;
  const tree = {
    nodes_treeids: ints([0, 0, 0]),
    nodes_nodeids: ints([0, 1, 2]),
    nodes_featureids: ints([0, 0, 0]),
    nodes_modes: strings(['BRANCH_LEQ', 'LEAF', 'LEAF']),
    nodes_values: numbers([0.5, 0, 0]),
    nodes_truenodeids: ints([1, 0, 0]),
    nodes_falsenodeids: ints([2, 0, 0]),
    target_treeids: ints([0, 0]),
    target_nodeids: ints([1, 2]),
    target_ids: ints([0, 0]),
    target_weights: numbers([1, 2]),
    n_targets: { type: 'int', value: 1 } as const,
  };
  const model = typedModel({
    inputs: ['x: 4,3'],
    nodes: ['y = ai.onnx.ml.TreeEnsembleRegressor(x)'],
    outputs: ['y'],
    attributes: { y: tree },
  });
  expect(() => differentiablePart(model)).toThrow(
    expect.objectContaining({
      code: 'NO_GRADIENTS',
      where: { node: 'n_y', operator: 'ai.onnx.ml.TreeEnsembleRegressor' },
    }),
  );
});

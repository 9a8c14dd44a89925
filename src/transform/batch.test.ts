// Every cause that fixes a batch, as a small network. The oracle is ONNX Runtime: each sample alone, then all at once.
import { describe, expect, it } from 'vitest';
import { graphOf, modelOf, tensor } from '../analysis/models.testing.js';
import type { Model } from '../graph/graph.js';
import type { TensorType } from '../graph/types.js';
import { drawInputs } from '../inputs/drawn.js';
import { batchDifference } from './batch/proof.js';
import { withBatch } from './batch.js';

const ints = (name: string, ...values: number[]) => tensor(name, [values.length], values, 'int64');
const scalar = (name: string, value: number) => tensor(name, [], [value], 'int64');

interface Case {
  readonly what: string;
  readonly model: Model;
  /** Shapes of the outputs for a batch of 3. */
  readonly outputs: readonly string[];
}

function network(
  inputs: readonly string[],
  nodes: readonly string[],
  outputs: readonly string[],
  initializers: Parameters<typeof modelOf>[0]['initializers'] = [],
  opset = 17,
): Model {
  return modelOf({ inputs, nodes, outputs, initializers }, opset);
}

const CASES: readonly Case[] = [
  {
    what: 'a Reshape to [1, …]',
    model: network(['x: 1,4,6'], ['y = Reshape(x, to)'], ['y'], [ints('to', 1, 24)]),
    outputs: ['3,24'],
  },
  {
    what: 'a Reshape to [1, −1], which would hide the batch',
    model: network(['x: 1,4,6'], ['y = Reshape(x, to)'], ['y'], [ints('to', 1, -1)]),
    outputs: ['3,24'],
  },
  {
    what: 'channels shuffled with the batch inside the first size',
    model: network(
      ['x: 1,8,2,2'],
      [
        'a = Reshape(x, pairs)',
        'b = Transpose(a) perm=1,0,2',
        'c = Reshape(b, halves)',
        'd = Gather(c, zero) axis=0',
        'e = Gather(c, one) axis=0',
        'y = Concat(e, d) axis=1',
      ],
      ['y'],
      [ints('pairs', 4, 2, 4), ints('halves', 2, -1, 4, 2, 2), scalar('zero', 0), scalar('one', 1)],
    ),
    outputs: ['3,8,2,2'],
  },
  {
    what: 'attention with heads and time first',
    model: network(
      ['x: 1,5,8'],
      [
        't = Transpose(x) perm=1,0,2',
        'rows = Reshape(t, flat)',
        'm = MatMul(rows, w)',
        'back = Reshape(m, time)',
        'heads = Reshape(back, split)',
        'q = Transpose(heads) perm=1,0,2',
        'k = Transpose(heads) perm=1,2,0',
        's = MatMul(q, k)',
        'p = Softmax(s) axis=-1',
        'o = MatMul(p, q)',
        'o2 = Transpose(o) perm=1,0,2',
        'joined = Reshape(o2, time)',
        'y = Transpose(joined) perm=1,0,2',
      ],
      ['y'],
      [ints('flat', 5, 8), ints('time', 5, 1, 8), ints('split', 5, 2, 4), tensor('w', [8, 8])],
    ),
    outputs: ['3,5,8'],
  },
  {
    what: 'a class token that is a constant',
    model: network(
      ['x: 1,4,6'],
      ['t = Concat(token, x) axis=1', 'y = Slice(t, from, to, axes)'],
      ['y'],
      [tensor('token', [1, 1, 6]), ints('from', 0, 0), ints('to', 1, 2), ints('axes', 0, 1)],
    ),
    outputs: ['3,2,6'],
  },
  {
    what: 'sizes of a Resize',
    model: modelOf(
      {
        inputs: ['x: 1,2,3,3'],
        nodes: ['y = Resize(x, , , sizes)'],
        outputs: ['y'],
        initializers: [ints('sizes', 1, 2, 6, 6)],
        attributes: { y: { mode: { type: 'string', value: 'nearest' } } },
      },
      17,
    ),
    outputs: ['3,2,6,6'],
  },
  {
    what: 'initial states of a recurrent layer',
    model: modelOf(
      {
        inputs: ['x: 1,5,3'],
        nodes: ['t = Transpose(x) perm=1,0,2', 'all, h = GRU(t, w, r, , , zero)', 'y = Squeeze(h, axes)'],
        outputs: ['y'],
        initializers: [
          tensor('w', [1, 12, 3]),
          tensor('r', [1, 12, 4]),
          tensor('zero', [1, 1, 4], [0, 0, 0, 0]),
          ints('axes', 0),
        ],
        attributes: { all: { hidden_size: { type: 'int', value: 4 } } },
      },
      17,
    ),
    outputs: ['3,4'],
  },
  {
    what: 'a state that is an input, with the batch as its second axis',
    model: modelOf(
      {
        inputs: ['x: 1,5,3', 'h: 1,1,4'],
        nodes: ['t = Transpose(x) perm=1,0,2', 'all, hn = GRU(t, w, r, , , h)', 'y = Squeeze(all, axes)'],
        outputs: ['y', 'hn'],
        initializers: [tensor('w', [1, 12, 3]), tensor('r', [1, 12, 4]), ints('axes', 1)],
        attributes: { all: { hidden_size: { type: 'int', value: 4 } } },
      },
      17,
    ),
    outputs: ['5,3,4', '1,3,4'],
  },
  {
    what: 'a Squeeze of the batch, and what is done without it',
    model: network(
      ['x: 1,4,6'],
      [
        'a = Squeeze(x, first)',
        'b = Add(a, rows)',
        'c = Transpose(b) perm=1,0',
        'd = Softmax(c) axis=0',
        'e = ReduceSum(d, second) keepdims=0',
        'f = Reshape(e, two)',
        'g = Concat(f, more) axis=0',
        'y = Unsqueeze(g, first)',
      ],
      ['y'],
      [
        ints('first', 0),
        ints('second', 1),
        ints('two', 2, 3),
        tensor('rows', [4, 6]),
        tensor('more', [1, 3]),
      ],
    ),
    outputs: ['3,3,3'],
  },
  {
    what: 'x[0]',
    model: network(['x: 1,4,6'], ['a = Gather(x, zero) axis=0', 'y = Mul(a, a)'], ['y'], [scalar('zero', 0)]),
    outputs: ['3,4,6'],
  },
  {
    what: 'a mean over the batch and the places',
    model: network(['x: 1,4,6'], ['y = ReduceMean(x) axes=0,2 keepdims=0'], ['y']),
    outputs: ['3,4'],
  },
  {
    what: 'an output that several samples would share as rows',
    model: network(['x: 1,4,6'], ['y = Reshape(x, to)'], ['y'], [ints('to', 4, 6)]),
    outputs: ['3,4,6'],
  },
  {
    what: 'constants for the rows of all samples together',
    model: network(
      ['x: 1,2,3,4'],
      ['a = Reshape(x, rows)', 'b = Add(a, anchors)', 'y = Reshape(b, back)'],
      ['y'],
      [ints('rows', 6, 4), tensor('anchors', [6, 4]), ints('back', 1, 6, 4)],
    ),
    outputs: ['3,6,4'],
  },
  {
    what: 'an output that does not depend on the input',
    model: network(
      ['x: 1,4'],
      ['y = Relu(x)', 'z = Identity(anchors)'],
      ['y', 'z'],
      [tensor('anchors', [1, 3])],
    ),
    outputs: ['3,4', '3,3'],
  },
  {
    what: 'a branch by sample',
    model: modelOf(
      {
        inputs: ['x: 1,4'],
        nodes: ['s = ReduceSum(x)', 'c = Greater(s, zero)', 'y = If(c)'],
        outputs: ['y'],
        initializers: [tensor('zero', [], [0])],
        attributes: {
          y: {
            then_branch: {
              type: 'graph',
              value: graphOf({
                inputs: [],
                nodes: ['t = MatMul(x, w)'],
                outputs: ['t'],
                initializers: [tensor('w', [4, 2])],
              }),
            },
            else_branch: {
              type: 'graph',
              value: graphOf({
                inputs: [],
                nodes: ['r = Slice(x, from, to, axes)', 'e = Neg(r)'],
                outputs: ['e'],
                initializers: [ints('from', 1), ints('to', 3), ints('axes', 1)],
              }),
            },
          },
        },
      },
      17,
    ),
    outputs: ['3,2'],
  },
  {
    what: 'attributes of old opsets',
    model: network(
      ['x: 1,4,1,1'],
      [
        'a = Squeeze(x) axes=2,3',
        'b = Unsqueeze(a) axes=2',
        'c = Slice(b) axes=0,1 starts=0,1 ends=1,3',
        'y = Softmax(c) axis=1',
      ],
      ['y'],
      [],
      9,
    ),
    outputs: ['3,2,1'],
  },
  {
    what: 'ranges of rows that are time and batch together',
    model: network(
      ['x: 1,5,6'],
      [
        't = Transpose(x) perm=1,0,2',
        'r = Reshape(t, rows)',
        'm = ReduceMax(r) keepdims=0',
        's = Div(r, m)',
        'b = Reshape(s, back)',
        'y = Transpose(b) perm=1,0,2',
      ],
      ['y'],
      [ints('rows', 5, 6), ints('back', 5, 1, 6)],
    ),
    outputs: ['3,5,6'],
  },
];

/** Convolutions with weights of the sample: only for a number of samples, as groups are an attribute. */
const BY_SAMPLE: readonly (readonly [string, Model])[] = [
  [
    'depthwise, with the batch in the channels',
    network(
      ['x: 1,4,6,6', 'z: 1,4,3,3'],
      ['a = Reshape(x, wide)', 'w = Reshape(z, kernel)', 'c = Conv(a, w) group=4', 'y = Reshape(c, out)'],
      ['y'],
      [ints('wide', 1, 4, 6, 6), ints('kernel', 4, 1, 3, 3), ints('out', 1, 4, 4, 4)],
    ),
  ],
  [
    'dense, with the weights of an image without its axis',
    network(
      ['x: 1,4,6,6', 'z: 1,8,3,3'],
      ['s = Squeeze(z, zero)', 'w = Reshape(s, kernel)', 'y = Conv(x, w, b)'],
      ['y'],
      [ints('zero', 0), ints('kernel', 2, 4, 3, 3), tensor('b', [2], [1, 2])],
    ),
  ],
  [
    'transposed',
    network(
      ['x: 1,2,4,4', 'z: 1,6,3,3'],
      ['w = Reshape(z, kernel)', 'y = ConvTranspose(x, w)'],
      ['y'],
      [ints('kernel', 2, 3, 3, 3)],
    ),
  ],
];

async function proven(model: Model, batch: number | 'dynamic') {
  const rebatched = withBatch(model, batch);
  const single = [0, 1, 2].map((index) => drawInputs(model, { seed: 3, index }));
  return { rebatched, ...(await batchDifference(model, rebatched, single)) };
}

describe('withBatch', () => {
  it.each(CASES)('takes $what', async ({ model, outputs }) => {
    for (const batch of [3, 'dynamic'] as const) {
      const { rebatched, relative } = await proven(model, batch);
      expect(relative).toBeLessThan(1e-5);
      const shapes = rebatched.model.graph.outputs.map(({ type }) =>
        (type as TensorType).shape!.map(String).join(),
      );
      const named = outputs.map((shape) => (batch === 3 ? shape : undefined));
      shapes.forEach((shape, i) => {
        if (batch === 3) expect(shape).toBe(named[i]);
        else expect(shape).toContain('batch');
      });
    }
  });

  it.each(BY_SAMPLE)('takes convolutions with weights of the sample: %s', async (_, model) => {
    expect((await proven(model, 3)).relative).toBeLessThan(1e-5);
    expect(() => withBatch(model, 'dynamic', { axes: { x: 0, z: 0 } })).toThrowError(
      expect.objectContaining({ code: 'BATCH_FIXED', message: expect.stringContaining('a group for each') }),
    );
  });

  it('compares samples that are different', async () => {
    const model = network(['x: 1,4'], ['y = Relu(x)'], ['y']);
    const wrong = { ...withBatch(model, 3) };
    const mixing = network(['x: 3,4'], ['m = ReduceMean(x) axes=0', 'y = Add(x, m)'], ['y']);
    const single = [0, 1, 2].map((index) => drawInputs(model, { seed: 3, index }));
    expect((await batchDifference(model, { ...wrong, model: mixing }, single)).relative).toBeGreaterThan(0.1);
  });

  it('leaves a network as it is that has the batch already', () => {
    const model = network(['x: n,4'], ['y = Relu(x)'], ['y']);
    expect(withBatch(model, 'dynamic')).toMatchObject({ model, changes: [] });
    expect(String(withBatch(model, 5).model.graph.outputs[0]!.type)).toBe('float32[5,4]');
  });

  it('says what it changed', () => {
    const [{ model }] = CASES as [Case];
    expect(withBatch(model, 8).changes).toEqual([
      { transform: 'batch', what: "the batch of 'x' is 8 instead of 1" },
      { transform: 'batch', what: '[1,24] becomes [batch,24]', node: 'n_y', operator: 'Reshape' },
    ]);
  });

  it.each([
    ['samples that are added up', ['y = CumSum(x, zero)'], 'n_y'],
    ['a softmax over the samples', ['y = Softmax(x) axis=0'], 'n_y'],
    ['samples that are compared', ['t = Transpose(x) perm=1,0', 'y = MatMul(x, t)'], 'n_y'],
    ['boxes of all samples', ['y = NonZero(x)'], 'n_y'],
    ['places in the batch', ['t = Transpose(x) perm=1,0', 'y = Trilu(t)'], 'n_y'],
    [
      'numbers of samples',
      ['s = Shape(x)', 'n = Gather(s, zero)', 'r = Range(zero, n, one)', 'y = Cast(r) to=1'],
      'n_r',
    ],
    [
      'places counted over the batch',
      ['v = Unsqueeze(x, zeros)', 'm, i = MaxPool(v) kernel_shape=2', 'y = Cast(i) to=1'],
      'n_m',
    ],
    ['an operator nobody knows', ['y = somewhere.Mystery(x)'], 'n_y'],
  ])('refuses %s', (_, nodes, node) => {
    const numbers = [scalar('zero', 0), scalar('one', 1), ints('zeros', 1)];
    const model = network(['x: 1,4'], nodes, ['y'], numbers);
    expect(() => withBatch(model, 2)).toThrowError(
      expect.objectContaining({ code: 'BATCH_FIXED', where: expect.objectContaining({ node }) }),
    );
  });

  it('asks for floats where a range is taken over all samples', () => {
    const model = network(
      ['x: 1,4'],
      ['q, s, z = DynamicQuantizeLinear(x)', 'y = DequantizeLinear(q, s, z)'],
      ['y'],
    );
    expect(() => withBatch(model, 2)).toThrowError(
      expect.objectContaining({ code: 'BATCH_FIXED', hint: expect.stringContaining('--float') }),
    );
  });

  it('says that the number of boxes is one of every sample', () => {
    const model = network(
      ['boxes: 1,6,4', 'scores: 1,2,6'],
      ['y = NonMaxSuppression(boxes, scores, most)'],
      ['y'],
      [ints('most', 3)],
    );
    expect(() => withBatch(model, 2)).toThrowError(
      expect.objectContaining({
        code: 'BATCH_FIXED',
        message: expect.stringContaining('another number for every sample'),
        hint: expect.stringContaining('--cut'),
      }),
    );
  });

  it.each([
    ['a softmax over the samples inside', 't = Softmax(x) axis=0'],
    ['a shape of one sample inside', 't = Reshape(x, flat)'],
  ])('refuses a branch with %s', (_, inner) => {
    const branch = (node: string) => ({
      type: 'graph' as const,
      value: graphOf({ inputs: [], nodes: [node], outputs: ['t'], initializers: [ints('flat', 1, 4)] }),
    });
    const attributes = { y: { then_branch: branch(inner), else_branch: branch('t = Neg(x)') } };
    const text = {
      inputs: ['x: 1,4', 'first: '],
      nodes: ['c = Cast(first) to=9', 'y = If(c)'],
      outputs: ['y'],
    };
    expect(() => withBatch(modelOf({ ...text, initializers: [], attributes }, 17), 2)).toThrowError(
      expect.objectContaining({ code: 'BATCH_FIXED' }),
    );
    const plain = { y: { then_branch: branch('t = Relu(x)'), else_branch: branch('t = Neg(x)') } };
    const { model } = withBatch(modelOf({ ...text, initializers: [], attributes: plain }, 17), 2);
    expect(String(model.graph.outputs[0]!.type)).toBe('float32[2,4]');
  });

  it('refuses a network without an axis for it', () => {
    expect(() => withBatch(network(['x: '], ['y = Relu(x)'], ['y']), 2)).toThrowError(
      expect.objectContaining({ code: 'BATCH_NONE' }),
    );
  });
});

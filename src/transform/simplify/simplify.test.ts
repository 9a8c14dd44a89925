import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { type GraphText, graphOf, modelOf, tensor } from '../../analysis/models.testing.js';
import type { Model } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { simplified } from './simplify.js';

/** Outputs for drawn inputs; open sizes become 2. */
async function outputsOf(model: Model): Promise<Record<string, number[]>> {
  const session = await Session.create(model, { optimization: 'disabled', threads: 1 });
  try {
    const feeds: Record<string, Awaited<ReturnType<typeof hostTensor>>> = {};
    for (const { name, type } of model.graph.inputs) {
      if (model.graph.initializers.has(name)) continue;
      const dims = ((isTensor(type) && type.shape) || []).map((d) => (typeof d === 'number' ? d : 2));
      const data = Float32Array.from({ length: dims.reduce((n, d) => n * d, 1) }, (_, i) =>
        Math.sin(2 * i + 1),
      );
      feeds[name] = await hostTensor('float32', data, dims);
    }
    const results = await session.run(feeds);
    return Object.fromEntries(
      Object.entries(results).map(([key, { data }]) => [key, Array.from(data, Number)]),
    );
  } finally {
    await session.dispose();
  }
}

const int64 = (name: string, values: readonly number[]) => tensor(name, [values.length], values, 'int64');

/** The operators that are left; the outputs must be the same to the bit, or to a tolerance. */
async function left(text: GraphText, tolerance = 0, opset = 21): Promise<string[]> {
  const model = modelOf(text, opset);
  const { model: simple } = await simplified(model);
  const [before, after] = [await outputsOf(model), await outputsOf(simple)];
  expect(Object.keys(after)).toEqual(Object.keys(before));
  for (const [name, values] of Object.entries(before)) {
    expect(after[name]!.length).toBe(values.length);
    values.forEach((value, i) => {
      expect(Math.abs(after[name]![i]! - value)).toBeLessThanOrEqual(tolerance);
    });
  }
  return simple.graph.nodes.map(({ opType }) => opType);
}

describe('simplified', () => {
  it('computes shapes beforehand, and keeps an open batch open', async () => {
    const text: GraphText = {
      inputs: ['x: n,4,3,3'],
      nodes: [
        's = Shape(x)',
        'n1 = Gather(s, zero)',
        'n = Unsqueeze(n1, axis)',
        't = Concat(n, rest) axis=0',
        'y = Reshape(x, t)',
      ],
      outputs: ['y'],
      initializers: [tensor('zero', [], [0], 'int64'), int64('axis', [0]), int64('rest', [36])],
    };
    expect(await left(text)).toEqual(['Reshape']);
    const { model } = await simplified(modelOf(text));
    expect(String(model.graph.inputs[0]!.type)).toBe('float32[n,4,3,3]');
  });

  it('computes constants beforehand, but not those that take more room', async () => {
    const text: GraphText = {
      inputs: ['x: 2,3'],
      nodes: [
        'w2 = Mul(w, w)',
        'w3 = Transpose(w2) perm=1,0',
        'y = MatMul(x, w3)',
        'big = Expand(one, size)',
        'z = Add(x, big2)',
        'big2 = ReduceMax(big) keepdims=0',
      ],
      outputs: ['y', 'z'],
      initializers: [tensor('w', [3, 3]), tensor('one', [1, 1]), int64('size', [600, 600])],
    };
    // Expand makes 1.4 MB of four bytes.
    expect(await left(text)).toEqual(['MatMul', 'Expand', 'ReduceMax', 'Add']);
  });

  it('removes what gives back its input, also in front of an output', async () => {
    const text: GraphText = {
      inputs: ['x: 2,3,4'],
      nodes: [
        'a = Identity(x)',
        'b = Dropout(a)',
        'c = Cast(b) to=1',
        'd = Transpose(c) perm=0,1,2',
        'e = Reshape(d, shape)',
        'f = Slice(e, from, to)',
        'g = Pad(f, pads)',
        'h = Mul(g, one)',
        'i = Relu(h)',
        'j = Add(i, zero)',
        'y = Identity(j)',
      ],
      outputs: ['y'],
      initializers: [
        int64('shape', [2, 3, 4]),
        int64('from', [0]),
        int64('to', [99]),
        int64('pads', [0, 0, 0, 0, 0, 0]),
        tensor('one', [1], [1]),
        tensor('zero', [4], [0, 0, 0, 0]),
      ],
    };
    expect(await left(text)).toEqual(['Relu']);
  });

  it('keeps what only looks as if it did nothing', async () => {
    const text: GraphText = {
      inputs: ['x: 2,2'],
      nodes: [
        'a = Transpose(x) perm=1,0',
        'b = Slice(a, from, to, axes, steps)',
        'c = Pad(b, pads)',
        'y = Add(c, wide)',
        'z = Identity(x)',
      ],
      outputs: ['y', 'z'],
      initializers: [
        int64('from', [-1]),
        int64('to', [-99]),
        int64('axes', [0]),
        int64('steps', [-1]),
        int64('pads', [1, 0, -1, 0]),
        tensor('wide', [3, 2, 2], Array(12).fill(0)),
      ],
    };
    expect(await left(text)).toEqual(['Transpose', 'Slice', 'Pad', 'Add', 'Identity']);
  });

  it('joins transpositions and new shapes, and computes nothing twice', async () => {
    const text: GraphText = {
      inputs: ['x: 2,3,4'],
      nodes: [
        'a = Transpose(x) perm=1,2,0',
        'b = Transpose(a) perm=2,0,1',
        'r1 = Relu(b)',
        'r2 = Relu(x)',
        'f = Flatten(r2)',
        'g = Reshape(f, s1)',
        'h = Unsqueeze(g, zero)',
        's = Add(r1, r2)',
      ],
      outputs: ['h', 's'],
      initializers: [int64('s1', [4, 6]), int64('zero', [0])],
    };
    expect(await left(text)).toEqual(['Relu', 'Reshape', 'Add']);
  });

  it.each([
    ['Conv', [4, 1, 3, 3], 'group=2 pads=1,1,1,1'],
    ['ConvTranspose', [2, 2, 3, 3], 'group=2'],
  ] as const)('folds normalisation and bias into %s', async (operator, dims, attributes) => {
    const four = (name: string, values: readonly number[]) => tensor(name, [4], values);
    const text: GraphText = {
      inputs: ['x: n,2,5,5'],
      nodes: [
        `c = ${operator}(x, w) ${attributes}`,
        'd = Add(c, k)',
        'e = BatchNormalization(d, scale, bias, mean, variance)',
        'y = Relu(e)',
      ],
      outputs: ['y'],
      initializers: [
        tensor('w', dims),
        tensor('k', [4, 1, 1], [1, 2, 3, 4]),
        four('scale', [0.5, 1, -2, 3]),
        four('bias', [0, 1, 2, -3]),
        four('mean', [1, -1, 0.5, 0]),
        four('variance', [1, 2, 0.25, 4]),
      ],
    };
    expect(await left(text, 2e-5)).toEqual([operator, 'Relu']);
  });

  it('does not fold where the convolution is read by others, or statistics are those of the batch', async () => {
    const weights = [tensor('w', [2, 2, 1, 1]), tensor('s', [2], [1, 2]), tensor('v', [2], [1, 2])];
    const shared: GraphText = {
      inputs: ['x: 1,2,3,3'],
      nodes: ['c = Conv(x, w)', 'y = BatchNormalization(c, s, s, s, v)', 'z = Relu(c)'],
      outputs: ['y', 'z'],
      initializers: weights,
    };
    expect(await left(shared)).toEqual(['Conv', 'BatchNormalization', 'Relu']);
    const training: GraphText = {
      ...shared,
      nodes: ['c = Conv(x, w)', 'y, m, u = BatchNormalization(c, s, s, s, v) training_mode=1'],
      outputs: ['y', 'm', 'u'],
    };
    expect(await left(training)).toEqual(['Conv', 'BatchNormalization']);
  });

  it('simplifies branches, and keeps what they read from outside', async () => {
    const branch = (line: string) =>
      graphOf({ inputs: [], nodes: ['i = Identity(h)', line], outputs: ['o'] });
    const model = modelOf({
      inputs: ['x: 2,3', 'c: '],
      nodes: ['g = Relu(x)', 'h = Identity(g)', 'k = Greater(c, c0)', 'y = If(k)'],
      outputs: ['y'],
      initializers: [tensor('c0', [], [0.5])],
      attributes: {
        y: {
          then_branch: { type: 'graph', value: branch('o = Neg(i)') },
          else_branch: { type: 'graph', value: branch('o = Abs(i)') },
        },
      },
    });
    const { model: simple } = await simplified(model);
    expect(await outputsOf(simple)).toEqual(await outputsOf(model));
    expect(simple.graph.nodes.map(({ opType }) => opType)).toEqual(['Relu', 'Greater', 'If']);
    const { attributes } = simple.graph.nodes.at(-1)!;
    const then = attributes.get('then_branch')!;
    expect(then.type === 'graph' && then.value.nodes.map(({ opType }) => opType)).toEqual(['Neg']);
  });

  it('leaves operators alone that nobody knows', async () => {
    const model = modelOf({
      inputs: ['x: 2,3'],
      nodes: ['a = Identity(x)', 'b = my.domain.Secret(a, w)', 'y = Relu(b)'],
      outputs: ['y'],
      initializers: [tensor('w', [3])],
    });
    const { model: simple } = await simplified(model);
    expect(simple.graph.nodes.map(({ opType, inputs }) => [opType, inputs])).toEqual([
      ['Secret', ['x', 'w']],
      ['Relu', ['b']],
    ]);
  });

  it('takes constants among the inputs of old files for constants, and says so', async () => {
    const model = modelOf({
      inputs: ['x: 2,3', 'w: 3,3'],
      nodes: ['v = Neg(w)', 'y = MatMul(x, v)'],
      outputs: ['y'],
      initializers: [tensor('w', [3, 3])],
    });
    const { model: simple, changes } = await simplified({ ...model, irVersion: 3 });
    expect(simple.graph.inputs.map(({ name }) => name)).toEqual(['x']);
    expect(simple.irVersion).toBe(4);
    expect(changes.map(({ what }) => what)).toContain('1 inputs that are constants are no longer inputs');
    expect(simple.graph.nodes.map(({ opType }) => opType)).toEqual(['MatMul']);
  });

  it('is done once: what is simple stays as it is', async () => {
    const model = modelOf({ inputs: ['x: 2,3'], nodes: ['y = Relu(x)'], outputs: ['y'] });
    const again = await simplified((await simplified(model)).model);
    expect(again.changes).toEqual([]);
  });
});

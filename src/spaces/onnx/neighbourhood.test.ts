import { describe, expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { symbol } from '../../graph/dim.js';
import { type Model, makeGraph, makeModel } from '../../graph/graph.js';
import { fromNumbers } from '../../graph/tensor.js';
import { Builder, type Value } from '../../ops/build.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { Random } from '../../util/random.js';
import { mutate } from '../choices.js';
import { describeSpace } from '../conformance.testing.js';
import { onnxSpace } from './neighbourhood.js';

/** A model of one input, (batch, …dims), and one output. */
function made(dims: readonly number[], write: (x: Value) => Value, opset = 21): Model {
  const builder = new Builder({ opsets: new Map([['', opset]]) });
  const x = builder.input('x', 'float32', [symbol('batch'), ...dims]);
  const y = write(x);
  const graph = makeGraph({
    nodes: builder.nodes,
    inputs: builder.inputs,
    outputs: [{ name: y.name, type: y.type }],
    initializers: builder.initializers,
  });
  return makeModel(graph, { opsetImports: builder.opsets });
}

function weight(x: Value, name: string, dims: readonly number[]): Value {
  const count = dims.reduce((n, d) => n * d, 1);
  const values = Array.from({ length: count }, (_, i) => Math.sin(1 + i) / Math.sqrt(count / dims[0]!));
  return x.builder.initializer(fromNumbers(name, 'float32', dims, values));
}

function conv(x: Value, name: string, out: number): Value {
  const inputs = [x, weight(x, `${name}.weight`, [out, x.length(1), 3, 3]), weight(x, `${name}.bias`, [out])];
  return x.builder.op('Conv', inputs, { kernel_shape: [3, 3], pads: [1, 1, 1, 1] });
}

/** conv → relu → residual block of two convolutions → classifier. */
const convolutional = (opset?: number): Model =>
  made(
    [3, 8, 8],
    (x) => {
      const stem = conv(x, 'stem', 4).relu();
      const inner = conv(conv(stem, 'first', 4).relu(), 'second', 4);
      const y = stem.add(inner).relu().mean([2, 3]);
      return y.matmul(weight(y, 'classifier.weight', [4, 7])).add(weight(y, 'classifier.bias', [7]));
    },
    opset,
  );

const space = onnxSpace('small.onnx', convolutional());

describeSpace(space, {
  small: {},
  refused: [
    ['', /begin with 'base'/],
    ['Relu=Gelu', /begin with 'base'/],
    ['base;Relu', /must read node=option/],
    ['base;Relu=Gelu=skip', /must read node=option/],
    ['base;Relu_9=Gelu', /no rule applies to 'Relu_9'/],
    ['base;Add=skip', /no rule applies to 'Add'/],
    ['base;Relu=Relu', /cannot become 'Relu'/],
    ['base;Conv_1=Gelu', /cannot become 'Gelu'/],
    ['base;Relu=Gelu;Relu=skip', /edited twice/],
  ],
});

async function run(model: Model, batch: number, values: readonly number[]): Promise<number[]> {
  const session = await Session.create(model, { threads: 1 });
  const dims = [batch, values.length / batch];
  const outputs = await session.run({ x: await hostTensor('float32', Float32Array.from(values), dims) });
  await session.dispose();
  return [...(Object.values(outputs)[0]!.data as Float32Array)];
}

const operators = (model: Model): string[] => model.graph.nodes.map(({ opType }) => opType);

describe('the neighbourhood of a file', () => {
  it('edits activations and layers that keep their shape', () => {
    const options = (label: string): string[] =>
      ['Relu', 'Elu', 'Gelu', 'HardSwish', 'LeakyRelu', 'Mish', 'skip'].filter((to) => {
        try {
          return space.parse(`base;${label}=${to}`).length === 1;
        } catch {
          return false;
        }
      });
    expect(options('Relu')).toEqual(['Elu', 'Gelu', 'HardSwish', 'LeakyRelu', 'Mish', 'skip']);
    expect(options('Conv_1')).toEqual(['skip']);
    // The first convolution has three channels and makes four.
    expect(options('Conv')).toEqual([]);
    expect(space.size).toBeUndefined();
  });

  it('has only what the opset of the file has', () => {
    const older = onnxSpace('older.onnx', convolutional(17));
    expect(older.parse('base;Relu=HardSwish')).toEqual([{ at: 'Relu', to: 'HardSwish' }]);
    expect(() => older.parse('base;Relu=Gelu')).toThrow(/cannot become/);
  });

  it('is the file itself without edits', () => {
    const { graph } = space.network([], { batch: 1 });
    expect(graph.nodes).toEqual(convolutional().graph.nodes);
  });

  it('leaves out a layer with its weights', () => {
    const model = space.network(space.parse('base;Conv_1=skip;Relu_1=skip'));
    expect(operators(model)).toEqual(['Conv', 'Relu', 'Conv', 'Add', 'Relu', 'ReduceMean', 'MatMul', 'Add']);
    const second = model.graph.nodes[2]!;
    expect(second.inputs).toEqual(['Relu', 'second.weight', 'second.bias']);
    expect([...model.graph.initializers.keys()].filter((name) => name.startsWith('first'))).toEqual([]);
    const base = cost(inferShapes(space.network([]))).totals.parameters;
    expect(cost(inferShapes(model)).totals.parameters).toBe(base - (4 * 4 * 9 + 4));
  });

  it('puts one function in the place of another', async () => {
    const single = onnxSpace(
      'single.onnx',
      made([4], (x) => x.relu().mul(2)),
    );
    const model = single.network(single.parse('base;Relu=HardSwish'), { batch: 1 });
    const x = [-4, -1, 1, 4];
    const expected = x.map((v) => 2 * v * Math.max(0, Math.min(1, v / 6 + 0.5)));
    (await run(model, 1, x)).forEach((y, i) => {
      expect(y).toBeCloseTo(expected[i]!, 5);
    });
  });

  it('keeps the name of an output whose layer is left out', async () => {
    const last = onnxSpace(
      'last.onnx',
      made([4], (x) => x.mul(3).relu()),
    );
    const model = last.network(last.parse('base;Relu=skip'), { batch: 2 });
    expect(model.graph.outputs[0]!.name).toBe('Relu');
    expect(await run(model, 2, [-1, 1, 2, 3, 4, 5, 6, 7])).toEqual([-3, 3, 6, 9, 12, 15, 18, 21]);
  });

  it('names nodes that have no name of their own by their place', () => {
    const { graph, ...model } = convolutional();
    const nodes = graph.nodes.map((node, i) => ({ ...node, name: i % 2 === 0 ? 'a;b' : 'same' }));
    const unclear = onnxSpace('unclear.onnx', { ...model, graph: { ...graph, nodes } });
    expect(unclear.format(unclear.parse('base;#1=Gelu;#2=skip'))).toBe('base;#1=Gelu;#2=skip');
  });

  it('refuses sizes that the file does not have', () => {
    expect(() => space.network([], { resolution: 16 })).toThrow(/resolution of small.onnx is 8/);
    expect(() => space.network([], { classes: 10 })).toThrow(/classes of small.onnx is 7/);
    expect(() => space.network([], { width: 2 })).toThrow(/width factor/);
  });

  it('has no neighbours where nothing can be edited', () => {
    const none = onnxSpace(
      'none.onnx',
      made([4], (x) => x.mul(3)),
    );
    expect(none.size).toBe(1n);
    expect(none.sample(Random.seeded(1))).toEqual([]);
    expect(() => mutate(none, [], Random.seeded(1))).toThrow(/no neighbours/);
  });

  it('shuffles weights for another seed', () => {
    const values = (seed: number): number[] => {
      const { data } = space.network([], { seed }).graph.initializers.get('second.weight')!;
      if (data.kind !== 'raw') throw new Error('not raw');
      const bytes = data.bytes.read().slice();
      return [...new Float32Array(bytes.buffer)];
    };
    expect(values(1)).not.toEqual(values(0));
    expect(values(1).sort()).toEqual(values(0).sort());
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { type GraphText, modelOf, tensor } from '../../../analysis/models.testing.js';
import { type FunctionDefinition, makeNode } from '../../../graph/graph.js';
import { nasBench201 } from '../../../spaces/cells/nasbench201.js';
import { ofaResNet } from '../../../spaces/mobile/ofa-resnet.js';
import type { AnySpace } from '../../../spaces/space.js';
import { hwGptS } from '../../../spaces/transformers/hwgpt.js';
import { Random } from '../../../util/random.js';
import { type NetworkGraph, networkGraph } from './network-graph.js';
import { attributesOf, codeOf } from './operators.js';

/** Two branches of an image, joined, normalised, pooled and classified. */
const SMALL: GraphText = {
  inputs: ['x: 2,3,8,8'],
  nodes: [
    'c1 = Conv(x, w1, b1) kernel_shape=3,3 strides=2,2 pads=1,1,1,1',
    'c2 = Conv(x, w2) kernel_shape=2,2 strides=2,2',
    'n = BatchNormalization(c1, scale, shift, mean, var)',
    'r = Relu(n)',
    'sum = Add(r, c2)',
    'p = AveragePool(sum) kernel_shape=2,2 strides=2,2',
    'g = GlobalAveragePool(p)',
    'f = Flatten(g)',
    'y = Gemm(f, w3, b3) transB=1',
  ],
  outputs: ['y'],
  initializers: [
    tensor('w1', [4, 3, 3, 3]),
    tensor('b1', [4]),
    tensor('w2', [4, 3, 2, 2]),
    ...['scale', 'shift', 'mean', 'var'].map((name) => tensor(name, [4])),
    tensor('w3', [5, 4]),
    tensor('b3', [5]),
  ],
};

function named(graph: NetworkGraph, name: string): NetworkGraph['nodes'][number] {
  const found = graph.nodes.find((node) => node.name === name);
  if (found === undefined) throw new Error(`no node ${name}`);
  return found;
}

/** Edges by names. */
function edgesOf({ nodes, edges }: NetworkGraph): string[] {
  return edges.map(([from, to]) => `${nodes[from]!.name}>${nodes[to]!.name}`).sort();
}

function expectSound({ nodes, edges, statics }: NetworkGraph): void {
  expect(new Set(edges.map(String)).size).toBe(edges.length);
  const reached = new Set(edges.map(([, to]) => to));
  for (const [from, to] of edges) expect(from).toBeLessThan(to);
  nodes.forEach((node, i) => {
    expect(node.attributes.length).toBe(attributesOf(node.code).length);
    expect(node.operator === 'Input').toBe(!reached.has(i));
  });
  expect(Object.values(statics).every(Number.isFinite)).toBe(true);
}

describe('the graph of a small network', () => {
  const graph = networkGraph(modelOf(SMALL));

  it('has a node for the input and for every operator, and no constants', () => {
    expect(graph.nodes.map(({ name, code }) => [name, code])).toEqual([
      ['x', 0],
      ['c1', 1],
      ['c2', 1],
      ['n', 12],
      ['r', 2],
      ['sum', 3],
      ['p', 16],
      ['g', 8],
      ['f', 15],
      ['y', 9],
    ]);
    expect(edgesOf(graph)).toEqual(
      ['x>c1', 'x>c2', 'c1>n', 'n>r', 'r>sum', 'c2>sum', 'sum>p', 'p>g', 'g>f', 'f>y'].sort(),
    );
    expect(graph.unknownShapes).toBe(0);
    expectSound(graph);
  });

  it('has attributes and shapes', () => {
    // Kernel, stride, padding, dilation, groups, bias.
    expect(named(graph, 'c1').attributes).toEqual([3, 2, 1, 1, 1, 1]);
    expect(named(graph, 'c2').attributes).toEqual([2, 2, 0, 1, 1, 0]);
    expect(named(graph, 'p').attributes).toEqual([2, 2, 0]);
    expect(named(graph, 'y').attributes).toEqual([1]);
    expect(named(graph, 'n').attributes).toEqual([]);
    expect(named(graph, 'c1').shape).toEqual([2, 4, 4, 4]);
    expect(named(graph, 'y').shape).toEqual([2, 5, 0, 0]);
  });

  // By hand, from the rules of NNLQP; see each line.
  it('counts as NNLQP does', () => {
    const rows = {
      c1: [64 * (2 * 27 - 1 + 1), 4 * (27 + 1), 128],
      c2: [64 * (2 * 12 - 1), 4 * 12, 128],
      n: [4 * 128, 4 * 4, 128],
      r: [0, 0, 128],
      sum: [128, 0, 128],
      p: [16 * 4, 0, 32],
      g: [4 * 4, 0, 8],
      f: [0, 0, 8],
      y: [5 * (2 * 4 - 1 + 1), 5 * (4 + 1), 10],
    };
    const totals = { batch: 2, nnlqpFlops: 0, parameters: 0, memoryAccess: 0 };
    for (const [name, [nnlqpFlops, parameters, size]] of Object.entries(rows) as [
      keyof typeof rows,
      number[],
    ][]) {
      const memoryAccess = size! + parameters!;
      expect(named(graph, name), name).toMatchObject({ nnlqpFlops, parameters, memoryAccess });
      totals.nnlqpFlops += nnlqpFlops!;
      totals.parameters += parameters!;
      totals.memoryAccess += memoryAccess;
    }
    expect(graph.statics).toEqual(totals);
    // 3456 + 1472 + 512 + 128 + 64 + 16 + 40
    expect(graph.statics.nnlqpFlops).toBe(5688);
  });

  it('as released counts one side of a global window', () => {
    const released = networkGraph(modelOf(SMALL), { variant: 'released' });
    expect(named(released, 'g').nnlqpFlops).toBe(4 * 2);
    expect(released.statics.nnlqpFlops).toBe(5688 - 8);
  });
});

describe('operators of transformers', () => {
  const ATTENTION: GraphText = {
    inputs: ['x: 2,6,8'],
    nodes: [
      'k = Transpose(x) perm=0,2,1',
      'scores = MatMul(x, k)',
      'a = Softmax(scores)',
      'v = MatMul(x, w)',
      'mixed = MatMul(a, v)',
      'y = LayerNormalization(mixed, scale)',
    ],
    outputs: ['y'],
    initializers: [tensor('w', [8, 4]), tensor('scale', [4])],
  };

  it('have codes and work, unless they are not in the table', () => {
    const graph = networkGraph(modelOf(ATTENTION));
    expect(named(graph, 'k')).toMatchObject({ code: 10, attributes: [0, 2, 1, 0, 0, 0, 0, 0] });
    // 36 elements for an example, 8 products and 7 sums each.
    expect(named(graph, 'scores')).toMatchObject({
      code: 18,
      nnlqpFlops: 36 * 15,
      parameters: 0,
      memoryAccess: 72,
    });
    expect(named(graph, 'v')).toMatchObject({ nnlqpFlops: 24 * 15, parameters: 32, memoryAccess: 48 + 32 });
    expect(named(graph, 'a').nnlqpFlops).toBe(3 * 36 - 1);
    expect(named(graph, 'y')).toMatchObject({ code: 0, nnlqpFlops: 0, parameters: 0, memoryAccess: 0 });
    expect(named(graph, 'y').operator).toBe('LayerNormalization');
  });

  it('as released have no products', () => {
    const graph = networkGraph(modelOf(ATTENTION), { variant: 'released' });
    for (const name of ['scores', 'v', 'mixed']) {
      expect(named(graph, name)).toMatchObject({ code: 0, nnlqpFlops: 0, parameters: 0, memoryAccess: 0 });
    }
    // Three axes for a batch of two: one element.
    expect(named(graph, 'a').nnlqpFlops).toBe(2);
    expect(graph.edges).toEqual(networkGraph(modelOf(ATTENTION)).edges);
  });
});

describe('what is left out', () => {
  it('is constants and what comes of them, sizes, identities', () => {
    const graph = networkGraph(
      modelOf({
        inputs: ['x: 4,6', 'unused: 3'],
        nodes: [
          'scaled = Mul(w, w)',
          'count = Size(x)',
          'long = Unsqueeze(count, axis)',
          'same = Identity(x)',
          'z = Mul(same, scaled)',
          'flat = Reshape(z, long)',
          'kept, mask = Dropout(flat)',
          'a, b = Split(kept) axis=0 num_outputs=2',
          'square = Mul(a, a)',
        ],
        outputs: ['square', 'b'],
        initializers: [tensor('w', [6]), tensor('zero', [], [0], 'int64'), tensor('axis', [1], [0], 'int64')],
      }),
    );
    expect(graph.nodes.map(({ name }) => name)).toEqual(['x', 'z', 'flat', 'a', 'b', 'square']);
    expect(edgesOf(graph)).toEqual(['a>square', 'flat>a', 'flat>b', 'x>z', 'z>flat']);
    expect(named(graph, 'flat').shape).toEqual([24, 0, 0, 0]);
    // Both parts of a split are nodes of their own, with their own memory.
    expect([named(graph, 'a').memoryAccess, named(graph, 'b').memoryAccess]).toEqual([12, 12]);
    expectSound(graph);
  });

  it('is the border of a function', () => {
    const model = modelOf({
      inputs: ['x: 1,4'],
      nodes: ['y = my.Twice(x)', 'z = Tanh(y)'],
      outputs: ['z'],
    });
    const twice: FunctionDefinition = {
      domain: 'my',
      name: 'Twice',
      overload: '',
      inputs: ['a'],
      outputs: ['c'],
      attributes: [],
      attributeDefaults: new Map(),
      nodes: [makeNode('Relu', ['a'], ['b'], {}, {}), makeNode('Sigmoid', ['b'], ['c'], {}, {})],
      opsetImports: new Map([['', 21]]),
      valueInfo: new Map(),
    };
    const graph = networkGraph({ ...model, functions: [twice] });
    expect(graph.nodes.map(({ operator }) => operator)).toEqual(['Input', 'Relu', 'Sigmoid', 'Tanh']);
    expect(graph.edges).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });
});

describe('a dense layer written as a product and a sum', () => {
  const layer = (nodes: readonly string[], outputs: readonly string[]): GraphText => ({
    inputs: ['x: 3,4'],
    nodes,
    outputs,
    initializers: [tensor('w', [4, 5]), tensor('b', [5])],
  });

  it('is the same Gemm', () => {
    const gemm = networkGraph(modelOf(layer(['y = Gemm(x, w, b)'], ['y'])));
    for (const sum of ['Add(p, b)', 'Add(b, p)']) {
      expect(networkGraph(modelOf(layer(['p = MatMul(x, w)', `y = ${sum}`], ['y'])))).toEqual(gemm);
    }
    expect(networkGraph(modelOf(layer(['y = MatMul(x, w)'], ['y']))).nodes[1]).toMatchObject({
      operator: 'Gemm',
      attributes: [0],
      nnlqpFlops: 5 * 7,
      parameters: 20,
      memoryAccess: 15 + 20,
    });
  });

  it('is not where the product is read elsewhere', () => {
    const graph = networkGraph(
      modelOf(layer(['p = MatMul(x, w)', 'y = Add(p, b)', 'z = Relu(p)'], ['y', 'z'])),
    );
    expect(graph.nodes.map(({ operator }) => operator)).toEqual(['Input', 'Gemm', 'Add', 'Relu']);
  });
});

it('leaves sizes that are not fixed at 0, and says so', () => {
  const model = modelOf({ inputs: ['x: batch,4'], nodes: ['y = Relu(x)'], outputs: ['y'] });
  expect(networkGraph(model)).toMatchObject({
    statics: { batch: 0, memoryAccess: 0 },
    unknownShapes: 2,
    nodes: [{ shape: [0, 4, 0, 0] }, { shape: [0, 4, 0, 0] }],
  });
  const fixed = networkGraph(inferShapes(model, { dims: { batch: 8 } }));
  expect(fixed).toMatchObject({ statics: { batch: 8, memoryAccess: 32 }, unknownShapes: 0 });
});

it('has the codes of NNLQP', () => {
  const table = { Conv: 1, Gemm: 9, BatchNormalization: 12, MatMul: 18, Clip: 25, ConvTranspose: 28 };
  for (const [name, code] of Object.entries(table)) expect(codeOf(name, 'meant'), name).toBe(code);
  expect(codeOf('Matmul', 'released')).toBe(0);
  expect(codeOf('MatMul', 'released')).toBe(0);
  expect(codeOf('Gelu', 'meant')).toBe(0);
});

const SPACES: readonly AnySpace[] = [nasBench201, ofaResNet, hwGptS];
it.each(SPACES)('is sound for $title', (space) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const model = space.network(space.sample(Random.seeded(seed)));
      for (const variant of ['meant', 'released'] as const) {
        const graph = networkGraph(model, { variant });
        expectSound(graph);
        expect(graph.unknownShapes).toBe(0);
        expect(graph.statics.batch).toBe(1);
      }
    }),
    { numRuns: 5 },
  );
});

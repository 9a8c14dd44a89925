import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cost } from '../../../analysis/cost.js';
import { inferShapes } from '../../../analysis/infer.js';
import { type GraphText, modelOf, tensor } from '../../../analysis/models.testing.js';
import { type FunctionDefinition, makeNode } from '../../../graph/graph.js';
import { TensorType } from '../../../graph/types.js';
import { nasBench201 } from '../../../spaces/cells/nasbench201.js';
import { hiaml } from '../../../spaces/gennape/hiaml.js';
import { inception } from '../../../spaces/gennape/inception.js';
import { twoPath } from '../../../spaces/gennape/two-path.js';
import type { AnySpace } from '../../../spaces/space.js';
import { Random } from '../../../util/random.js';
import { type ComputationGraph, computationGraph, type WeightedNode } from './computation-graph.js';

function countLabels({ nodes }: ComputationGraph): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { label } of nodes) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

/** Every edge as the labels of its ends. */
function labelledEdges({ nodes, edges }: ComputationGraph): string[] {
  return edges.map(([from, to]) => `${nodes[from]!.label}>${nodes[to]!.label}`).sort();
}

function graphOf(text: GraphText): ComputationGraph {
  return computationGraph(modelOf(text));
}

function labelled(graph: ComputationGraph, label: string): ComputationGraph['nodes'][number] {
  const found = graph.nodes.filter((node) => node.label === label);
  expect(found.length, label).toBe(1);
  return found[0]!;
}

/** Multiply-accumulates by the kernels and sizes of the graph alone. */
function macsOf({ nodes }: ComputationGraph): number {
  return nodes.reduce((sum, node) => {
    if (node.kind === 'regular') return sum;
    const [channelsIn, channelsOut, k1, k2] = node.shape;
    const [, height, , width] = node.resolution;
    return sum + channelsIn * channelsOut * Math.max(k1, 1) * Math.max(k2, 1) * height * width;
  }, 0);
}

describe('computation graphs of spaces', () => {
  // Counted by hand: of every cell 3 convolutions, an average pool and 3 sums, of the two reductions 3 convolutions
  // (2 of them with ReLU and normalisation), a pool and a sum.
  it('have every operation of a NAS-Bench-201 network', () => {
    const graph = computationGraph(nasBench201.network(nasBench201.parse(nasBench201.example)));
    expect(countLabels(graph)).toEqual({
      Input: 1,
      Conv: 1 + 15 * 3 + 2 * 3,
      BatchNorm: 1 + 15 * 3 + 2 * 2 + 1,
      ReLU: 15 * 3 + 2 * 2 + 1,
      Avgpool: 15 + 2,
      Add: 15 * 3 + 2,
      Mean: 1,
      MatMul: 1,
      Output: 1,
    });
    // Sums have two parents, the input none, all others one.
    expect(graph.edges.length).toBe(graph.nodes.length - 1 + 47);
    expect(graph.weightedCount).toBe(53);
    expect(graph.unknownSizes).toBe(0);
    const [stem] = graph.nodes as [WeightedNode];
    expect(stem).toMatchObject({
      kind: 'weighted',
      label: 'Conv',
      op: 3,
      resolution: [32, 32, 32, 32, 3, 16],
      shape: [3, 16, 3, 3],
      usesBias: false,
      strides: [1, 1],
      dilations: [1, 1],
      padding: 'same',
      pads: [1, 1, 1, 1],
    });
    expect(labelled(graph, 'Mean').resolution).toEqual([8, 1, 8, 1, 64, 64]);
    const classifier = { resolution: [1, 1, 1, 1, 64, 10], shape: [64, 10, 0, 0], usesBias: true };
    expect(labelled(graph, 'MatMul')).toMatchObject(classifier);
  });

  // Counted by hand: a22 has 3 convolutions (2 with ReLU6), z 3 (3), b23 4 (4), j30 3 (3) and in its first block
  // one more for the input; every block ends in a sum and a ReLU, and there are two of each.
  it('have every operation of a HiAML network', () => {
    const graph = computationGraph(hiaml.network(['a22', 'z', 'b23', 'j30']));
    expect(countLabels(graph)).toEqual({
      Input: 1,
      Conv: 1 + 2 * (3 + 3 + 4 + 3) + 1,
      BatchNorm: 1 + 2 * (3 + 3 + 4 + 3) + 1,
      ReLU6: 2 * (2 + 3 + 4 + 3),
      ReLU: 1 + 2 * 4,
      Add: 2 * 4,
      Mean: 1,
      MatMul: 1,
      Output: 1,
    });
    expect(graph.edges.length).toBe(graph.nodes.length - 1 + 8);
  });

  it('have a Zero where a cell gives nothing', () => {
    const arch = nasBench201.parse('|none~0|+|none~0|none~1|+|none~0|none~1|none~2|');
    // The last node of every cell is zero; of those before it nothing is used.
    expect(countLabels(computationGraph(nasBench201.network(arch))).Zero).toBe(15);
  });

  const SPACES: readonly AnySpace[] = [nasBench201, hiaml, twoPath, inception];
  it.each(SPACES)('are sound for $title', (space) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
        const inference = inferShapes(space.network(space.sample(Random.seeded(seed))));
        const graph = computationGraph(inference);
        expectSound(graph);
        expect(countLabels(graph).OOV).toBeUndefined();
        expect(graph.nodes.every(({ op }) => op > 0)).toBe(true);
        expect(graph.unknownSizes).toBe(0);
        expect(macsOf(graph)).toBe(cost(inference).totals.macs);
      }),
      { numRuns: 12, seed: 1 },
    );
  });
});

/** What holds for every graph. */
function expectSound({ nodes, edges, weightedCount }: ComputationGraph): void {
  nodes.forEach(({ kind }, i) => {
    expect(kind).toBe(i < weightedCount ? 'weighted' : 'regular');
  });
  const sorted = edges.toSorted(([a, b], [c, d]) => a - c || b - d);
  expect(edges).toEqual(sorted);
  expect(new Set(edges.map(String)).size).toBe(edges.length);
  const parents = nodes.map((): number[] => []);
  for (const [from, to] of edges) {
    for (const end of [from, to]) expect(Number.isInteger(end) && end >= 0 && end < nodes.length).toBe(true);
    parents[to]!.push(from);
  }
  const done = new Set<number>();
  for (let before = -1; before < done.size; ) {
    before = done.size;
    parents.forEach((list, i) => void (list.every((p) => done.has(p)) && done.add(i)));
  }
  expect(done.size, 'nodes that are on no cycle').toBe(nodes.length);
  const hasChild = new Set(edges.map(([from]) => from));
  nodes.forEach(({ label, ...node }, i) => {
    expect(parents[i]!.length === 0, node.name).toBe(label === 'Input');
    expect(hasChild.has(i), node.name).toBe(label !== 'Output');
    if (label === 'Add' || label === 'Mul' || label === 'Concat') {
      expect(parents[i]!.length, node.name).toBeGreaterThan(1);
    }
    if (node.kind === 'weighted') {
      expect(node.shape.length).toBe(4);
      expect(node.shape[0]).toBeGreaterThan(0);
      expect(node.shape[1]).toBeGreaterThan(0);
    }
  });
}

describe('computation graphs of exports', () => {
  const scalar = (name: string, value: number) => tensor(name, [], [value]);

  it.each<[string, readonly string[], Record<string, number>]>([
    ['x·σ(x)', ['s = Sigmoid(x)', 'y = Mul(x, s)'], { Swish: 1 }],
    ['x·σ(1.7x)', ['t = Mul(x, half)', 's = Sigmoid(t)', 'y = Mul(s, x)'], { Swish: 1 }],
    ['hard sigmoid times x', ['s = HardSigmoid(x)', 'y = Mul(x, s)'], { Swish: 1 }],
    ['HardSwish', ['y = HardSwish(x)'], { Swish: 1 }],
    [
      'x·ReLU6(x + 3)/6',
      ['a = Add(x, three)', 'c = Clip(a, zero, six)', 'm = Mul(x, c)', 'y = Div(m, six)'],
      { Swish: 1 },
    ],
    [
      'GELU by erf, as PyTorch writes it',
      ['d = Div(x, six)', 'e = Erf(d)', 'a = Add(e, one)', 'm = Mul(x, a)', 'y = Mul(m, half)'],
      { GeLU: 1 },
    ],
    [
      'GELU by erf, halved first',
      ['d = Mul(x, six)', 'h = Mul(x, half)', 'e = Erf(d)', 'a = Add(one, e)', 'y = Mul(h, a)'],
      { GeLU: 1 },
    ],
    [
      'GELU by tanh',
      [
        'p = Pow(x, three)',
        'q = Mul(p, half)',
        'u = Add(x, q)',
        'v = Mul(u, half)',
        't = Tanh(v)',
        'a = Add(t, one)',
        'h = Mul(x, half)',
        'y = Mul(h, a)',
      ],
      { GeLU: 1 },
    ],
    ['Gelu', ['y = Gelu(x)'], { GeLU: 1 }],
    ['ReLU6', ['y = Clip(x, zero, six)'], { ReLU6: 1 }],
    ['ReLU as a bound', ['y = Clip(x, zero)'], { ReLU: 1 }],
    [
      'a gate of something else',
      ['r = Relu(x)', 's = Sigmoid(r)', 'y = Mul(x, s)'],
      { ReLU: 1, Sigmoid: 1, Mul: 1 },
    ],
    [
      'a gate that is used again',
      ['s = Sigmoid(x)', 'm = Mul(x, s)', 'y = Add(m, s)'],
      { Swish: 1, Sigmoid: 1, Add: 1 },
    ],
    // The halves of a gated linear unit are not the same value.
    [
      'GLU',
      ['a, b = Split(x) axis=1 num_outputs=2', 's = Sigmoid(b)', 'y = Mul(a, s)'],
      { Sigmoid: 1, Mul: 1 },
    ],
    [
      'RMS normalisation',
      [
        'q = Pow(x, three)',
        'm = ReduceMean(q)',
        'e = Add(m, half)',
        'r = Sqrt(e)',
        'i = Reciprocal(r)',
        'n = Mul(x, i)',
        'y = Mul(n, six)',
      ],
      { Mean: 1, Mul: 1 },
    ],
    ['a padding of nothing', ['p = Pad(x, nothing)', 'y = Relu(p)'], { ReLU: 1 }],
    ['times zero', ['r = Relu(x)', 'y = Mul(r, zero)'], { ReLU: 1, Zero: 1 }],
    ['constants alone', ['k = Add(one, half)', 'y = Mul(x, k)'], {}],
    ['sums with one parent', ['a = Add(x, x)', 'b = Concat(a, a) axis=1', 'y = Mul(b, b)'], {}],
    [
      'what only moves elements',
      ['t = Transpose(x) perm=0,2,3,1', 'f = Flatten(t) axis=2', 'u = Unsqueeze(f, axes)', 'y = Relu(u)'],
      { ReLU: 1 },
    ],
    ['sizes', ['n = Shape(x)', 'r = Relu(x)', 'y = Reshape(r, n)'], { ReLU: 1 }],
    ['a constant of the type of data', ['c = CastLike(one, x)', 'y = Mul(x, c)'], {}],
    ['an operator of no label', ['y = Softmax(x)'], { Softmax: 1 }],
    ['an identity inside', ['i = Identity(x)', 'y = Relu(i)'], { Identity: 1, ReLU: 1 }],
    ['an identity that names the output', ['r = Relu(x)', 'y = Identity(r)'], { ReLU: 1 }],
    ['what nobody uses', ['r = Relu(x)', 'q = Tanh(x)', 'y = Sigmoid(r)'], { ReLU: 1, Sigmoid: 1 }],
    ['the mean of an image', ['y = GlobalAveragePool(x)'], { Mean: 1 }],
  ])('see %s', (_, nodes, expected) => {
    const graph = graphOf({
      inputs: ['x: 1,4,6,6'],
      nodes,
      outputs: ['y'],
      initializers: [
        scalar('zero', 0),
        scalar('one', 1),
        scalar('three', 3),
        scalar('six', 6),
        scalar('half', 0.5),
        tensor('axes', [1], [0], 'int64'),
        tensor('nothing', [8], [0, 0, 0, 0, 0, 0, 0, 0], 'int64'),
      ],
    });
    expect(countLabels(graph)).toEqual({ Input: 1, Output: 1, ...expected });
    expectSound(graph);
  });

  it('tell the operator where it has no label', () => {
    const graph = graphOf({ inputs: ['x: 1,4'], nodes: ['y = Softmax(x)'], outputs: ['y'] });
    expect(labelled(graph, 'Softmax')).toMatchObject({
      kind: 'regular',
      op: 0,
      resolution: [1, 1, 1, 1, 4, 4],
    });
  });

  it('have the kernels of convolutions as they are stored', () => {
    const shapeOf = (weight: readonly number[], attributes = '', op = 'Conv'): unknown => {
      const { nodes } = graphOf({
        inputs: ['x: 1,8,16,16'],
        nodes: [`y = ${op}(x, w) ${attributes}`],
        outputs: ['y'],
        initializers: [tensor('w', weight)],
      });
      const [node] = nodes as [WeightedNode];
      return [node.label, ...node.shape];
    };
    expect(shapeOf([12, 8, 3, 5])).toEqual(['Conv', 8, 12, 3, 5]);
    expect(shapeOf([12, 4, 3, 3], 'group=2')).toEqual(['Conv', 4, 12, 3, 3]);
    expect(shapeOf([8, 1, 3, 3], 'group=8')).toEqual(['Depthwise', 8, 1, 3, 3]);
    expect(shapeOf([16, 1, 5, 5], 'group=8')).toEqual(['Depthwise', 8, 2, 5, 5]);
    expect(shapeOf([8, 12, 3, 3], '', 'ConvTranspose')).toEqual(['Conv', 8, 12, 3, 3]);
    expect(shapeOf([8, 1, 3, 3], 'group=8', 'ConvTranspose')).toEqual(['Depthwise', 8, 1, 3, 3]);
  });

  it('have the windows of convolutions, pools and paddings', () => {
    const graph = graphOf({
      inputs: ['x: 1,3,17,17'],
      nodes: [
        'a = Pad(x, pads)',
        'b = Conv(a, w) strides=2,2 dilations=1,2',
        'c = MaxPool(b) kernel_shape=3,3 strides=2,1 pads=1,1,1,1',
        'y = AveragePool(c) kernel_shape=2,2 pads=0,0,1,1',
      ],
      outputs: ['y'],
      initializers: [tensor('pads', [8], [0, 0, 1, 2, 0, 0, 3, 4], 'int64'), tensor('w', [5, 3, 3, 3])],
    });
    expect(labelled(graph, 'Paddings')).toMatchObject({
      pads: [1, 2, 3, 4],
      resolution: [17, 21, 17, 23, 3, 3],
    });
    const conv = labelled(graph, 'Conv');
    expect(conv).toMatchObject({ strides: [2, 2], dilations: [1, 2], padding: 'valid' });
    expect(conv.resolution).toEqual([21, 10, 23, 10, 3, 5]);
    expect(conv).not.toHaveProperty('pads');
    expect(labelled(graph, 'Maxpool')).toMatchObject({
      kernel: [3, 3],
      strides: [2, 1],
      padding: 'same',
      resolution: [10, 5, 10, 10, 5, 5],
    });
    expect(labelled(graph, 'Avgpool')).toMatchObject({ padding: 'same', pads: [0, 0, 1, 1] });
  });

  it.each<[string, readonly string[], boolean, readonly number[]]>([
    ['a product and a vector', ['m = MatMul(x, w)', 'y = Add(m, b)'], true, [4, 6, 0, 0]],
    ['a vector before a product', ['m = MatMul(x, w)', 'y = Add(b, m)'], true, [4, 6, 0, 0]],
    ['a product alone', ['y = MatMul(x, w)'], false, [4, 6, 0, 0]],
    ['a product and a matrix', ['m = MatMul(x, w)', 'y = Add(m, table)'], false, [4, 6, 0, 0]],
    ['a constant before x', ['y = MatMul(square, x)'], false, [3, 3, 0, 0]],
    ['Gemm', ['y = Gemm(x, w, b)'], true, [4, 6, 0, 0]],
    ['Gemm with its matrix transposed', ['y = Gemm(x, wt) transB=1'], false, [4, 6, 0, 0]],
  ])('see kernel and bias of %s', (_, nodes, usesBias, shape) => {
    const graph = graphOf({
      inputs: ['x: 3,4'],
      nodes,
      outputs: ['y'],
      initializers: [
        tensor('w', [4, 6]),
        tensor('wt', [6, 4]),
        tensor('b', [6]),
        tensor('table', [3, 6]),
        tensor('square', [3, 3]),
      ],
    });
    expect(countLabels(graph)).toEqual({ Input: 1, MatMul: 1, Output: 1 });
    expect(labelled(graph, 'MatMul')).toMatchObject({ usesBias, shape });
  });

  it('take a fused convolution apart', () => {
    const graph = graphOf({
      inputs: ['x: 1,8,6,6'],
      nodes: ['a = Conv(x, w, b)', 'y = com.microsoft.FusedConv(a, w, b, x)'],
      outputs: ['y'],
      initializers: [tensor('w', [8, 8, 1, 1]), tensor('b', [8])],
      attributes: {
        y: {
          activation: { type: 'string', value: 'Clip' },
          activation_params: { type: 'floats', value: [0, 6] },
        },
      },
    });
    expect(labelledEdges(graph)).toEqual(
      ['Input>Conv', 'Conv>Conv', 'Conv>Add', 'Input>Add', 'Add>ReLU6', 'ReLU6>Output'].sort(),
    );
    expect(graph.nodes.slice(0, 2).every((node) => node.kind === 'weighted' && node.usesBias)).toBe(true);
  });

  it('see through functions', () => {
    const silu: FunctionDefinition = {
      name: 'Silu',
      domain: 'custom',
      inputs: ['v'],
      outputs: ['u'],
      attributes: [],
      attributeDefaults: new Map(),
      nodes: [makeNode('Sigmoid', ['v'], ['g']), makeNode('Mul', ['v', 'g'], ['u'])],
      opsetImports: new Map([['', 21]]),
      valueInfo: new Map(),
    };
    const model = modelOf({
      inputs: ['x: 1,8'],
      nodes: ['h = custom.Silu(x)', 'y = custom.Silu(h)'],
      outputs: ['y'],
    });
    const graph = computationGraph({ ...model, functions: [silu] });
    expect(labelledEdges(graph)).toEqual(['Input>Swish', 'Swish>Output', 'Swish>Swish']);
  });

  it('have an input even where nothing goes in', () => {
    const graph = graphOf({
      inputs: [],
      nodes: ['y = Relu(c)'],
      outputs: ['y'],
      initializers: [tensor('c', [1, 3, 5, 4])],
    });
    expect(labelledEdges(graph)).toEqual(['Input>Output']);
    expect(graph.nodes[0]!.resolution).toEqual([5, 5, 4, 4, 3, 3]);
  });

  it('say how many sizes are not known', () => {
    const text: GraphText = { inputs: ['x: batch,3,side,side'], nodes: ['y = Relu(x)'], outputs: ['y'] };
    expect(graphOf(text).unknownSizes).toBe(3);
    const fixed = computationGraph(inferShapes(modelOf(text), { dims: { side: 32 } }));
    expect(fixed.unknownSizes).toBe(0);
    expect(labelled(fixed, 'ReLU').resolution).toEqual([32, 32, 32, 32, 3, 3]);
  });
});

describe('computation graphs of transformers', () => {
  // Self-attention of 2 heads of 4 over 6 tokens of width 8, batch 2, then a layer of width 16, as exporters write
  // it.
  const attention: GraphText = {
    inputs: ['x: 2,6,8'],
    nodes: [
      'n = LayerNormalization(x, scale)',
      'qkv = MatMul(n, w3)',
      'r = Reshape(qkv, heads)',
      't = Transpose(r) perm=2,0,3,1,4',
      'q, k, v = Split(t) axis=0 num_outputs=3',
      'q1 = Squeeze(q, first)',
      'k1 = Squeeze(k, first)',
      'v1 = Squeeze(v, first)',
      'kt = Transpose(k1) perm=0,1,3,2',
      'qs = Mul(q1, c)',
      's = MatMul(qs, kt)',
      'p = Softmax(s)',
      'o = MatMul(p, v1)',
      'ot = Transpose(o) perm=0,2,1,3',
      'rows = Reshape(ot, flat)',
      'h = MatMul(rows, w)',
      'hb = Add(h, b)',
      'back = Reshape(hb, tokens)',
      'y = Add(x, back)',
    ],
    outputs: ['y'],
    initializers: [
      tensor('scale', [8]),
      tensor('w3', [8, 24]),
      tensor('heads', [5], [2, 6, 3, 2, 4], 'int64'),
      tensor('first', [1], [0], 'int64'),
      tensor('c', [], [0.5]),
      tensor('flat', [2], [12, 8], 'int64'),
      tensor('w', [8, 8]),
      tensor('b', [8]),
      tensor('tokens', [3], [2, 6, 8], 'int64'),
    ],
  };

  it('have tokens as heights and width as channels', () => {
    const graph = graphOf(attention);
    // Queries, keys and values are one node, so both products have it for a parent.
    expect(labelledEdges(graph)).toEqual(
      [
        'Input>LayerNormalization',
        'LayerNormalization>MatMul',
        'MatMul>MatMul',
        'MatMul>Softmax',
        'MatMul>MatMul',
        'Softmax>MatMul',
        'MatMul>MatMul',
        'MatMul>Add',
        'Input>Add',
        'Add>Output',
      ].sort(),
    );
    expect(labelled(graph, 'LayerNormalization').resolution).toEqual([6, 6, 1, 1, 8, 8]);
    const products = graph.nodes.filter((node) => node.label === 'MatMul') as WeightedNode[];
    expect(products.map(({ shape }) => shape)).toEqual([
      [8, 24, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
      [8, 8, 0, 0],
    ]);
    expect(products.map(({ usesBias }) => usesBias)).toEqual([false, false, false, true]);
    expect(products.map(({ resolution }) => resolution)).toEqual([
      [6, 6, 1, 1, 8, 24],
      // (B, heads, n, d): heads are channels.
      [6, 6, 4, 6, 2, 2],
      [6, 6, 6, 4, 2, 2],
      // 12 rows of batch 2.
      [6, 6, 1, 1, 8, 8],
    ]);
    expect(labelled(graph, 'Input').resolution).toEqual([6, 6, 1, 1, 8, 8]);
    expect(graph.unknownSizes).toBe(0);
  });

  it('have words of one channel, and an embedding that is no part of the vocabulary', () => {
    const model = modelOf({
      inputs: ['ids: 2,6'],
      nodes: ['e = Gather(table, ids)', 'y = Relu(e)'],
      outputs: ['y'],
      initializers: [tensor('table', [9, 8])],
    });
    const [input] = model.graph.inputs;
    const ids = { ...input!, type: new TensorType('int64', [2, 6]) };
    const graph = computationGraph({ ...model, graph: { ...model.graph, inputs: [ids] } });
    expect(labelled(graph, 'Input').resolution).toEqual([6, 6, 1, 1, 1, 1]);
    expect(labelled(graph, 'Gather')).toMatchObject({ op: 0, resolution: [6, 6, 1, 1, 1, 8] });
    expect(labelled(graph, 'ReLU').resolution).toEqual([6, 6, 1, 1, 8, 8]);
  });

  it('follow channels through transpositions', () => {
    const graph = graphOf({
      inputs: ['x: 1,3,8,6'],
      nodes: [
        'c = Conv(x, w)',
        't = Transpose(c) perm=0,2,3,1',
        'l = LayerNormalization(t, scale)',
        'm = MatMul(l, w1)',
        'g = Gelu(m)',
        'b = Transpose(g) perm=0,3,1,2',
        'y = Sigmoid(b)',
      ],
      outputs: ['y'],
      initializers: [tensor('w', [5, 3, 1, 1]), tensor('scale', [5]), tensor('w1', [5, 7])],
    });
    const sizes = (label: string): readonly number[] => labelled(graph, label).resolution;
    expect(sizes('LayerNormalization')).toEqual([8, 8, 6, 6, 5, 5]);
    expect(sizes('MatMul')).toEqual([8, 8, 6, 6, 5, 7]);
    expect(sizes('GeLU')).toEqual([8, 8, 6, 6, 7, 7]);
    expect(sizes('Sigmoid')).toEqual([8, 8, 6, 6, 7, 7]);
    expect(sizes('Output')).toEqual([8, 8, 6, 6, 7, 7]);
  });

  it('have the channels of one-dimensional convolutions', () => {
    const graph = graphOf({
      inputs: ['x: 2,3,50'],
      nodes: ['c = Conv(x, w) strides=2', 'y = Relu(c)'],
      outputs: ['y'],
      initializers: [tensor('w', [5, 3, 4])],
    });
    expect(labelled(graph, 'Conv')).toMatchObject({
      resolution: [50, 24, 1, 1, 3, 5],
      shape: [3, 5, 4, 1],
      strides: [2, 1],
    });
    expect(labelled(graph, 'ReLU').resolution).toEqual([24, 24, 1, 1, 5, 5]);
  });
});

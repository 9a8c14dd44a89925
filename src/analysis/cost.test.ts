import { describe, expect, it } from 'vitest';
import type { Model } from '../graph/graph.js';
import { cost } from './cost.js';
import { inferShapes } from './infer.js';
import { graphOf, modelOf, tensor } from './models.testing.js';

const report = (model: Model) => cost(inferShapes(model));

/** A convolution, batch normalisation, activation and a linear layer: counted by hand below. */
const smallNet = modelOf({
  inputs: ['x: 2,3,8,8'],
  nodes: [
    'c = Conv(x, w) pads=1,1,1,1',
    'b = BatchNormalization(c, gamma, beta, mean, var)',
    'r = Relu(b)',
    'p = GlobalAveragePool(r)',
    'f = Reshape(p, shape)',
    'y = Gemm(f, fc, bias) transB=1',
  ],
  outputs: ['y'],
  initializers: [
    tensor('w', [4, 3, 3, 3]),
    ...['gamma', 'beta', 'mean', 'var'].map((name) => tensor(name, [4])),
    tensor('shape', [2], [2, -1], 'int64'),
    tensor('fc', [10, 4]),
    tensor('bias', [10]),
  ],
});

describe('cost', () => {
  it('counts parameters without running statistics and shapes', () => {
    const { totals, constants } = report(smallNet);
    expect(totals.parameters).toBe(4 * 3 * 3 * 3 + 4 + 4 + 10 * 4 + 10);
    expect(Object.fromEntries(constants.map((c) => [c.name, c.kind]))).toEqual({
      w: 'parameter',
      gamma: 'parameter',
      beta: 'parameter',
      mean: 'statistic',
      var: 'statistic',
      shape: 'setting',
      fc: 'parameter',
      bias: 'parameter',
    });
    expect(totals.weightBytes).toBe(4 * (108 + 16 + 40 + 10) + 16);
  });

  it('counts MACs and FLOPs as documented', () => {
    const { totals, nodes } = report(smallNet);
    const conv = 2 * 4 * 8 * 8 * 27;
    const gemm = 2 * 10 * 4;
    expect(totals.macs).toBe(conv + gemm);
    expect(nodes.find((n) => n.operator === 'Conv')!.macs).toBe(conv);
    expect(nodes.find((n) => n.operator === 'Relu')!.flops).toBe(2 * 4 * 8 * 8);
  });

  it('counts activations: views are free, the peak is by liveness', () => {
    const { totals } = report(smallNet);
    const map = 2 * 4 * 8 * 8 * 4;
    expect(totals.activationBytes).toBe(3 * map + 2 * 4 * 4 + 2 * 10 * 4);
    // While BatchNormalization runs, its input and its output are alive; x is gone.
    expect(totals.peakActivationBytes).toBe(2 * map);
  });

  it('adds nodes up to totals', () => {
    const { totals, nodes } = report(smallNet);
    for (const key of [
      'parameters',
      'weightBytes',
      'macs',
      'flops',
      'activationBytes',
      'memoryAccessBytes',
    ] as const) {
      expect(nodes.reduce((sum, n) => sum + Number(n[key]), 0)).toBe(totals[key]);
    }
  });

  it('stays symbolic where sizes are', () => {
    const model = modelOf({
      inputs: ['x: batch,seq,8'],
      nodes: ['y = MatMul(x, w)'],
      outputs: ['y'],
      initializers: [tensor('w', [8, 16])],
    });
    const { totals } = report(model);
    expect(String(totals.macs)).toBe('128*batch*seq');
    expect(String(totals.peakActivationBytes)).toBe('96*batch*seq');
    expect(totals.arithmeticIntensity).toBeUndefined();
  });

  it('counts the costlier branch of an If', () => {
    const branch = (width: number) =>
      graphOf({
        inputs: [],
        nodes: [`y${width} = MatMul(x, w${width})`, `z${width} = ReduceSum(y${width})`],
        outputs: [`z${width}`],
        initializers: [tensor(`w${width}`, [4, width])],
      });
    const model = modelOf({
      inputs: ['x: 2,4', 'c: 1'],
      nodes: ['b = IsNaN(c)', 'out = If(b)'],
      outputs: ['out'],
      attributes: {
        out: {
          then_branch: { type: 'graph', value: branch(3) },
          else_branch: { type: 'graph', value: branch(5) },
        },
      },
    });
    const { totals, nodes } = report(model);
    expect(totals.macs).toBe(2 * 4 * 5);
    expect(totals.parameters).toBe(4 * 3 + 4 * 5);
    expect(nodes.filter((n) => !n.counted).map((n) => n.name)).toEqual([
      'n_out.then_branch/n_y3',
      'n_out.then_branch/n_z3',
    ]);
  });

  it.each([
    [6, 6, false],
    [undefined, 1, true],
  ])('counts a Loop of %s iterations', (trips, times, perIteration) => {
    const body = graphOf({
      inputs: ['i:', 'go:', 'h: 2,4'],
      nodes: ['go2 = Identity(go)', 'h2 = MatMul(h, w)'],
      outputs: ['go2', 'h2'],
    });
    const constant = trips === undefined ? [] : [tensor('m', [], [trips], 'int64')];
    const model = modelOf({
      inputs: ['x: 2,4', ...(trips === undefined ? ['f: 1'] : [])],
      nodes: [...(trips === undefined ? ['m0 = Cast(f) to=7', 'm = Squeeze(m0)'] : []), 'y = Loop(m, , x)'],
      outputs: ['y'],
      initializers: [tensor('w', [4, 4]), ...constant],
      attributes: { y: { body: { type: 'graph', value: body } } },
    });
    const { totals, nodes } = report(model);
    expect(totals.macs).toBe(2 * 4 * 4 * times);
    expect(nodes.find((n) => n.operator === 'MatMul')!.perIteration).toBe(perIteration);
  });

  it('counts tied weights once, though they are stored transposed', () => {
    const rows = 64;
    const columns = 32;
    const table = Array.from({ length: rows * columns }, (_, i) => Math.fround(Math.sin(i)));
    const transposed = Array.from(
      { length: rows * columns },
      (_, k) => table[(k % rows) * columns + Math.floor(k / rows)]!,
    );
    const net = (copy: readonly number[]) =>
      modelOf({
        inputs: ['x: 1,4'],
        nodes: ['i = Cast(x) to=7', 'e = Gather(table, i)', 'y = MatMul(e, head)'],
        outputs: ['y'],
        initializers: [tensor('table', [rows, columns], table), tensor('head', [columns, rows], copy)],
      });
    expect(report(net(transposed)).totals.parameters).toBe(rows * columns);
    expect(report(net(transposed.map((x) => x + 1))).totals.parameters).toBe(2 * rows * columns);
  });

  it('lists what it cannot count and goes on', () => {
    const model = modelOf({
      inputs: ['x: 2,4'],
      nodes: ['h = my.domain.Magic(x)', 'y = Relu(h)', 'z = Relu(x)'],
      outputs: ['y', 'z'],
    });
    const { nodes, totals } = report(model);
    expect(nodes.map((n) => n.complete)).toEqual([false, false, true]);
    expect(totals.flops).toBe(8);
  });
});

describe('which constants are parameters', () => {
  const MASK = Array.from({ length: 16 }, (_, i) => (i % 3 === 1 ? -1e9 : 0));

  const STRIDES = Array.from({ length: 64 }, (_, i) => 8 << (i % 3));

  const kindOf = (
    name: string,
    dims: readonly number[],
    values: readonly number[] | undefined,
    node: string,
  ): string => {
    const model = modelOf({
      inputs: ['x: 1,3,4,4'],
      nodes: ['h = Relu(x)', ...node.split('|')],
      outputs: ['y'],
      initializers: [tensor(name, dims, values)],
    });
    return report(model).constants[0]!.kind;
  };

  it.each([
    ['a learned scalar', 'logit_scale', [], [2], 'y = Mul(h, logit_scale)', 'parameter'],
    ['a number the exporter wrote', 'val_3', [], [2], 'y = Mul(h, val_3)', 'setting'],
    ['a number of TensorFlow', 'block/mul/y:0', [], [2], 'y = Mul(h, block/mul/y:0)', 'setting'],
    ['an exponent', 'p', [], [2], 'y = Pow(h, p)', 'setting'],
    ['the slope of a PRelu', 'onnx::PRelu_7', [1], [0.2], 'y = PRelu(h, onnx::PRelu_7)', 'parameter'],
    ['a scale per channel', 'gamma', [3, 1, 1], undefined, 'y = Mul(h, gamma)', 'parameter'],
    ['the mean of images', 'mean', [3, 1, 1], undefined, 'y = Sub(h, mean)', 'setting'],
    ['the centres of anchors', 'onnx::Add_9', [1, 3, 4, 4], undefined, 'y = Add(h, onnx::Add_9)', 'setting'],
    ['the strides of a grid', 's', [64, 1, 1], STRIDES, 'f = Flatten(h)|y = Mul(f, s)', 'setting'],
    [
      'a bias per place, with a layer behind',
      'b',
      [3, 4, 4],
      undefined,
      'g = Add(h, b)|y = MatMul(g, g)',
      'parameter',
    ],
    [
      'a table that is looked up',
      'table',
      [4, 4],
      undefined,
      'i = Cast(h) to=7|y = Gather(table, i)',
      'parameter',
    ],
    ['an additive mask', 'm', [4, 4], MASK, 'y = Add(h, m)', 'setting'],
  ] as const)('%s', (_, name, dims, values, node, kind) => {
    expect(kindOf(name, dims, values, node)).toBe(kind);
  });
});

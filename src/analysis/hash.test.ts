import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Graph, type Model, makeModel, type Node } from '../graph/graph.js';
import { structureHash } from './hash.js';
import { inferShapes } from './infer.js';
import { type GraphText, modelOf, tensor } from './models.testing.js';

const hash = (model: Model): string => structureHash(inferShapes(model));

const BASE: GraphText = {
  inputs: ['x: batch,3,8,8'],
  nodes: [
    'a = Conv(x, w1) pads=1,1,1,1',
    'b = Relu(a)',
    'c = Conv(b, w2) pads=1,1,1,1',
    'd = Add(c, b)',
    'e = Relu(d)',
    'f = Reshape(e, shape)',
    'y = MatMul(f, w3)',
  ],
  outputs: ['y'],
  initializers: [
    tensor('w1', [4, 3, 3, 3]),
    tensor('w2', [4, 4, 3, 3]),
    tensor('shape', [2], [0, 256], 'int64'),
    tensor('w3', [256, 10]),
  ],
};

/** The same graph with other names, in another (still valid or not) order of nodes. */
function disguise(graph: Graph, order: readonly number[], rename: (name: string) => string): Graph {
  const node = (n: Node): Node => ({
    ...n,
    name: rename(n.name),
    inputs: n.inputs.map(rename),
    outputs: n.outputs.map(rename),
  });
  return {
    ...graph,
    name: rename(graph.name),
    nodes: order.map((i) => node(graph.nodes[i]!)),
    inputs: graph.inputs.map((v) => ({ ...v, name: rename(v.name) })),
    outputs: graph.outputs.map((v) => ({ ...v, name: rename(v.name) })),
    initializers: new Map(
      [...graph.initializers].reverse().map(([k, t]) => [rename(k), { ...t, name: rename(k) }]),
    ),
  };
}

describe('structureHash', () => {
  it('does not see names, order of nodes and weight values', () => {
    const model = modelOf(BASE);
    const expected = hash(model);
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 40, maxLength: 40 });
    const orders = fc.shuffledSubarray([...model.graph.nodes.keys()], { minLength: 7 });
    fc.assert(
      fc.property(names, orders, fc.integer(), (fresh, order, shift) => {
        const given = new Map<string, string>();
        const rename = (name: string): string => {
          if (name === '') return '';
          if (!given.has(name)) given.set(name, fresh[given.size]!);
          return given.get(name)!;
        };
        const graph = disguise(model.graph, order, rename);
        const weights = [...graph.initializers].map(([k, t]): [string, typeof t] => [
          k,
          t.dtype === 'float32' ? tensor(k, t.dims, [shift]) : t,
        ]);
        expect(hash(makeModel({ ...graph, initializers: new Map(weights) }))).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  const swap = (from: string, to: string): GraphText => ({
    ...BASE,
    nodes: BASE.nodes.map((n) => (n === from ? to : n)),
  });
  const CHANGES: readonly [what: string, changed: GraphText][] = [
    ['an attribute', swap(BASE.nodes[0]!, 'a = Conv(x, w1) pads=1,1,1,1 dilations=1,1')],
    ['an operator', swap('b = Relu(a)', 'b = Sigmoid(a)')],
    ['an edge', swap('d = Add(c, b)', 'd = Add(c, a)')],
    ['the order of operands', swap('d = Add(c, b)', 'd = Add(b, c)')],
    ['the shape of the input', { ...BASE, inputs: ['x: 2,3,8,8'] }],
    [
      'a shape constant',
      {
        ...BASE,
        initializers: BASE.initializers!.map((t) =>
          t.name === 'shape' ? tensor('shape', [2], [-1, 256], 'int64') : t,
        ),
      },
    ],
    [
      'the shape of a weight',
      {
        ...BASE,
        initializers: BASE.initializers!.map((t) => (t.name === 'w3' ? tensor('w3', [256, 11]) : t)),
      },
    ],
    ['an output', { ...BASE, outputs: ['y', 'b'] }],
  ];
  it.each(CHANGES)('sees %s', (_, changed) => {
    expect(hash(modelOf(changed))).not.toBe(hash(modelOf(BASE)));
  });

  it('sees whether a value is computed once and shared, or twice', () => {
    const shared = modelOf({ inputs: ['x: 4'], nodes: ['a = Relu(x)', 'y = Add(a, a)'], outputs: ['y'] });
    const twice = modelOf({
      inputs: ['x: 4'],
      nodes: ['a = Relu(x)', 'b = Relu(x)', 'y = Add(a, b)'],
      outputs: ['y'],
    });
    const crossed = (p: string, q: string) =>
      modelOf({
        inputs: ['x: 4'],
        nodes: ['a = Relu(x)', 'b = Relu(x)', `y = Add(${p})`, `z = Add(${q})`],
        outputs: ['y', 'z'],
      });
    expect(hash(shared)).not.toBe(hash(twice));
    expect(hash(crossed('a, a', 'b, b'))).not.toBe(hash(crossed('a, b', 'a, b')));
  });

  it('sees whether a weight is shared', () => {
    const net = (second: string) =>
      modelOf({
        inputs: ['x: 4,4'],
        nodes: ['a = MatMul(x, w)', `y = MatMul(a, ${second})`],
        outputs: ['y'],
        initializers: [tensor('w', [4, 4]), tensor('v', [4, 4])],
      });
    expect(hash(net('w'))).not.toBe(hash(net('v')));
  });
});

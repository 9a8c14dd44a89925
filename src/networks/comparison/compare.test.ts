import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { type GraphText, modelOf, tensor } from '../../analysis/models.testing.js';
import { Resolver } from '../resolver.js';
import { type CompareOptions, compareNetworks, isSame } from './compare.js';

const four = (name: string, values: readonly number[]) => tensor(name, [4], values);
const NORM = [
  four('scale', [0.5, 1, 2, 3]),
  four('bias', [0, 1, 2, -3]),
  four('mean', [1, -1, 0.5, 0]),
  four('variance', [1, 2, 0.25, 4]),
];
const NET: GraphText = {
  inputs: ['x: n,2,5,5'],
  nodes: ['c = Conv(x, w)', 'b = BatchNormalization(c, scale, bias, mean, variance)', 'y = Relu(b)'],
  outputs: ['y'],
  initializers: [tensor('w', [4, 2, 3, 3]), ...NORM],
};
const CONSTANTS = new Map(NET.initializers!.map((t) => [t.name, t]));

const compare = (a: GraphText, b: GraphText, options: CompareOptions = {}) => {
  const resolver = new Resolver();
  const open = (text: GraphText) => resolver.network(modelOf(text));
  return compareNetworks(open(a), open(b), { samples: 4, ...options });
};

describe('compareNetworks', () => {
  it('knows the same network under other names and in another order', async () => {
    const renamed: GraphText = {
      ...NET,
      nodes: ['p = Conv(x, kernel)', 'q = BatchNormalization(p, scale, bias, mean, variance)', 'y = Relu(q)'],
      initializers: [...NORM, { ...CONSTANTS.get('w')!, name: 'kernel' }],
    };
    const found = await compare(NET, renamed);
    expect(found.verdict).toBe('identical');
    expect(found.weights).toMatchObject({ compared: 5, equal: 5, different: [] });
    expect(found.outputs).toMatchObject({ status: 'run', samples: 4, outputs: [{ name: 'y', absolute: 0 }] });
  });

  it('knows a network whose layers were folded', async () => {
    // W·s and (0 − mean)·s + bias with s = scale/√(variance + ε), by hand.
    const [scale, bias, mean, variance] = [
      [0.5, 1, 2, 3],
      [0, 1, 2, -3],
      [1, -1, 0.5, 0],
      [1, 2, 0.25, 4],
    ];
    const factors = scale!.map((s, c) => s / Math.sqrt(variance![c]! + 1e-5));
    const weight = Array.from({ length: 72 }, (_, i) => (i % 7) * factors[Math.floor(i / 18)]!);
    const folded: GraphText = {
      inputs: NET.inputs,
      nodes: ['c = Conv(x, w, k)', 'y = Relu(c)'],
      outputs: ['y'],
      initializers: [
        tensor('w', [4, 2, 3, 3], weight),
        four(
          'k',
          bias!.map((b, c) => b - mean![c]! * factors[c]!),
        ),
      ],
    };
    const found = await compare(NET, folded);
    expect(found.verdict).toBe('same up to folding');
    expect(isSame(found.verdict)).toBe(true);
    expect(found.match.removed.map(({ node }) => node.opType)).toEqual(['BatchNormalization']);
  });

  it('knows the same function in other nodes', async () => {
    const other: GraphText = {
      ...NET,
      nodes: [...NET.nodes.slice(0, 2), 'y = Max(b, zero)'],
      initializers: [...NET.initializers!, tensor('zero', [], [0])],
    };
    expect((await compare(NET, other)).verdict).toBe('same function');
  });

  it('tells other weights from another network, and says which', async () => {
    const shifted = four('bias', [0, 1, 2, 1]);
    const weights: GraphText = {
      ...NET,
      initializers: NET.initializers!.map((t) => (t.name === 'bias' ? shifted : t)),
    };
    const found = await compare(NET, weights);
    expect(found.verdict).toBe('same structure');
    expect(found.weights.different).toMatchObject([
      { name: 'bias', absolute: 4, relative: 4 / Math.sqrt(14) },
    ]);
    const other = await compare(NET, { ...NET, nodes: [...NET.nodes.slice(0, 2), 'y = Tanh(b)'] });
    expect(other.verdict).toBe('different');
    expect([other.match.removed.length, other.match.added.length]).toEqual([1, 1]);
    expect(isSame(other.verdict)).toBe(false);
  });

  it('goes by the tolerance', async () => {
    const nearly = four('bias', [0, 1, 2.01, -3]);
    const close: GraphText = {
      ...NET,
      initializers: NET.initializers!.map((t) => (t.name === 'bias' ? nearly : t)),
    };
    expect((await compare(NET, close)).verdict).toBe('same structure');
    expect((await compare(NET, close, { tolerance: 0.01 })).verdict).toBe('same up to folding');
  });

  it('says why outputs are not compared', async () => {
    const two: GraphText = {
      ...NET,
      inputs: [...NET.inputs, 'z: 1'],
      nodes: [...NET.nodes.slice(0, 2), 'r = Relu(b)', 'y = Add(r, z)'],
    };
    const found = await compare(NET, two);
    expect(found.verdict).toBe('different');
    expect(found.outputs).toMatchObject({
      status: 'not run',
      reason: expect.stringContaining('inputs differ'),
    });
    expect((await compare(NET, NET, { samples: 0 })).outputs).toBeUndefined();
  });
});

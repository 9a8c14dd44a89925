import { describe, expect, it } from 'vitest';
import { expectClose, golden, goldenNetworks } from '../../models/network-golden.testing.js';
import { EncodedNetworks, NN_FORMER_ENCODING, NNLP_ENCODING, waves } from './encodings.js';

describe.each([
  ['nnlp', NNLP_ENCODING, 44, 4],
  ['nnFormer', NN_FORMER_ENCODING, 192, 40],
] as const)('the encoding of %s', (name, encoding, nodeWidth, staticWidth) => {
  it('is what Python makes of the same network', () => {
    const expected = golden.encodings[name]!;
    const network = goldenNetworks[expected.network]!;
    const { nodes, statics } = new EncodedNetworks([network], encoding).batch([0]);
    expect(nodes!.dims).toEqual([1, network.nodes.length, nodeWidth]);
    expect(statics!.dims).toEqual([1, staticWidth]);
    expectClose(nodes!.data as Float32Array, expected.nodes, 'nodes');
    expectClose(statics!.data as Float32Array, expected.statics, 'statics');
  });
});

describe('a batch of networks', () => {
  const networks = new EncodedNetworks(goldenNetworks, NNLP_ENCODING);

  it('has the nodes, edges and presence of every network, then zeros', () => {
    const { nodes, presence, adjacency } = networks.batch([1, 0], { nodes: 8 });
    expect([...(presence!.data as Float32Array)]).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0]);
    const found: [number, number, number][] = [];
    adjacency!.data.forEach((value, i) => {
      if (value !== 0) found.push([Math.floor(i / 64), Math.floor(i / 8) % 8, i % 8]);
    });
    expect(found).toEqual([
      ...golden.networks[1]!.edges.map(([from, to]) => [0, from, to]),
      ...golden.networks[0]!.edges.map(([from, to]) => [1, from, to]),
    ]);
    expect(nodes!.dims).toEqual([2, 8, 44]);
    expect((nodes!.data as Float32Array).subarray(3 * 44, 8 * 44).every((v) => v === 0)).toBe(true);
  });

  it('is as large as its largest network', () => {
    expect(networks.count).toBe(3);
    expect([0, 1, 2].map((row) => networks.size(row))).toEqual([7, 3, 11]);
    expect(networks.batch([1, 0]).nodes!.dims).toEqual([2, 7, 44]);
  });

  it('refuses networks that do not fit', () => {
    expect(() => networks.batch([0, 2], { nodes: 10 })).toThrow(
      expect.objectContaining({ code: 'NETWORK_TOO_LARGE' }),
    );
  });
});

it('turns a number into sines and cosines of falling frequency', () => {
  // 10000^(−1/2) = 0.01.
  const expected = [Math.sin(3), Math.cos(3), Math.sin(0.03), Math.cos(0.03)].map(Math.fround);
  expect([...waves(3, 4)]).toEqual(expected);
});

import { expect, it } from 'vitest';
import { EncodedNetworks } from '../views/nnlqp/encodings.js';
import { golden, networkOf } from './nar-former-v2.testing.js';
import { narFormerV2Encoding } from './nar-former-v2-encoding.js';

type Network = Parameters<typeof networkOf>[0];

function encoded(network: Partial<Network>, variant?: 'meant' | 'released') {
  const graph = networkOf({ nodes: [], edges: [], totals: [1, 0, 0, 0], ...network });
  const { nodes, statics } = new EncodedNetworks([graph], narFormerV2Encoding(variant)).batch([0]);
  return { nodes: nodes!.data as Float32Array, statics: statics!.data as Float32Array };
}

it.each(golden.operators)("operator $code is NumPy's, $variant", ({ token, variant, ...node }) => {
  const { nodes } = encoded({ nodes: [node] }, variant);
  expect(nodes.length).toBe(152);
  expect(token.length).toBe(152);
  token.forEach((value, i) => {
    expect(Math.abs(nodes[i]! - value), String(i)).toBeLessThan(1e-6);
  });
});

it('writes zeros for what an operator has not, and the code of 0 for what a shape has not', () => {
  const { nodes } = encoded({ nodes: [{ code: 0, attributes: [], shape: [0] }] });
  expect(nodes.subarray(0, 112).every((x) => x === 0)).toBe(true);
  expect([...nodes.subarray(112)]).toEqual(Array.from({ length: 40 }, (_, i) => i % 2));
});

it('counts by thousands of millions', () => {
  const { statics } = encoded({ totals: [0, (Math.PI / 2) * 1e9, 0, Math.PI * 1e9] });
  expect(statics.length).toBe(40);
  const close = (at: number, value: number): void => expect(statics[at]).toBeCloseTo(value, 6);
  close(0, 0);
  close(10, 1);
  close(21, 1);
  close(31, -1);
});

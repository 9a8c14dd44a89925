import { describe, expect, it } from 'vitest';
import '../../../ops/index.js';
import { ArchNetwork } from '../../../networks/arch-network.js';
import { nasBench201 } from '../../../spaces/cells/nasbench201.js';
import { computationGraph } from '../computation-graph/computation-graph.js';
import { type Flow, flowOf } from './flow.js';
import { FLOW_FEATURES, flowFeatures } from './flow-features.js';

const cellOf = (op: string): string => `|${op}~0|+|${op}~0|${op}~1|+|${op}~0|${op}~1|${op}~2|`;
const networkOf = (op: string): ArchNetwork => new ArchNetwork(nasBench201, nasBench201.parse(cellOf(op)));
const flow = (op: string): Flow => flowOf(computationGraph(networkOf(op).inference()));

describe('flow through a NAS-Bench-201 network of convolutions', () => {
  const found = flow('nor_conv_3x3');

  // Four ways through each of 15 cells, with 1, 2, 2 and 3 convolutions; two through each of 2 reductions, with 2 and 1.
  it('counts paths and depths', () => {
    expect(found.logPaths).toBeCloseTo(15 * Math.log(4) + 2 * Math.log(2), 9);
    expect([found.longest, found.shortest, found.longestSpatial]).toEqual([50, 18, 50]);
    expect([found.isDead, found.side]).toEqual([false, 32]);
  });

  it('sums the products of fans over all paths', () => {
    const cell = (channels: number): number => {
      const gain = Math.sqrt(9 * channels);
      return Math.log(gain + 2 * gain ** 2 + gain ** 3);
    };
    const reduction = (channels: number): number =>
      Math.log(Math.sqrt(9 * channels) * Math.sqrt(18 * channels) + Math.sqrt(channels));
    const expected = Math.log(27) / 2 + 5 * (cell(16) + cell(32) + cell(64)) + reduction(16) + reduction(32);
    expect(found.pathNorm).toBeCloseTo(expected, 8);
  });

  it.each(['even', 'paths', 'variance'] as const)('passes all of the flow to the input (%s)', (sharing) => {
    const shares = found.shares(sharing);
    const input = found.nodes.findIndex(({ kind }) => kind === 'input');
    expect(shares[input]).toBeCloseTo(1, 9);
  });

  // 2 convolutions in a cell on average, 1.5 in a reduction, 1 in the stem.
  it('has the mean depth of all paths', () => {
    const shares = found.shares('paths');
    const depth = found.nodes.reduce((sum, node, i) => sum + (node.isConvolution ? shares[i]! : 0), 0);
    expect(depth).toBeCloseTo(1 + 15 * 2 + 2 * 1.5, 9);
  });
});

describe('features of whole networks', () => {
  it('are the same names in the same order, and finite, also where nothing reaches the output', () => {
    for (const op of ['nor_conv_3x3', 'skip_connect', 'avg_pool_3x3', 'none']) {
      const features = flowFeatures(networkOf(op));
      expect(Object.keys(features)).toEqual(FLOW_FEATURES);
      expect(Object.values(features).every(Number.isFinite), op).toBe(true);
      expect(features.dead).toBe(op === 'none' ? 1 : 0);
    }
  });

  it('tell pools from convolutions on paths', () => {
    const [pools, convolutions] = [
      flowFeatures(networkOf('avg_pool_3x3')),
      flowFeatures(networkOf('nor_conv_3x3')),
    ];
    expect(pools['poolShare even']).toBeGreaterThan(convolutions['poolShare even']!);
  });

  // Node 1 gets nothing, so that what reads it does nothing.
  it('do not count what the output does not depend on', () => {
    const of = (unused: string) =>
      flowFeatures(
        new ArchNetwork(
          nasBench201,
          nasBench201.parse(
            `|none~0|+|nor_conv_3x3~0|${unused}~1|+|skip_connect~0|${unused}~1|nor_conv_1x1~2|`,
          ),
        ),
      );
    const [with3x3, without] = [of('nor_conv_3x3'), of('none')];
    for (const name of FLOW_FEATURES.filter((each) => !/Activation|Memory|Peak|Flops/.test(each))) {
      expect(with3x3[name], name).toBeCloseTo(without[name]!, 9);
    }
    // Bytes are those of the graph, which is not quite that of the file.
    expect(Math.abs(with3x3.logMemory! - without.logMemory!)).toBeLessThan(0.15);
  });
});

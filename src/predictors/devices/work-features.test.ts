import { describe, expect, it } from 'vitest';
import { Resolver } from '../../networks/index.js';
import { knownPoints, pointsOf, standardOf } from './known-points.js';
import { nodeWork } from './node-work.js';
import { workFeatures } from './work-features.js';

const resolver = new Resolver();
const CELLS = [
  'nasbench201:|nor_conv_3x3~0|+|nor_conv_1x1~0|skip_connect~1|+|avg_pool_3x3~0|none~1|nor_conv_3x3~2|',
  'nasbench201:|nor_conv_3x3~0|+|nor_conv_1x1~0|nor_conv_3x3~1|+|nor_conv_3x3~0|none~1|none~2|',
  'ofa-mobilenetv3:r160-k3e3k5e4-k7e6k3e3-k3e4k3e3-k5e3k3e3-k3e3k5e6',
];
const networks = CELLS.map((ref) => resolver.network(ref).settled());

describe('nodeWork', () => {
  it('has all MACs of a network', () => {
    for (const network of networks) {
      const work = nodeWork(network.inference().graph);
      const macs = work.reduce((sum, node) => sum + node.macs * node.times, 0);
      expect(macs).toBe(network.cost().totals.macs);
    }
  });

  it('tells what no output needs', () => {
    const dead = (at: number): number =>
      nodeWork(networks[at]!.inference().graph).filter(({ isDead }) => isDead).length;
    expect(dead(0)).toBe(0);
    expect(dead(1)).toBeGreaterThan(0);
  });

  it('tells depthwise from pointwise convolutions, and what can be fused', () => {
    const kinds = nodeWork(networks[2]!.inference().graph);
    const depthwise = kinds.filter(({ kind }) => kind === 'depthwise');
    // Two blocks of each of five stages, and the first block.
    expect(depthwise).toHaveLength(11);
    expect(depthwise.every(({ groups, channelsIn }) => groups === channelsIn)).toBe(true);
    expect(kinds.some(({ isFusable }) => isFusable)).toBe(true);
    expect(kinds.every(({ isFusable, macs }) => !(isFusable && macs > 0))).toBe(true);
  });
});

describe('workFeatures', () => {
  it('are finite, and follow the batch', () => {
    const [one, four] = [1, 4].map((batch) => workFeatures(networks[2]!.at({ batch }).settled()).values);
    for (const value of Object.values(one!)) expect(Number.isFinite(value)).toBe(true);
    expect(four!.logMacs! - one!.logMacs!).toBeCloseTo(Math.log(4), 6);
    expect(four!.logParameters).toBe(one!.logParameters);
    expect(four!.logNodes).toBe(one!.logNodes);
  });

  it('become points that are read as they were written', () => {
    const rows = networks.map((network) => ({ name: network.ref, ...workFeatures(network) }));
    const standard = standardOf(rows.map(({ values }) => values));
    const points = knownPoints(pointsOf(rows, standard));
    const lengths = points.groups.map(() => 1);
    rows.forEach(({ values }, i) => {
      const row = points.standardised(values);
      expect(points.distance(row, i, lengths)).toBe(0);
      expect(points.distance(row, (i + 1) % rows.length, lengths)).toBeGreaterThan(0.5);
      standard.forEach(({ name, mean, deviation }, f) => {
        expect(points.row(i)[f]! * deviation + mean).toBeCloseTo(values[name] ?? 0, 1);
      });
    });
  });
});

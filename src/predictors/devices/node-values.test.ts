import { describe, expect, it } from 'vitest';
import { Resolver } from '../../networks/index.js';
import { spreadByWork, workRates } from './node-values.js';
import { nodeWork } from './node-work.js';
import { elements, workFeatures } from './work-features.js';

const resolver = new Resolver();
const networks = [
  ...['8:8:8:8:8', '64:64:64:64:64', '8:64:8:64:8', '16:24:32:48:64', '64:8:8:8:8'].map((widths) =>
    resolver.network(`nats-size:${widths}`),
  ),
  resolver.network(
    'nasbench201:|nor_conv_3x3~0|+|none~0|nor_conv_1x1~1|+|skip_connect~0|none~1|avg_pool_3x3~2|',
  ),
];

/** A device on which time is known: summed up here, node by node. */
const RATES = [2e-9, 3e-8, 4e-3] as const;
const timeOf = (work: ReturnType<typeof nodeWork>[number]): number => {
  if (work.kind === 'view') return 0;
  const kernel = work.isFusable ? 0 : RATES[1] * elements(work) + RATES[2];
  return work.times * (RATES[0] * work.macs + kernel);
};
const works = networks.map((network) => nodeWork(network.inference().graph));
const totals = works.map((work) => work.reduce((sum, node) => sum + timeOf(node), 0));

describe('a prediction spread over nodes', () => {
  it('finds the rates of a device from its times of whole networks', async () => {
    const features = networks.map((network) => workFeatures(network).values);
    const found = await workRates(
      networks.length,
      (i) => features[i]!,
      async (values) => totals[features.indexOf(values)]!,
    );
    found.forEach((rate, i) => {
      expect(rate / RATES[i]!).toBeCloseTo(1, 6);
    });
  });

  it('adds up to the prediction, each node with its own part', () => {
    const { values } = spreadByWork(networks[5]!, 2 * totals[5]!, RATES);
    expect([...values.values()].reduce((sum, value) => sum + value, 0)).toBeCloseTo(2 * totals[5]!, 9);
    for (const work of works[5]!) expect(values.get(work.node) ?? 0).toBeCloseTo(2 * timeOf(work), 9);
  });
});

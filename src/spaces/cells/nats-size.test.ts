import { describe, expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { describeSpace } from '../conformance.testing.js';
import { nasBench201 } from './nasbench201.js';
import { natsSize } from './nats-size.js';

describeSpace(natsSize, {
  small: { resolution: 8, width: 0.25 },
  refused: [
    ['', /1 numbers/],
    ['8:8:8:8', /4 numbers/],
    ['8:8:8:8:9', /layer 5 cannot have '9' channels/],
    ['8:-8:8:8:8', /layer 2 cannot have '-8' channels/],
    ['8:8:8e0:8:8', /layer 3 cannot have '8e0' channels/],
  ],
});

describe('the size space of NATS-Bench', () => {
  const totals = (text: string) => cost(inferShapes(natsSize.network(natsSize.parse(text)))).totals;

  it('has 32,768 networks', () => {
    expect(natsSize.size).toBe(32_768n);
  });

  // As the benchmark's files state them, in millions: 0.011714, 0.107826 and 0.713674.
  it.each([
    ['8:8:8:8:8', 11_714],
    ['8:8:16:40:40', 107_826],
    ['64:64:64:64:64', 713_674],
  ])('has the parameters of %s', (text, published) => {
    expect(totals(text).parameters).toBe(published);
  });

  // At 16, 32 and 64 channels its layers are those of NAS-Bench-201, which has five cells where this has one.
  it('is what NAS-Bench-201 stacks', () => {
    const topology =
      '|nor_conv_3x3~0|+|nor_conv_3x3~0|nor_conv_3x3~1|+|skip_connect~0|nor_conv_3x3~1|nor_conv_3x3~2|';
    const stacked = cost(inferShapes(nasBench201.network(nasBench201.parse(topology)))).totals;
    const cell = (width: number, side: number): { parameters: number; macs: number } => ({
      parameters: 5 * (9 * width ** 2 + 2 * width),
      macs: 5 * 9 * width ** 2 * side ** 2,
    });
    const repeated = [cell(16, 32), cell(32, 16), cell(64, 8)];
    const { parameters, macs } = totals('16:32:32:64:64');
    expect(stacked.parameters - parameters).toBe(4 * repeated.reduce((n, c) => n + c.parameters, 0));
    expect(Number(stacked.macs) - Number(macs)).toBe(4 * repeated.reduce((n, c) => n + c.macs, 0));
  });
});

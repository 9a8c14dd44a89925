import { describe, expect, it } from 'vitest';
import { describeSpace } from '../conformance.testing.js';
import { expectGoldenCounts } from './mobile-blocks.testing.js';
import { proxylessNas } from './proxylessnas.js';

const stages = Array(5).fill('k3e3k3e3').join('-');

describeSpace(proxylessNas, {
  small: { resolution: 32, width: 0.2 },
  refused: [
    ['', /1 stages/],
    [stages, /5 stages/],
    [`${stages}-k3e3k3e3`, /stage 6 has 2 layers, not 1/],
    [`${stages}-k3e5`, /expansion is 5/],
    [`r224-${stages}-k3e6`, /7 stages/],
    ['{"ks": 3, "e": 3, "d": 2, "r": 160}', /'r' is 160: the resolution of a network is an option/],
    ['{"ks": 3, "e": 3, "d": 5}', /stage 1 has 5 layers/],
    [`${stages}-last`, /stage 6, 'last', is not of the form/],
  ],
});

describe('ProxylessNAS', () => {
  it('has a choice of nine more than OFA MobileNetV3', () => {
    expect(proxylessNas.size).toBe(9n * 7371n ** 5n);
  });

  expectGoldenCounts(proxylessNas);

  it('has one last layer whatever the list of depths says', () => {
    const parse = (d: number[]) =>
      proxylessNas.parse(JSON.stringify({ ks: Array(21).fill(5), e: Array(21).fill(4), d, r: 224 }));
    expect(parse([2, 3, 4, 2, 2, 4])).toEqual(parse([2, 3, 4, 2, 2, 1]));
  });

  it('has a node for every layer that there is', () => {
    const { ops } = proxylessNas.cell!(proxylessNas.parse(proxylessNas.example));
    expect(ops.slice(0, 4)).toEqual(['input', 'k3_e3@1.1', 'k3_e3@1.2', 'k5_e6@2.1']);
    expect(ops.slice(-3)).toEqual(['k3_e6@5.4', 'k3_e4@6.1', 'output']);
    expect([proxylessNas.largestCell, proxylessNas.vocabulary!.length]).toEqual([23, 1 + 21 * 9 + 1]);
  });

  // The example is the published network v100_gpu64@11ms_top1@76.1_finetune@25; the channels are those of its file.
  it('has the hidden channels of a published network', () => {
    const { nodes, initializers } = proxylessNas.network(proxylessNas.parse(proxylessNas.example)).graph;
    const depthwise = nodes
      .filter(({ opType, attributes }) => opType === 'Conv' && attributes.get('group')?.value !== 1)
      .map(({ inputs }) => initializers.get(inputs[1]!)!.dims[0]);
    expect(depthwise).toEqual([
      ...[40, 72, 96, 192, 168, 168, 312, 416],
      ...[416, 512, 384, 512, 768, 1488, 992, 1488, 992],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { modelOf, tensor } from '../../../analysis/models.testing.js';
import { layerFeatures } from './layer-features.js';
import { networkParts } from './network-parts.js';

/** A stem, a depthwise layer with a gate, a residual sum, and a classifier. */
function network(classes: number, isFolded: boolean) {
  const normalised = isFolded ? 'n = Relu(a)' : 'bn = BatchNormalization(a, one, one, one, one)';
  return modelOf({
    inputs: ['x: 1,3,16,16'],
    nodes: [
      'a = Conv(x, stem) strides=2,2 pads=1,1,1,1',
      ...(isFolded ? [normalised] : [normalised, 'n = Relu(bn)']),
      'd = Conv(n, depthwise) pads=1,1,1,1 group=8',
      's = Sigmoid(d)',
      'e = Mul(d, s)',
      'p = GlobalAveragePool(e)',
      'q = Conv(p, squeeze)',
      'g = Sigmoid(q)',
      'h = Mul(e, g)',
      'r = Add(h, n)',
      'm = GlobalAveragePool(r)',
      'f = Flatten(m)',
      'y = MatMul(f, head)',
    ],
    outputs: ['y'],
    initializers: [
      tensor('stem', [8, 3, 3, 3]),
      tensor('one', [8]),
      tensor('depthwise', [8, 1, 3, 3]),
      tensor('squeeze', [8, 8, 1, 1]),
      tensor('head', [8, classes]),
    ],
  });
}

const partsOf = (classes = 10, isFolded = true) =>
  networkParts(inferShapes(network(classes, isFolded)).graph);
const featuresOf = (classes = 10, isFolded = true) =>
  layerFeatures(partsOf(classes, isFolded), { height: 16, width: 16 });

describe('parts of networks', () => {
  it('are layers with their sizes', () => {
    const [stem, depthwise, squeeze, head] = partsOf().layers;
    expect(stem).toEqual({
      ...{ kind: 'convolution', macs: 64 * 8 * 27, weights: 216, outputs: 512, positions: 64 },
      ...{ channelsIn: 3, channelsOut: 8, kernel: 3, stride: 2, groups: 1, depth: 1, isLast: false },
    });
    expect(depthwise).toMatchObject({ macs: 64 * 8 * 9, weights: 72, channelsIn: 8, groups: 8, depth: 2 });
    // One position: not part of the depth.
    expect(squeeze).toMatchObject({ macs: 64, positions: 1, depth: 2, isLast: false });
    expect(head).toMatchObject({ kind: 'dense', macs: 80, weights: 80, channelsOut: 10, isLast: true });
  });

  it('are activations, gates and sums', () => {
    expect(partsOf()).toMatchObject({
      ...{ plainRectifiers: 1, smoothRectifiers: 1, channelGates: 1, residualSums: 1 },
      ...{ products: 0, averagePools: 2, normalisations: 0, softmaxSizes: [] },
    });
  });
});

describe('features of layers', () => {
  it('count all but the classifier', () => {
    const macs = 64 * 8 * 27 + 64 * 8 * 9 + 64;
    const found = featuresOf();
    expect(found.logMacs).toBeCloseTo(Math.log2(macs), 12);
    expect(found.logWeights).toBeCloseTo(Math.log2(216 + 72 + 64), 12);
    expect(found['macs.depthwise3']).toBeCloseTo((64 * 8 * 9) / macs, 12);
    expect(found['macs at /2']).toBeCloseTo(1 - 64 / macs, 12);
    expect(found.smooth).toBe(0.5);
  });

  it('do not depend on the number of classes, nor on batch normalisations', () => {
    expect(featuresOf(1000)).toEqual(featuresOf(10));
    expect(featuresOf(10, false)).toEqual(featuresOf(10));
  });

  it('do not depend on the batch', () => {
    const { graph } = inferShapes(network(10, true), { shapes: { x: [4, 3, 16, 16] } });
    expect(layerFeatures(networkParts(graph), { height: 16, width: 16 })).toEqual(featuresOf());
  });
});
